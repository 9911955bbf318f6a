/**
 * A program that serves calls of scripts in one language: the interpreter, what
 * it is started with, and how a call is encoded for it. `runtime/README.md` has the
 * protocol.
 */
import type { Json } from "@wield/core"
import type * as Either from "effect/Either"
import type { Language, ScriptFunction } from "../Script.js"

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
  readonly language: Language
  /** Absolute path of the interpreter. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  readonly mode: Mode
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

/** What a program says on descriptor 4, a line of JSON each. */
export type Reply =
  /** The next call may be sent; `pid` leads the process group in which it will run. */
  | { readonly type: "ready"; readonly pid: number }
  /** The script cannot be loaded; the program serves its other scripts. */
  | { readonly type: "failed"; readonly file: string; readonly error: string; readonly detail: string }
  | Answer

/** How a call ended, as the program knows it. `isMarked`: the marker was printed on both streams. */
export type Answer = (
  | { readonly type: "value"; readonly value: Json.Json }
  /** A text was returned: JSON when it parses. */
  | { readonly type: "text"; readonly text: string }
  /** Nothing was returned: the result is what stands in the file `LLM_OUTPUT`, where there is one. */
  | { readonly type: "none" }
  | { readonly type: "raised"; readonly error: string; readonly detail: string }
  /** What was returned cannot be said in JSON. */
  | { readonly type: "unreadable"; readonly detail: string }
  /** An argument cannot be made what the function's annotation asks for. */
  | { readonly type: "argument"; readonly detail: string }
  /** The process that ran the call ended before it had answered. */
  | { readonly type: "exited"; readonly code: number | null; readonly signal: string | null }
) & {
  readonly isMarked: boolean
  /** Whether all that was printed was read when it answered. */
  readonly isRead?: boolean
  /** Why the program must not be used again; absent where it may. */
  readonly retire?: string
}
