/** What can be wrong with recorded exchanges. */
import * as Schema from "effect/Schema"

const howToRecord = "run the test with WIELD_RECORD=record (and without CI in the environment)"

/**
 * There is no recording, and none may be made.
 *
 * @category errors
 */
export class RecordingNotFound extends Schema.TaggedError<RecordingNotFound>("@wield/testing/RecordingNotFound")(
  "RecordingNotFound",
  { file: Schema.String }
) {
  override get message(): string {
    return `There is no recording ${this.file}: ${howToRecord} to make it`
  }
}

/**
 * The file is no recording.
 *
 * @category errors
 */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>("@wield/testing/RecordingInvalid")(
  "RecordingInvalid",
  {
    file: Schema.String,
    /** Where it is wrong, and what was expected there. */
    detail: Schema.String
  }
) {
  override get message(): string {
    return `${this.file} is no recording: ${this.detail}; mend it, or ${howToRecord}`
  }
}

/**
 * The recording cannot be read or written, or a secret would stand in it.
 *
 * @category errors
 */
export class RecordingFailed extends Schema.TaggedError<RecordingFailed>("@wield/testing/RecordingFailed")(
  "RecordingFailed",
  { file: Schema.String, detail: Schema.String }
) {
  override get message(): string {
    return `The recording ${this.file} failed: ${this.detail}`
  }
}

/**
 * A request is none of those recorded. It is a defect: code that sends failed
 * requests again cannot hide it.
 *
 * @category errors
 */
export class RecordingMismatch extends Schema.TaggedError<RecordingMismatch>("@wield/testing/RecordingMismatch")(
  "RecordingMismatch",
  {
    file: Schema.String,
    /** Method and address of the request, secrets removed. */
    request: Schema.String,
    /** Which request it was, from 1. */
    number: Schema.Number,
    /** The first difference to the nearest exchange, by its path in the request; or that none is left. */
    difference: Schema.String
  }
) {
  override get message(): string {
    return `Request ${this.number} (${this.request}) is not in the recording ${this.file}: ${this.difference}. If the request is meant to be so, ${howToRecord}`
  }
}

/**
 * Exchanges of the recording were not asked for.
 *
 * @category errors
 */
export class RecordingUnused extends Schema.TaggedError<RecordingUnused>("@wield/testing/RecordingUnused")(
  "RecordingUnused",
  {
    file: Schema.String,
    /** Method and address of each. */
    left: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    return `${this.left.length} exchanges of the recording ${this.file} were not asked for (the first: ${this.left[0] ?? "none"}): find out why, or ${howToRecord}`
  }
}

/**
 * Why there is no recording to replay.
 *
 * @category errors
 */
export type RecordingError = RecordingNotFound | RecordingInvalid | RecordingFailed
