/**
 * Cuts a text at the best place that fits: before a heading, otherwise before
 * the last paragraph, otherwise where `cutWithin` finds a place.
 */
import * as Effect from "effect/Effect"
import type { Chunk, Cutting } from "../Document.js"
import { makeBreathe } from "./breathe.js"
import { cutWithin } from "./cutWithin.js"
import type { Heading, Outline } from "./outline.js"

export const cutByOutline = (
  text: string,
  { blocks, headings }: Outline,
  { overlap, size }: Cutting
): Effect.Effect<ReadonlyArray<Chunk>> =>
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

/** The place so many characters on, or the end. */
const forward = (text: string, from: number, characters: number): number => {
  let at = from
  for (let left = characters; left > 0 && at < text.length; left--) at += isPair(text, at) ? 2 : 1
  return at
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff

/** The last of ascending places that is more than `after` and at most `most`. */
const lastIn = (places: ReadonlyArray<number>, after: number, most: number): number | undefined => {
  const place = places[countUpTo(places, most) - 1]
  return place !== undefined && place > after ? place : undefined
}

/** How many of ascending places are at most `most`. */
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
