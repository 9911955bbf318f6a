/**
 * Bytes as text with one character a byte, in which secrets are looked for
 * whatever the bytes mean, and as a file of JSON can hold them.
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import type { Piece } from "./exchange.js"

export const toBinary = (bytes: Uint8Array): string => {
  let text = ""
  for (let start = 0; start < bytes.length; start += 8192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8192))
  }
  return text
}

export const fromBinary = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Text where the bytes are UTF-8, so that people can read the file; what a piece cuts in two is not. */
export const toPiece = (bytes: Uint8Array): Piece =>
  Either.match(textOf(bytes), {
    onLeft: () => ({ base64: Encoding.encodeBase64(bytes) }),
    onRight: (text) => ({ text })
  })

export const textOf = (bytes: Uint8Array): Either.Either<string, unknown> =>
  Either.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))

/** Left: the file says something that is no Base64. */
export const fromPiece = (piece: Piece): Either.Either<Uint8Array, Encoding.DecodeException> =>
  "text" in piece ? Either.right(utf8(piece.text)) : Encoding.decodeBase64(piece.base64)

export const jsonOf = (text: string): Either.Either<unknown, unknown> => Either.try(() => JSON.parse(text) as unknown)
