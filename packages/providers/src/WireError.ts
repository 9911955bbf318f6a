/** A body that is not what its wire format says it should be. */
import * as Schema from "effect/Schema"

/**
 * A response, request or stream that could not be decoded: which format, where
 * in the body, what was expected there, what was found.
 *
 * @category errors
 */
export class WireError extends Schema.TaggedError<WireError>("@wield/providers/WireError")("WireError", {
  /** Name of the wire format, such as `anthropic`. */
  format: Schema.String,
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  expected: Schema.String,
  /** A bounded rendering of what was found. */
  received: Schema.String
}) {
  override get message(): string {
    const place = this.path.length === 0 ? "the body" : this.path.join(".")
    return `Not valid ${this.format} JSON: at ${place} expected ${this.expected}, received ${this.received}`
  }
}
