/** A JSON Schema from outside could not be made into a validator. */
import * as Schema from "effect/Schema"
import { pathToText } from "./Issue.js"

/**
 * What kind of mistake it is:
 *
 * - `Malformed`: a keyword has a value that no dialect gives a meaning.
 * - `UnknownReference`: a `$ref` points at nothing in the document.
 * - `ExternalReference`: a `$ref` leads out of the document. Nothing is ever fetched; give the other document in `documents`.
 * - `EndlessRecursion`: the schema refers to itself without a value in between.
 * - `UnsafePattern`: a regular expression that can take exponential time and has no linear form.
 * - `TooLarge`: more subschemas, or deeper nesting, than are accepted.
 * - `Unsupported`: the validator behind this module refuses the schema for a reason of its own.
 *
 * @category models
 */
export const SchemaMistake = Schema.Literal(
  "Malformed",
  "UnknownReference",
  "ExternalReference",
  "EndlessRecursion",
  "UnsafePattern",
  "TooLarge",
  "Unsupported"
)
export type SchemaMistake = typeof SchemaMistake.Type

/**
 * A JSON Schema from outside could not be made into a validator.
 *
 * @category errors
 */
export class InvalidJsonSchema extends Schema.TaggedError<InvalidJsonSchema>("@wield/core/InvalidJsonSchema")(
  "InvalidJsonSchema",
  {
    kind: SchemaMistake,
    /** Where in the schema; empty for its root, or where it is not known. */
    path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
    /** What is wrong there, and what to do about it. */
    problem: Schema.String
  }
) {
  override get message(): string {
    return `${this.path.length === 0 ? "the schema" : pathToText(this.path)}: ${this.problem}`
  }
}
