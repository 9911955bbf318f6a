/**
 * A program that serves calls of scripts in one language: the interpreter, what
 * it is started with, and how a call is encoded for it. `runtime/README.md` has the
 * protocol.
 */
import type { Json } from "@wield/core"
import type { Either } from "effect"
import type { ScriptFunction } from "../Script.js"

/**
 * - `fork`: answers calls from children that were forked ahead of time, each once.
 * - `reset`: answers calls one after the other and restores what a call has changed.
 * - `keep`: answers calls one after the other; what a call leaves behind stays.
 * - `once`: answers one call.
 */
export type Mode = "fork" | "reset" | "keep" | "once"

/** A script that a program loads when it starts. */
export interface ProgramScript {
  /** Its path, from which it names itself and what it imports. */
  readonly file: string
  /** What is run, whatever the file holds by now: what was introspected and what runs are the same. */
  readonly text: string
  /** Its functions; none where it is a function file. */
  readonly functions: ReadonlyArray<ScriptFunction>
}

/** What a program is made from: the argument of `pythonProgram`, `nodeProgram` and `bashProgram`. */
export interface ProgramOptions {
  /** Absolute path of the interpreter. */
  readonly command: string
  /** What stands between the interpreter and the program: the flags of the script's first line (`-O`). */
  readonly arguments: ReadonlyArray<string>
  readonly mode: Mode
  readonly kind: "script" | "function-file"
  readonly scripts: ReadonlyArray<ProgramScript>
  /** Of function files; otherwise null. */
  readonly config: Json.Json
}

export interface Program {
  /** Absolute path of the interpreter. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  readonly mode: Mode
  /** It opens its descriptors by their paths. */
  readonly needsPipes?: boolean
  /** Written to descriptor 3 when it has started. */
  readonly load: Uint8Array
  /** What is written to descriptor 3 for a call, or why the call cannot be said to this program. */
  readonly encodeCall: (call: ProgramCall) => Either.Either<Uint8Array, string>
}

export interface ProgramCall {
  /** The path of the script. */
  readonly file: string
  /** What is called in it: `ScriptFunction.entry`. */
  readonly entry: string
  readonly arguments: Json.JsonObject
  /** Set for this call beside the environment that the program was started with. */
  readonly environment: { readonly [name: string]: string }
  /** Printed on both streams when all that the call wrote has been written: a line of its own. */
  readonly marker: string
}

export interface Request {
  /** A call but for its marker, which the worker makes. */
  readonly call: Omit<ProgramCall, "marker">
  /** Bytes that each stream, and an answer, may have. */
  readonly output: number
  /** Whether standard output may be the result and all of it is kept. */
  readonly isOutputKept: boolean
}

/** A message of one line of JSON, as the programs of Python and Node read them. */
export const lineOf = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value)}\n`, "utf8")
