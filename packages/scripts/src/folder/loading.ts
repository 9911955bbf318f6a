/**
 * Texts that were read well and could not be loaded by an interpreter: that is
 * known from the calls that failed for it.
 */
import * as Effect from "effect/Effect"
import type { ExecutionError } from "../ExecutionError.js"
import type { Problem } from "@wield/core/Problem"
import { fileError } from "./problem.js"

interface Source {
  readonly file: string
  readonly text: string
}

export interface Loading {
  /** A call of a file, which tells whether its text can be loaded. */
  readonly told: <A>(source: Source, call: Effect.Effect<A, ExecutionError>) => Effect.Effect<A, ExecutionError>
  /** Of the texts that are in use; those of others are forgotten. */
  readonly problems: (used: ReadonlyArray<Source>) => ReadonlyArray<Problem>
  /** The files whose text could not be loaded. */
  readonly failed: Effect.Effect<ReadonlyArray<string>>
}

/** `changed` is run when there is another problem, or one less. */
export const makeLoading = (changed: Effect.Effect<void>): Loading => {
  const failures = new Map<string, { readonly text: string; readonly detail: string }>()

  const isLoaded = ({ file, text }: Source): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (failures.get(file)?.text !== text) return Effect.void
      failures.delete(file)
      return changed
    })

  const isFailed = ({ file, text }: Source, detail: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = failures.get(file)
      if (before?.text === text && before.detail === detail) return Effect.void
      failures.set(file, { text, detail })
      return changed
    })

  const tellError = (source: Source, error: ExecutionError): Effect.Effect<void> => {
    if (error._tag === "ScriptRaised" || error._tag === "FunctionFailed") return isLoaded(source)
    return error._tag === "ScriptNotStarted" && error.reason === "import-failed"
      ? isFailed(source, error.detail)
      : Effect.void
  }

  return {
    told: (source, call) =>
      Effect.tapBoth(call, {
        onSuccess: () => isLoaded(source),
        onFailure: (error) => tellError(source, error)
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
