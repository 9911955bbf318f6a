/** How an edit can fail. A model reads the fields, which tell no path outside of the roots; nothing was written. */
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { adviceField, quote } from "./store/advice.js"

const refusals = {
  UnknownRoot: "its folder does not begin with the name of a root",
  NotRelative: "the path must be relative",
  Outside: 'the path must not have ".." in it',
  InvalidName: "the path has a part that can be no name of a file",
  Protected: "the folders of git are not edited",
  NotAllowed: "the application does not allow it",
  NoSuchFolder: "there is no such folder",
  SymbolicLink: "a symbolic link stands in the path",
  NotAFile: "it is not a regular file",
  ReadOnly: "it may not be written",
  NotText: "it is not text in UTF-8",
  TooLarge: "it is too large"
} as const

/** One of the names of a table of reasons. */
const reasonOf = <Name extends string>(reasons: { readonly [reason in Name]: string }) =>
  Schema.Literal(...Struct.keys(reasons))

/**
 * The file may not be edited, whatever the edit.
 *
 * @category errors
 */
export class FileRefused extends Schema.TaggedError<FileRefused>("@wield/assistant/FileRefused")("FileRefused", {
  /** As it was asked for: the folder, then the name. */
  file: Schema.String,
  reason: reasonOf(refusals),
  /** What may be edited instead. */
  allowed: Schema.String,
  advice: adviceField("Nothing was written. Ask for what is allowed, or tell the user; the same will be refused again")
}) {
  override get message(): string {
    return `${quote(this.file)} is not edited: ${refusals[this.reason]}. Allowed: ${this.allowed}. ${this.advice}`
  }
}

/**
 * The file on disk is not the one that the edit was made for: another has written it.
 *
 * @category errors
 */
export class FileChanged extends Schema.TaggedError<FileChanged>("@wield/assistant/FileChanged")("FileChanged", {
  file: Schema.String,
  advice: adviceField(
    "Another program or person has changed the file since it was read, and nothing was written. Ask for the edit again"
  )
}) {
  override get message(): string {
    return `${quote(this.file)} was not edited. ${this.advice}`
  }
}

/**
 * The file system refused to read or write.
 *
 * @category errors
 */
export class FileFailed extends Schema.TaggedError<FileFailed>("@wield/assistant/FileFailed")("FileFailed", {
  file: Schema.String,
  operation: Schema.Literal("open", "read", "write"),
  /** The system's code, such as `EACCES` or `ENOSPC`. */
  code: Schema.String,
  advice: adviceField("The system refused this, and will refuse it again until a person changes that. Tell the user")
}) {
  override get message(): string {
    return `${quote(this.file)} could not be edited: ${this.operation} failed with ${this.code}. ${this.advice}`
  }
}

/**
 * No answer of the language model could be applied.
 *
 * @category errors
 */
export class EditRejected extends Schema.TaggedError<EditRejected>("@wield/assistant/EditRejected")("EditRejected", {
  file: Schema.String,
  /** How many answers were tried. */
  attempts: Schema.Int,
  /** What was wrong with the last answer. */
  problems: Schema.Array(Schema.String),
  advice: adviceField("Nothing was written. Give a more exact instruction, or a smaller one")
}) {
  override get message(): string {
    const tried = this.attempts === 1 ? "One answer" : `${this.attempts} answers`
    return `${tried} of the language model did not fit ${quote(this.file)}. ${this.advice}. In the last answer: ${this.problems.join("; ")}`
  }
}

/**
 * The language model says that the edit cannot be made, or need not be.
 *
 * @category errors
 */
export class EditDeclined extends Schema.TaggedError<EditDeclined>("@wield/assistant/EditDeclined")("EditDeclined", {
  file: Schema.String,
  /** In the words of the language model, which has read the file. */
  reason: Schema.String,
  advice: adviceField(
    "Nothing was written. If the reason is wrong, say in the instruction what is known; else go on without"
  )
}) {
  override get message(): string {
    return `${quote(this.file)} was not edited. The language model that was asked to says: ${this.reason}. ${this.advice}`
  }
}

/**
 * The language model that makes edits gave no answer.
 *
 * @category errors
 */
export class CodingModelFailed extends Schema.TaggedError<CodingModelFailed>("@wield/assistant/CodingModelFailed")(
  "CodingModelFailed",
  {
    file: Schema.String,
    advice: adviceField("The language model that makes edits gave no answer. Try again later, or tell the user")
  }
) {
  override get message(): string {
    return `${quote(this.file)} was not edited. ${this.advice}`
  }
}

const gone = {
  Forgotten:
    "the difference that was approved is no longer in memory: the program was started again, or many others were shown since",
  Made: "the edit that was approved has been made already, once",
  NotShown: "what was approved is no difference that was shown",
  OtherArguments: "the arguments were changed when it was approved, and the difference that was shown is not theirs"
} as const

/**
 * What was approved cannot be made: it is not there any more, or is of something else.
 *
 * @category errors
 */
export class PreviewGone extends Schema.TaggedError<PreviewGone>("@wield/assistant/PreviewGone")("PreviewGone", {
  /** As it was asked for: the folder, then the name. */
  file: Schema.String,
  reason: reasonOf(gone),
  advice: adviceField(
    "Nothing was written by this approval. If the edit is still wanted, ask for it again: its difference is shown again"
  )
}) {
  override get message(): string {
    return `${quote(this.file)} was not edited: ${gone[this.reason]}. ${this.advice}`
  }
}

/**
 * Every way in which an edit can fail.
 *
 * @category errors
 */
export const EditFailure = Schema.Union(
  FileRefused,
  FileChanged,
  FileFailed,
  EditRejected,
  EditDeclined,
  CodingModelFailed,
  PreviewGone
)
export type EditFailure = typeof EditFailure.Type

/**
 * A root that was configured is no folder. It is the application's mistake.
 *
 * @category errors
 */
export class InvalidRoot extends Schema.TaggedError<InvalidRoot>("@wield/assistant/InvalidRoot")("InvalidRoot", {
  name: Schema.String,
  path: Schema.String,
  expected: Schema.String
}) {
  override get message(): string {
    return `The root ${quote(this.name)} at ${quote(this.path)} cannot be used: it must be ${this.expected}`
  }
}
