/**
 * Reading outcomes in tests: a test that expects one kind of outcome fails with
 * the kind it got instead.
 */
import type { Outcome } from "@wield/core"

/** The outcome, when it has the tag; otherwise the test fails. */
export const expectOutcome = <O extends Outcome.Outcome, Tag extends O["_tag"]>(
  outcome: O | undefined,
  tag: Tag
): Extract<O, { readonly _tag: Tag }> => {
  if (outcome === undefined || outcome._tag !== tag) {
    throw new Error(`expected the outcome ${tag}, got ${outcome?._tag ?? "none"}`, { cause: outcome })
  }
  // Narrowing by a type parameter is beyond the compiler; the tag was compared above.
  return outcome as Extract<O, { readonly _tag: Tag }>
}

/** The tags of outcomes, in their order. */
export const tagsOf = (outcomes: ReadonlyArray<Outcome.Outcome>): ReadonlyArray<string> =>
  outcomes.map((outcome) => outcome._tag)
