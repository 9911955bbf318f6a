/**
 * Runs scripts: starts their interpreters, keeps them warm, bounds what they
 * may take and ends all that they have started.
 *
 * @since 0.1.0
 */
import type { Json } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { ExecutionError } from "./ExecutionError.js"
import type { Problem } from "./Problem.js"
import type { Script, ScriptFunction } from "./Script.js"

/**
 * A function file as it was read: what runs is its text.
 *
 * @since 0.1.0
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
 * @since 0.1.0
 * @category models
 */
export interface ScriptExecutor {
  /**
   * Calls a function with arguments that its input schema has accepted, and
   * gives its result: a JSON value. What the script prints meanwhile is told as
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
