/** How a command ends before it is done: a message for the person, and the exit code. */
import * as Data from "effect/Data"
import { codes, type ExitCode } from "../ExitCode.js"

export class Refused extends Data.TaggedError("Refused")<{ readonly message: string; readonly code: ExitCode }> {
  static readonly usage = (message: string): Refused => new Refused({ message, code: codes.usage })
  static readonly failed = (message: string): Refused => new Refused({ message, code: codes.failed })
  static readonly unusable = (message: string): Refused => new Refused({ message, code: codes.unusable })
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A text as one word of a shell. */
export const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
