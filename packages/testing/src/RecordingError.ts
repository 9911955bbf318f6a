/** The errors of recordings. */
import * as Schema from "effect/Schema"

const howToRecord = "run the test with WIELD_RECORD=record (and without CI in the environment)"

/**
 * There is no recording, and the mode does not allow to make one.
 *
 * @category errors
 */
export class RecordingNotFound extends Schema.TaggedError<RecordingNotFound>("@wield/testing/RecordingNotFound")(
  "RecordingNotFound",
  { file: Schema.String }
) {
  override get message(): string {
    return `There is no recording ${this.file}. To make it, ${howToRecord}`
  }
}

/**
 * The file is not a recording.
 *
 * @category errors
 */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>("@wield/testing/RecordingInvalid")(
  "RecordingInvalid",
  {
    file: Schema.String,
    /** The place of the error, and what was expected there. */
    detail: Schema.String
  }
) {
  override get message(): string {
    return `${this.file} is not a recording: ${this.detail}. Correct it, or ${howToRecord}`
  }
}

/**
 * The recording cannot be read or written, or it would contain a secret.
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
 * A request is not in the recording. It is a defect, so that no retry hides it.
 *
 * @category errors
 */
export class RecordingMismatch extends Schema.TaggedError<RecordingMismatch>("@wield/testing/RecordingMismatch")(
  "RecordingMismatch",
  {
    file: Schema.String,
    /** Method and address of the request, secrets removed. */
    request: Schema.String,
    /** The number of the request, from 1. */
    number: Schema.Number,
    /** The first difference to the nearest exchange, or that none is left. */
    difference: Schema.String
  }
) {
  override get message(): string {
    return `Request ${this.number} (${this.request}) is not in the recording ${this.file}: ${this.difference}. If the request is right, ${howToRecord}`
  }
}

/**
 * Exchanges of the recording were not used.
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
    return `${this.left.length} exchanges of the recording ${this.file} were not used (the first: ${this.left[0] ?? "none"}). Find out why, or ${howToRecord}`
  }
}

/**
 * Every reason for which there is no recording to replay.
 *
 * @category errors
 */
export type RecordingError = RecordingNotFound | RecordingInvalid | RecordingFailed
