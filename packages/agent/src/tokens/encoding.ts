/**
 * OpenAI's tokenizers, loaded when first used: each is one to two megabytes.
 */
import type { Encoding } from "../Tokens.js"

interface Tokenizer {
  readonly countTokens: (text: string, options: { readonly disallowedSpecial: Set<string> }) => number
}

const load = (encoding: Encoding): Promise<Tokenizer> =>
  encoding === "o200k_base" ? import("gpt-tokenizer/encoding/o200k_base") : import("gpt-tokenizer/encoding/cl100k_base")

/** Counts the tokens of texts. */
export const loadEncoding = async (encoding: Encoding): Promise<(text: string) => number> => {
  const tokenizer = await load(encoding)
  // What looks like a special token is text in a message: the API takes it so, and the library would throw.
  const options = { disallowedSpecial: new Set<string>() }
  return (text) => {
    let tokens = 0
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start)
      tokens += tokenizer.countTokens(text.slice(start, end), options)
      start = end
    }
    return tokens
  }
}

/**
 * The library takes time that grows with the square of an unbroken run: 8 s for
 * 50,000 Chinese characters without punctuation. So a text goes to it in pieces
 * of at most this many UTF-16 units.
 */
const longest = 512

/**
 * A piece ends before a space, where both encodings begin a new token anyway.
 * Where there is none, a cut costs a token at most.
 */
const pieceEnd = (text: string, start: number): number => {
  const limit = start + longest
  if (limit >= text.length) return text.length
  for (let end = limit; end > start; end--) {
    if (text[end] === " " && !isSpace.test(text[end - 1] ?? " ")) return end
  }
  // Not between the halves of a pair.
  const last = text.charCodeAt(limit - 1)
  return last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit
}

const isSpace = /\s/
