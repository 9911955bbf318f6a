/** Cuts a paragraph that does not fit: after its last sentence that does, otherwise its last line, word, or character. */

/**
 * Sentences and words are found by the rules of Unicode, with those of English
 * where languages differ: by the machine's language, the same text would be cut
 * otherwise elsewhere.
 */
const sentences = new Intl.Segmenter("en", { granularity: "sentence" })
const words = new Intl.Segmenter("en", { granularity: "word" })

/** Whether a sentence is over shows in what follows. */
const ahead = 100

/** In code units: a longer one is cut anywhere. */
const longestWord = 200

/** The last good place after `least` and at most `most`, in a text whose last cut was at `own`. */
export const cutWithin = (text: string, own: number, least: number, most: number): number =>
  sentenceEnd(text, own, least, most) ??
  lineEnd(text, least, most) ??
  spaceEnd(text, least, most) ??
  wordStart(text, own, least, most) ??
  most

const sentenceEnd = (text: string, own: number, least: number, most: number): number | undefined => {
  // The end of a line is not the end of a sentence.
  const window = text.slice(own, most + ahead).replace(/[\n\r\u0085\u2028\u2029]/g, " ")
  return lastWithin(sentences.segment(window), own, least, most, () => true)
}

const lineEnd = (text: string, least: number, most: number): number | undefined => {
  const end = text.lastIndexOf("\n", most - 1) + 1
  return end > least ? end : undefined
}

const spaceEnd = (text: string, least: number, most: number): number | undefined => {
  for (let at = most; at > least; at--) {
    if (/\s/.test(text.charAt(at - 1)) && !/\s/.test(text.charAt(at))) return at
  }
  return undefined
}

/** In languages that put no spaces between words; words are looked up in a dictionary, so not in the whole text. */
const wordStart = (text: string, own: number, least: number, most: number): number | undefined => {
  const from = Math.max(own, most - longestWord)
  return lastWithin(
    words.segment(text.slice(from, most + 1)),
    from,
    Math.max(least, from),
    most,
    ({ isWordLike }) => isWordLike ?? false
  )
}

const lastWithin = (
  segments: Intl.Segments,
  own: number,
  least: number,
  most: number,
  isGood: (segment: Intl.SegmentData) => boolean
): number | undefined => {
  let last: number | undefined
  for (const segment of segments) {
    const at = own + segment.index
    if (at > most) break
    if (at > least && isGood(segment)) last = at
  }
  return last
}
