/**
 * Runs scripts: starts their interpreters, keeps them warm, bounds what they
 * may take and ends all that they have started.
 */
import type { Json } from "@wield/core"
import type { Effect, Scope } from "effect"
import type { ExecutionError } from "./ExecutionError.js"
import type { ExecutionOptions } from "./ExecutionOptions.js"
import type { Problem } from "@wield/core/Problem"
import type { Script, ScriptFunction } from "./Script.js"
import { makeExecutor } from "./worker/executor.js"

/**
 * A function file as it was read: what runs is its text.
 *
 * @category models
 */
export interface FunctionFileText {
  readonly file: string
  readonly text: string
}

/**
 * Runs the functions of scripts. It has the interpreters it started: they end
 * with the scope it was made in.
 *
 * @category models
 */
export interface ScriptExecutor {
  /**
   * Calls a function with arguments that its input schema has accepted, and
   * gives its result: a JSON value. What the script prints meanwhile is reported as
   * progress of the current call. Interruption kills what the call has started.
   *
   * What runs is `script.text`, whatever the file holds by now; an interpreter
   * that has loaded another text of the file does not serve this call.
   */
  readonly run: (
    script: Script,
    scriptFunction: ScriptFunction,
    parameters: Json.JsonObject
  ) => Effect.Effect<Json.Json, ExecutionError>
  /** Calls `execute(name, arguments, config)` of a function file, which is loaded once and keeps its state. */
  readonly runFunctionFile: (
    file: FunctionFileText,
    name: string,
    parameters: Json.JsonObject,
    config: Json.Json
  ) => Effect.Effect<Json.Json, ExecutionError>
  /** What keeps a script from being run on this machine: an interpreter, a tool, a variable that is missing. */
  readonly check: (script: Script) => Effect.Effect<ReadonlyArray<Problem>>
  /** Ends the interpreters of a file that has changed or is gone, each when its call is over. */
  readonly forget: (file: string) => Effect.Effect<void>
}

/**
 * Makes an executor. It starts nothing until it is called; the end of its scope
 * kills all that it and its scripts have started, and removes its temporary
 * files.
 *
 * A script is run by the interpreter that its first line names (`env`, `env -S`
 * and variables before the command are understood), by that of the `.venv` of
 * its folder (also where its first line asks `env` for any `python3`), or by
 * `options.interpreters`.
 *
 * A text that a script returns, writes to `LLM_OUTPUT`, or, in Bash, prints, is
 * JSON where nothing is lost by reading it so: objects and lists always, `5`,
 * `true` and `null` too, but `5.0` stays a text. Ends of the last line are left
 * out of what is written or printed. Nothing at all is null.
 *
 * Of a variable that both the program and the `.env` of a folder have, the
 * program's value wins if scripts may see it (`options.environment.pass`); a
 * file that names another variable of the program gives its own value.
 *
 * On Linux, all that a script starts is found and killed, unless it left its
 * session and cleared its environment; elsewhere, what left its process group
 * is not found.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Introspection, ScriptExecutor } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const text = "/** Greets.\n * @param {string} name *\/\nexport function run(name) { return `Hello, ${name}` }"
 *
 * const program = Effect.gen(function* () {
 *   const { introspect } = yield* Introspection.make
 *   const script = yield* introspect({ file: "greet.js", text })
 *   const executor = yield* ScriptExecutor.make({ limits: { time: "10 seconds" }, cache: "node_modules/.cache/tools" })
 *   return yield* Effect.forEach(script.functions, (greet) => executor.run(script, greet, { name: "Ada" }))
 * })
 *
 * void Effect.runPromise(Effect.scoped(program)).then(([greeting]) => assert.strictEqual(greeting, "Hello, Ada"))
 * ```
 *
 * @category constructors
 */
export const make: (options?: ExecutionOptions) => Effect.Effect<ScriptExecutor, never, Scope.Scope> = (options = {}) =>
  makeExecutor(options)
