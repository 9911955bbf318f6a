/** How reading a selection can fail. */
import * as Schema from "effect/Schema"

/**
 * A configuration says what no selection is.
 *
 * @category errors
 */
export class InvalidSelection extends Schema.TaggedError<InvalidSelection>("@wield/scripts/InvalidSelection")(
  "InvalidSelection",
  {
    file: Schema.String,
    /** What is wrong with each key. */
    details: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    return this.details.map((detail) => `${this.file}: ${detail}`).join("\n")
  }
}
