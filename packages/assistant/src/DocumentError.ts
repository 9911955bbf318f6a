/**
 * How documents can fail. Models read the messages of what they look for,
 * people those of what is ingested.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * No document of this address was ingested.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { DocumentError } from "@wield/assistant"
 *
 * assert.strictEqual(
 *   new DocumentError.DocumentNotFound({ address: "a.md", known: ["b.md"] }).message,
 *   `No document at "a.md" has been ingested. Use one of these addresses: "b.md"`
 * )
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export class DocumentNotFound extends Schema.TaggedError<DocumentNotFound>("@wield/assistant/DocumentNotFound")(
  "DocumentNotFound",
  {
    address: Schema.String,
    /** The addresses of the user's documents, at most 50, those that were ingested last first. */
    known: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    const known =
      this.known.length === 0
        ? "No documents have been ingested yet"
        : `Use one of these addresses: ${this.known.map(quoted).join(", ")}`
    return `No document at ${quoted(this.address)} has been ingested. ${known}`
  }
}

/**
 * A document has no excerpt of this index.
 *
 * @since 0.1.0
 * @category errors
 */
export class ExcerptNotFound extends Schema.TaggedError<ExcerptNotFound>("@wield/assistant/ExcerptNotFound")(
  "ExcerptNotFound",
  {
    address: Schema.String,
    chunk_index: Schema.Int,
    /** The indices there are, from the first to the last. */
    first: Schema.Int,
    last: Schema.Int
  }
) {
  override get message(): string {
    const there =
      this.first === this.last ? `Its only index is ${this.first}` : `Use one of ${this.first} to ${this.last}`
    return `The document at ${quoted(this.address)} has no excerpt ${this.chunk_index}. ${there}`
  }
}

/**
 * An address must name a document.
 *
 * @since 0.1.0
 * @category errors
 */
export class InvalidAddress extends Schema.TaggedError<InvalidAddress>("@wield/assistant/InvalidAddress")(
  "InvalidAddress",
  { address: Schema.String, expected: Schema.String }
) {
  override get message(): string {
    return `The address of a document must be ${this.expected}, but is ${quoted(this.address.slice(0, 100))}`
  }
}

/**
 * A document is larger than is taken.
 *
 * @since 0.1.0
 * @category errors
 */
export class TooLarge extends Schema.TaggedError<TooLarge>("@wield/assistant/TooLarge")("TooLarge", {
  address: Schema.String,
  /** As far as it was read: at least so many. */
  bytes: Schema.Int,
  /** In bytes. */
  limit: Schema.Int
}) {
  override get message(): string {
    return `The document at ${quoted(this.address)} has ${this.bytes} bytes or more, and at most ${this.limit} are taken. Ingest a part of it`
  }
}

/**
 * A document is of a type that is not read, or not what its type says.
 *
 * @since 0.1.0
 * @category errors
 */
export class NotReadable extends Schema.TaggedError<NotReadable>("@wield/assistant/NotReadable")("NotReadable", {
  address: Schema.String,
  /** What it was taken for, such as `application/pdf`. */
  mediaType: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `The document at ${quoted(this.address)} cannot be read as ${this.mediaType}: ${this.detail}`
  }
}

/**
 * A file lies, or a link leads, outside of the folder that documents are read from.
 *
 * @since 0.1.0
 * @category errors
 */
export class OutsideRoot extends Schema.TaggedError<OutsideRoot>("@wield/assistant/OutsideRoot")("OutsideRoot", {
  address: Schema.String
}) {
  override get message(): string {
    return `${quoted(this.address)} lies outside of the folder that documents are read from. Copy the file into it`
  }
}

/**
 * There is no file of this name.
 *
 * @since 0.1.0
 * @category errors
 */
export class FileNotFound extends Schema.TaggedError<FileNotFound>("@wield/assistant/FileNotFound")("FileNotFound", {
  address: Schema.String
}) {
  override get message(): string {
    return `There is no file ${quoted(this.address)} in the folder that documents are read from. Give its path within that folder`
  }
}

const quoted = (text: string): string => JSON.stringify(text)
