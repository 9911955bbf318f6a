/** What goes wrong with code mode: with how it is set up, and with a program. */
import * as Schema from "effect/Schema"

/**
 * An option has a name or a value that means nothing.
 *
 * @category errors
 */
export class InvalidOption extends Schema.TaggedError<InvalidOption>("@wield/code-mode/InvalidOption")(
  "InvalidOption",
  {
    /** Where in the options, such as `["limits", "time"]`. */
    path: Schema.Array(Schema.String),
    expected: Schema.String,
    received: Schema.String
  }
) {
  override get message(): string {
    return `${this.path.join(".") || "The options"} of code mode must be ${this.expected}, but is ${this.received}`
  }
}

/**
 * A place in a program where its types are wrong.
 *
 * @category models
 */
export interface ProgramProblem {
  /** The program's own lines and columns, from 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/**
 * Why a program came to no result, as the model reads it.
 *
 * @category models
 */
export interface ProgramFailure {
  readonly error: string
  /** The line of the program that threw. */
  readonly line?: number | undefined
  /** The limit that the program met. */
  readonly limit?: string | undefined
  /** How the call ended whose error the program did not catch. */
  readonly outcome?: string | undefined
  /** What the check of its types found; nothing was run. */
  readonly problems?: ReadonlyArray<ProgramProblem> | undefined
}
