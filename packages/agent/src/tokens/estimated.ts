/**
 * An estimate of the tokens of a text, from the runs of which it consists. A
 * tokenizer knows the words of its language as one token, and takes what it
 * does not know to pieces; so does this, with a length at which a run of one
 * kind is taken to pieces. The lengths are such that the texts of the test come
 * out high with o200k_base, and never much higher than with cl100k_base.
 */

/** Kinds of characters; a run is of one kind. */
const Lower = 0
const Upper = 1
const Digit = 2
const Space = 3
const Newline = 4
const Sign = 5
const Other = 6

const ascii: ReadonlyArray<number> = Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return Lower
  if (code >= 65 && code <= 90) return Upper
  if (code >= 48 && code <= 57) return Digit
  if (code === 10 || code === 13) return Newline
  return code <= 32 ? Space : Sign
})

export const estimateTokens = (text: string): number => {
  let tokens = 0
  let index = 0
  while (index < text.length) {
    const kind = kindOf(text.charCodeAt(index))
    if (kind === Other) tokens += weightOf(text.charCodeAt(index++))
    else if (kind <= Digit) {
      const end = endOfWord(text, index)
      tokens += wordTokens(text, index, end)
      index = end
    } else {
      const end = endOfRun(text, index, text.length)
      tokens += runTokens(kind, end - index)
      index = end
    }
  }
  return Math.ceil(tokens)
}

const kindOf = (code: number): number => ascii[code] ?? Other

const endOfRun = (text: string, start: number, limit: number): number => {
  const kind = kindOf(text.charCodeAt(start))
  let end = start + 1
  while (end < limit && kindOf(text.charCodeAt(end)) === kind) end++
  return end
}

/** A word: letters and digits of ASCII without anything between. */
const endOfWord = (text: string, start: number): number => {
  let end = start + 1
  while (end < text.length && kindOf(text.charCodeAt(end)) <= Digit) end++
  return end
}

/** The shortest word with digits that is taken for no word but an id, a hash or base64. */
const shortestRandom = 16

const wordTokens = (text: string, start: number, end: number): number => {
  let tokens = 0
  let hasDigit = false
  let isMixed = false
  for (let index = start; index < end;) {
    const kind = kindOf(text.charCodeAt(index))
    let next = endOfRun(text, index, end)
    // The last of several capitals belongs to the small letters after it: `HTTPServer` is HTTP and Server.
    const isCapitalised = kind === Upper && next < end && kindOf(text.charCodeAt(next)) === Lower
    if (isCapitalised) {
      isMixed = true
      if (next - index > 1) tokens += runTokens(Upper, next - index - 1)
      const afterCapital = next
      next = endOfRun(text, next, end)
      tokens += capitalisedTokens(next - afterCapital + 1)
    } else tokens += runTokens(kind, next - index)
    if (kind === Digit) hasDigit = true
    index = next
  }
  return hasDigit && end - start >= shortestRandom ? Math.max(tokens, (end - start) * (isMixed ? 0.78 : 0.64)) : tokens
}

/** A word that begins with a capital is often a name, and names are less often known. */
const capitalisedTokens = (length: number): number => (length <= 4 ? 1 : 1 + (length - 4) * 0.3)

/** Tokens of a run of one kind. */
const runTokens = (kind: number, length: number): number => {
  switch (kind) {
    case Lower:
      // Short words are one token; long ones may be several.
      return length <= 4 ? 1 : 1 + (length - 4) * 0.22
    case Upper:
      return length <= 3 ? 1 : 1 + (length - 3) * 0.35
    case Digit:
      return Math.ceil(length / 3)
    case Space:
      // One space is part of the word after it.
      return length === 1 ? 0 : 1 + length / 64
    case Newline:
      return 1
    default:
      return length === 1 ? 1 : 1 + (length - 2) * 0.35
  }
}

/**
 * Tokens of one UTF-16 unit beyond ASCII, by its script: up to the code, so
 * many. Measured with o200k_base; older tokenizers take up to four times as
 * many for the scripts of South Asia, Armenian and Georgian.
 */
const weights: ReadonlyArray<readonly [below: number, tokens: number]> = [
  [0x0250, 0.85], // Latin with marks, which take a word to pieces
  [0x0370, 1.1],
  [0x0400, 0.65], // Greek
  [0x0530, 0.42], // Cyrillic
  [0x0590, 0.55], // Armenian
  [0x0600, 0.55], // Hebrew
  [0x0780, 0.42], // Arabic
  [0x0e00, 0.6], // Devanagari to Malayalam
  [0x1000, 0.65], // Thai, Lao, Tibetan
  [0x10a0, 0.8], // Burmese
  [0x1100, 0.55], // Georgian
  [0x1780, 2.3], // Ethiopic, Cherokee
  [0x1800, 0.9], // Khmer
  [0x2010, 1.8],
  [0x2030, 0.9], // dashes and quotation marks
  [0x2e80, 1.9], // arrows, signs, boxes
  [0x3040, 0.9], // punctuation of Chinese and Japanese
  [0x3100, 0.85], // kana
  [0xac00, 1.05], // Chinese characters
  [0xd7b0, 0.85], // Hangul
  [0xd800, 1.5],
  [0xe000, 1.4], // half of a pair: emoji, rare characters
  [0x10000, 1.1]
]

const weightOf = (code: number): number => {
  for (const [below, tokens] of weights) if (code < below) return tokens
  return 1
}
