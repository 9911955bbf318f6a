/** How documents can fail. A program reads the messages; a model and a person read the fields. */
import * as Schema from "effect/Schema"
import { adviceField, quote, tellKnown } from "./store/advice.js"

/**
 * No document of this address was ingested.
 *
 * @category errors
 */
export class DocumentNotFound extends Schema.TaggedError<DocumentNotFound>("@wield/assistant/DocumentNotFound")(
  "DocumentNotFound",
  {
    address: Schema.String,
    /** The addresses of the user's documents, at most 50, those that were ingested last first. */
    known: Schema.Array(Schema.String),
    advice: adviceField(
      "Use one of the addresses in known, exactly as it stands there. If none is meant, the user has to ingest it first"
    )
  }
) {
  override get message(): string {
    const known = tellKnown("documents", this.known)
    return `No document at ${quote(this.address)} has been ingested. ${known}. ${this.advice}`
  }
}

/**
 * A document has no excerpt of this index.
 *
 * @category errors
 */
export class ExcerptNotFound extends Schema.TaggedError<ExcerptNotFound>("@wield/assistant/ExcerptNotFound")(
  "ExcerptNotFound",
  {
    address: Schema.String,
    chunk_index: Schema.Int,
    /** The indices there are, from the first to the last. */
    first: Schema.Int,
    last: Schema.Int,
    advice: adviceField("Use an index from first to last")
  }
) {
  override get message(): string {
    const there = this.first === this.last ? `only ${this.first}` : `${this.first} to ${this.last}`
    return `The document at ${quote(this.address)} has no excerpt ${this.chunk_index}, but ${there}. ${this.advice}`
  }
}

/**
 * An address must name a document.
 *
 * @category errors
 */
export class InvalidAddress extends Schema.TaggedError<InvalidAddress>("@wield/assistant/InvalidAddress")(
  "InvalidAddress",
  {
    address: Schema.String,
    expected: Schema.String,
    advice: adviceField("Nothing was ingested. Give the address as it is expected")
  }
) {
  override get message(): string {
    return `The address of a document must be ${this.expected}, but is ${quote(this.address.slice(0, 100))}. ${this.advice}`
  }
}

/**
 * A document is larger than is taken.
 *
 * @category errors
 */
export class TooLarge extends Schema.TaggedError<TooLarge>("@wield/assistant/TooLarge")("TooLarge", {
  address: Schema.String,
  /** As far as it was read: at least so many. */
  bytes: Schema.Int,
  /** In bytes. */
  limit: Schema.Int,
  advice: adviceField("Split it, and ingest its parts")
}) {
  override get message(): string {
    return `The document at ${quote(this.address)} has ${this.bytes} bytes or more, and at most ${this.limit} are taken. ${this.advice}`
  }
}

/**
 * A document is of a type that is not read, or not what its type says.
 *
 * @category errors
 */
export class NotReadable extends Schema.TaggedError<NotReadable>("@wield/assistant/NotReadable")("NotReadable", {
  address: Schema.String,
  /** What it was taken for, such as `application/pdf`. */
  mediaType: Schema.String,
  detail: Schema.String,
  advice: adviceField("Convert it to text, Markdown, HTML or a PDF with text in it, and ingest that")
}) {
  override get message(): string {
    return `The document at ${quote(this.address)} cannot be read as ${this.mediaType}: ${this.detail}. ${this.advice}`
  }
}

/**
 * A file lies, or a link leads, outside of the folder that documents are read from.
 *
 * @category errors
 */
export class OutsideRoot extends Schema.TaggedError<OutsideRoot>("@wield/assistant/OutsideRoot")("OutsideRoot", {
  address: Schema.String,
  advice: adviceField("Copy the file into that folder, and give its path within it")
}) {
  override get message(): string {
    return `${quote(this.address)} lies outside of the folder that documents are read from. ${this.advice}`
  }
}

/**
 * There is no file of this name.
 *
 * @category errors
 */
export class FileNotFound extends Schema.TaggedError<FileNotFound>("@wield/assistant/FileNotFound")("FileNotFound", {
  address: Schema.String,
  advice: adviceField("Give the path of a file within that folder")
}) {
  override get message(): string {
    return `There is no file ${quote(this.address)} in the folder that documents are read from. ${this.advice}`
  }
}
