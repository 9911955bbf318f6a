/**
 * A text or object that is no OpenAPI specification.
 */
import * as Schema from "effect/Schema"

/**
 * What was given is no OpenAPI specification, or none that can be read. What is
 * wrong with single operations is no error, but one of the problems.
 *
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
