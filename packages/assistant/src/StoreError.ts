/** How the assistant's store can fail. */
import * as Schema from "effect/Schema"

/**
 * The database refused, is locked, or holds what cannot be read: a fault of the application, a defect in toolkits.
 *
 * @category errors
 */
export class StoreError extends Schema.TaggedError<StoreError>("@wield/assistant/StoreError")("StoreError", {
  /** What was to be done, such as `create goal`. */
  operation: Schema.String,
  detail: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `The assistant's store failed to ${this.operation}: ${this.detail}`
  }
}
