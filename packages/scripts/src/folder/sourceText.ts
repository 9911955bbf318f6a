/** The text of a script from its bytes, and what of it no interpreter takes. */
import { withoutMark } from "@wield/core/JsonText"
import * as Either from "effect/Either"
import type { Language } from "../Script.js"
import type { Place, Problem } from "@wield/core/Problem"
import { fileError, fileWarning } from "./problem.js"

/** Far beyond what people write by hand; generated data belongs into a file of its own. */
export const maximalSize = 1_048_576

/** UTF-8, a byte order mark left out; fails where the bytes are not UTF-8, or far too many. */
export const textOfBytes = (file: string, bytes: Uint8Array): Either.Either<string, Problem> => {
  if (bytes.length > maximalSize) return Either.left(tooLarge(file, bytes.length))
  if (isUtf8(bytes)) return Either.right(new TextDecoder("utf-8").decode(bytes))
  // A character that is cut at the end is left out.
  const before = new TextDecoder("utf-8").decode(bytes.subarray(0, validLength(bytes)), { stream: true })
  const message = "The file is not UTF-8 from here on; save it in this encoding"
  return Either.left(fileError(file, "not-utf-8", message, { place: placeAt(before) }))
}

export const tooLarge = (file: string, size: number): Problem => {
  const message = `The file has ${size} bytes; a script has ${maximalSize} at most. Keep its data in another file`
  return fileError(file, "too-large", message)
}

/** The text as an interpreter is given it, with what had to be changed; or why it has no text. */
export const cleanText = (
  file: string,
  language: Language,
  given: string
): Either.Either<{ readonly text: string; readonly problems: ReadonlyArray<Problem> }, Problem> => {
  const text = withoutMark(given)
  if (text.trim() === "") {
    return Either.left(fileError(file, "empty-file", "The file is empty; a tool needs a function"))
  }
  const nul = text.indexOf("\0")
  if (nul !== -1) {
    const message = "A NUL character stands here, which no script may hold; is this a text file?"
    return Either.left(fileError(file, "nul-character", message, { place: placeAt(text.slice(0, nul)) }))
  }
  // Python and JavaScript read such line ends; to Bash the carriage return is part of the last word.
  if (language !== "bash" || !text.includes("\r\n")) return Either.right({ text, problems: [] })
  const message = "Lines end in CRLF, which Bash does not understand; they are read as if they ended in LF"
  return Either.right({ text: text.replaceAll("\r\n", "\n"), problems: [fileWarning(file, "crlf", message)] })
}

/** The place just after a text. */
const placeAt = (before: string): Place => {
  const lines = before.split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}

/** In a prefix, a character may be cut at the end. */
const isUtf8 = (bytes: Uint8Array, isPrefix = false): boolean =>
  Either.isRight(Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isPrefix })))

/** The decoder does not say where it failed, but it fails for every longer prefix. */
const validLength = (bytes: Uint8Array): number => {
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1
    if (isUtf8(bytes.subarray(0, middle), true)) valid = middle
    else invalid = middle
  }
  return valid
}
