/**
 * Text as the stems that a search compares. Names of programs are words put together (`getWaterQuality`), so they are
 * split; scripts without spaces are read in pairs of characters. However long a text is, only its beginning is read.
 */
import { stemmer } from "stemmer"

/** No English word is longer; what is, such as an encoded file, is cut. */
const longestWord = 40

/** Words that say nothing about what a tool does, those with which people ask for something among them. */
const stopWords = new Set(
  (
    "a about above after again all also am an and any are as at be been being below between both but by can could did " +
    "do does doing down during each few find for from further get give had has have having he help her here hers him " +
    "his how i if im in into is it its ive just know let like make may me might more most my need no nor not now of " +
    "off on once one only or other our out over own per please provide same she should show so some such tell than that the their " +
    "them then there these they this those through to too under until up us use used using very via want was we were " +
    "what when where which while who whom why will with would you your yours"
  ).split(" ")
)

/** Scripts that put no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu

const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

const pairsOf = (run: string): string => {
  const characters = [...run]
  if (characters.length < 3) return ` ${run} `
  return ` ${characters
    .slice(0, -1)
    .map((character, index) => character + characters[index + 1])
    .join(" ")} `
}

const asciiWords = /[a-zA-Z0-9]+/g
const anyWords = /[\p{L}\p{N}\p{M}]+/gu
/** A word of a name: `HTTPServer2` is `HTTP`, `Server2`. */
const parts = /\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+\p{N}*|\p{N}+|\p{Lu}+/gu
const mixed = /[a-z][A-Z]|[A-Z]{2}[a-z]/

/** Stems of texts, with those of words that were seen before at hand. */
export class Stems {
  readonly #known = new Map<string, string>()

  /** The stems in the text's first `length` characters, in their order. */
  of(text: string, length: number): Array<string> {
    const read = text.length > length ? text.slice(0, length) : text
    const plain = isAscii(read)
    const normal = plain ? read : read.normalize("NFKC").slice(0, length).replace(unspaced, pairsOf)
    const stems: Array<string> = []
    for (const word of normal.match(plain ? asciiWords : anyWords) ?? []) {
      if (mixed.test(word)) for (const part of word.match(parts) ?? []) this.#take(part, stems)
      else this.#take(word, stems)
    }
    return stems
  }

  #take(word: string, stems: Array<string>): void {
    const lower = word.slice(0, longestWord).toLowerCase()
    let stem = this.#known.get(lower)
    if (stem === undefined) {
      stem = stopWords.has(lower) ? "" : stemmer(lower)
      // The words of a language are fewer; what fills this is noise.
      if (this.#known.size === 100_000) this.#known.clear()
      this.#known.set(lower, stem)
    }
    if (stem !== "") stems.push(stem)
  }
}
