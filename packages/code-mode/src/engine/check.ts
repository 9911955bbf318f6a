/** Checks the types of programs, one after the other, in a thread of its own. */
import type { ToolDefinition } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ProgramProblem } from "../CodeModeError.js"
import { render, surroundings } from "../Declarations.js"
import { makeThreads } from "./Threads.js"

/** What a check comes to. */
export type Checked =
  | { readonly script: string; readonly lines: ReadonlyArray<number> }
  | { readonly problems: ReadonlyArray<ProgramProblem> }
  | { readonly limit: "checkTime" }

export type Check = (
  code: string,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  milliseconds: number
) => Effect.Effect<Checked>

/** The compiler calls itself for each level, also of a sum of thousands. */
const tooDeep: Checked = {
  problems: [{ line: 1, column: 1, message: "The program nests too deeply, or has too long an expression" }]
}

export const makeCheck: Effect.Effect<Check, never, Scope.Scope> = Effect.gen(function* () {
  const threads = yield* makeThreads("checker")
  const turn = yield* Effect.makeSemaphore(1)
  const texts = new WeakMap<ReadonlyArray<ToolDefinition.ToolDefinition>, string>()
  const declarationsOf = (definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): string => {
    const text = texts.get(definitions) ?? render(definitions, "types") + surroundings
    texts.set(definitions, text)
    return text
  }
  return (code, definitions, milliseconds) =>
    Effect.flatMap(threads.take, (thread) =>
      thread.ask({ code, declarations: declarationsOf(definitions) }, milliseconds)
    ).pipe(
      Effect.scoped,
      turn.withPermits(1),
      // The thread is `runtime/checker.mjs`.
      Effect.map((answer) => answer as Checked),
      Effect.catchAll((broken) => Effect.succeed<Checked>(broken === "stack" ? tooDeep : { limit: "checkTime" }))
    )
})
