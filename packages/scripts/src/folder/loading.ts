/**
 * Texts that were read well and could not be loaded by an interpreter: that is
 * known from the calls that failed for it.
 */
import * as Effect from "effect/Effect"
import type { ExecutionError } from "../ExecutionError.js"
import type { Problem } from "@wield/core/Problem"
import type { Source } from "./files.js"
import { fileError } from "./problem.js"

export interface Loading {
  /** Runs a call of a file, and learns by it whether its text can be loaded. */
  readonly watch: <A>(source: Source, call: Effect.Effect<A, ExecutionError>) => Effect.Effect<A, ExecutionError>
  /** Of the texts that are in use; those of others are forgotten. */
  readonly problems: (used: ReadonlyArray<Source>) => ReadonlyArray<Problem>
  /** The files whose text could not be loaded. */
  readonly failed: Effect.Effect<ReadonlyArray<string>>
}

/** `changed` is run when there is another problem, or one less. */
export const makeLoading = (changed: Effect.Effect<void>): Loading => {
  const failures = new Map<string, { readonly text: string; readonly detail: string }>()

  const recordLoaded = ({ file, text }: Source): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (failures.get(file)?.text !== text) return Effect.void
      failures.delete(file)
      return changed
    })

  const recordFailed = ({ file, text }: Source, detail: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = failures.get(file)
      if (before?.text === text && before.detail === detail) return Effect.void
      failures.set(file, { text, detail })
      return changed
    })

  const recordError = (source: Source, error: ExecutionError): Effect.Effect<void> => {
    if (error._tag === "ScriptRaised" || error._tag === "FunctionFailed") return recordLoaded(source)
    return error._tag === "ScriptNotStarted" && error.reason === "import-failed"
      ? recordFailed(source, error.detail)
      : Effect.void
  }

  return {
    watch: (source, call) =>
      Effect.tapBoth(call, {
        onSuccess: () => recordLoaded(source),
        onFailure: (error) => recordError(source, error)
      }),
    problems: (used) => {
      const texts = new Map(used.map(({ file, text }) => [file, text]))
      for (const [file, { text }] of failures) if (texts.get(file) !== text) failures.delete(file)
      return [...failures].map(([file, { detail }]) =>
        fileError(
          file,
          "import-failed",
          `The file could not be loaded, and calls of its tools fail: ${detail}; mend it or what it imports. No earlier version is run in its place`
        )
      )
    },
    failed: Effect.sync(() => [...failures.keys()])
  }
}
