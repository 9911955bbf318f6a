/**
 * A text or object that is no OpenAPI specification.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What was given is no OpenAPI specification, or none that can be read. What is
 * wrong with single operations is no error, but one of the problems.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidOpenApi extends Schema.TaggedError<InvalidOpenApi>("@wield/manifest/InvalidOpenApi")(
  "InvalidOpenApi",
  {
    /** What is wrong with it, and what was expected. */
    problem: Schema.String
  }
) {
  override get message(): string {
    return `This is no OpenAPI specification: ${this.problem}`
  }
}
