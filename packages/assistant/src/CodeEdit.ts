/** What is asked of an edit, what it has done, and what it would do. */
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { EditFailure } from "./CodeError.js"

/**
 * What is asked for.
 *
 * @category models
 */
export const Request = Schema.Struct({
  /** The name of a root, or that and a folder below it, such as `app/src`. */
  workingDir: Schema.String,
  /** Relative to the folder. */
  fileName: Schema.String,
  instruction: Schema.String
})
export type Request = typeof Request.Type

/**
 * What an edit has done.
 *
 * @category models
 */
export const Edit = Schema.Struct({
  /** The name of the root and the path below it. */
  file: Schema.String,
  /** A unified diff; `git apply` in the folder of the root's name takes it. */
  diff: Schema.String,
  /** Lines that the diff adds. */
  added: Schema.Int,
  /** Lines that the diff removes. */
  removed: Schema.Int,
  /** Whether there was no such file before. */
  created: Schema.Boolean,
  /** How many answers of the language model it took. */
  attempts: Schema.Int
})
export type Edit = typeof Edit.Type

/**
 * What an edit would do, with the text of the file: to be kept, shown, and made by `CodeEditor.apply`.
 *
 * @category models
 */
export class Preview extends Schema.Class<Preview>("@wield/assistant/CodeEdit/Preview")({
  request: Request,
  edit: Edit,
  /** SHA-256 of the file that the edit is for, hexadecimal; `null` before there is one. */
  before: Schema.NullOr(Schema.String),
  /** All of the text that the file would have. */
  after: Schema.String
}) {}

/**
 * An edit as it is shown to a person who is to approve it.
 *
 * @category models
 */
export interface Shown {
  /** Stands for this difference, shown this once: what an approval of it names. */
  readonly subject: string
  /** What would be done, or why nothing can be. */
  readonly preview: Either.Either<Preview, EditFailure>
}
