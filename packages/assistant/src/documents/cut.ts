/** Cuts a text at the best place that fits: before a heading, else before a paragraph, else `cutWithin`. */
import * as Effect from "effect/Effect"
import type { Chunk, Cutting } from "../Document.js"
import { makeBreathe } from "@wield/core/Time"
import type { Heading, Outline } from "./markdown.js"

export const cutByOutline = (text: string, { blocks, headings }: Outline, { overlap, size }: Cutting) =>
  Effect.gen(function* () {
    if (!(Number.isInteger(size) && Number.isInteger(overlap) && overlap >= 0 && size > overlap)) {
      return yield* Effect.dieMessage(
        `Chunks of ${size} characters cannot overlap by ${overlap}: both have to be whole numbers, and the overlap less than the size`
      )
    }
    const breathe = yield* makeBreathe
    const titles = headings.map(({ at }) => at)
    const chunks: Array<Chunk> = []
    let own = 0
    while (own < text.length) {
      const start = back(text, own, overlap)
      const most = forward(text, start, size)
      // What the second chunk shares with the first one has to be in it.
      const least = own === 0 ? Math.max(0, forward(text, 0, overlap) - 1) : own
      const end =
        most === text.length
          ? most
          : (lastIn(titles, Math.max(least, own + (most - own) / 2), most) ??
            lastIn(blocks, least, most) ??
            cutWithin(text, own, least, most))
      chunks.push({ start, own, end, headings: pathAt(headings, titles, beginningOf(text, own, end)) })
      own = end
      yield* breathe
    }
    return chunks
  })

/** The place so many characters before; the halves of a pair are one. */
const back = (text: string, from: number, characters: number): number => {
  let at = from
  for (let left = characters; left > 0 && at > 0; left--) at -= isPair(text, at - 2) ? 2 : 1
  return at
}

const forward = (text: string, from: number, characters: number): number => {
  let at = from
  for (let left = characters; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1
  return at
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff

const lastIn = (places: ReadonlyArray<number>, after: number, most: number): number | undefined => {
  const place = places[countUpTo(places, most) - 1]
  return place !== undefined && place > after ? place : undefined
}

const countUpTo = (places: ReadonlyArray<number>, most: number): number => {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) <= most) low = middle + 1
    else high = middle
  }
  return low
}

/** Where something is to be read: a heading after blank lines is over all of it. */
const beginningOf = (text: string, own: number, end: number): number => end - text.slice(own, end).trimStart().length

const pathAt = (headings: ReadonlyArray<Heading>, titles: ReadonlyArray<number>, at: number): ReadonlyArray<string> => {
  const path: Array<string> = []
  let depth = 7
  for (let index = countUpTo(titles, at) - 1; index >= 0 && depth > 1; index--) {
    const heading = headings[index]
    if (heading === undefined || heading.depth >= depth) continue
    depth = heading.depth
    path.unshift(heading.title)
  }
  return path
}

/** By the rules of English where languages differ, not of the machine's language: cuts are the same anywhere. */
const segmenter = (granularity: "sentence" | "word") => new Intl.Segmenter("en", { granularity })
// Made when they are needed first: it takes over ten milliseconds.
let sentences: Intl.Segmenter | undefined
let words: Intl.Segmenter | undefined

/** Whether a sentence is over shows in what follows. */
const ahead = 100

/** In code units: a longer one is cut anywhere. */
const longestWord = 200

/** The last good place after `least` and at most `most`, in a text whose last cut was at `own`. */
const cutWithin = (text: string, own: number, least: number, most: number): number =>
  sentenceEnd(text, own, least, most) ??
  lineEnd(text, least, most) ??
  spaceEnd(text, least, most) ??
  wordStart(text, own, least, most) ??
  most

const sentenceEnd = (text: string, own: number, least: number, most: number): number | undefined => {
  // The end of a line is not the end of a sentence.
  const window = text.slice(own, most + ahead).replace(/[\n\r\u0085\u2028\u2029]/g, " ")
  return lastWithin((sentences ??= segmenter("sentence")).segment(window), own, least, most, () => true)
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
    (words ??= segmenter("word")).segment(text.slice(from, most + 1)),
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
