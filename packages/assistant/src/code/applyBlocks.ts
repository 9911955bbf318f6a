/**
 * A text with all blocks applied, or what is wrong with each that does not fit.
 * Every block searches the text as it was, so that their order does not matter
 * and none finds what another has written.
 */
import * as Either from "effect/Either"
import type { Block } from "./blocks.js"
import { type Line, toLines, toText } from "./lines.js"
import { whyMissing } from "./missing.js"
import { occurrences } from "./occurrences.js"

interface Place {
  readonly number: number
  readonly start: number
  readonly end: number
  readonly replace: ReadonlyArray<string>
}

/** Nothing, for a file that is to be made. */
export const applyBlocks = (
  before: string | undefined,
  blocks: ReadonlyArray<Block>
): Either.Either<string, ReadonlyArray<string>> => {
  const problems = blocks.flatMap(({ replace }, index) =>
    isText(replace.join("\n")) ? [] : [`block ${index + 1}: its replacement has characters that are no text`]
  )
  if (problems.length > 0) return Either.left(problems)
  if (before === undefined || toLines(before).lines.length === 0) return fill(before, blocks)
  const after = replaceIn(before, blocks)
  return Either.filterOrLeft(
    after,
    (text) => text !== before,
    () => ["the blocks change nothing"]
  )
}

const fill = (
  before: string | undefined,
  blocks: ReadonlyArray<Block>
): Either.Either<string, ReadonlyArray<string>> => {
  const what = before === undefined ? "there is no such file yet" : "the file is empty"
  const [block] = blocks
  if (block === undefined || blocks.length > 1 || block.search.some((line) => line.trim() !== "")) {
    return Either.left([`${what}: one block with an empty search is expected, which has all of the text to be`])
  }
  if (before !== undefined && block.replace.length === 0) return Either.left(["the block changes nothing"])
  const mark = before ?? ""
  return Either.right(mark + block.replace.map((line) => `${line}\n`).join(""))
}

const replaceIn = (before: string, blocks: ReadonlyArray<Block>): Either.Either<string, ReadonlyArray<string>> => {
  const parsed = toLines(before)
  const texts = parsed.lines.map(({ text }) => text)
  const places: Array<Place> = []
  const problems: Array<string> = []
  for (const [index, { replace, search }] of blocks.entries()) {
    const number = index + 1
    const place = placeOf(texts, search)
    if (Either.isLeft(place)) problems.push(`block ${number}: ${place.left}`)
    else places.push({ number, start: place.right, end: place.right + search.length, replace })
  }
  places.sort((left, right) => left.start - right.start)
  for (const [index, place] of places.entries()) {
    const next = places[index + 1]
    if (next !== undefined && next.start < place.end) {
      problems.push(`blocks ${place.number} and ${next.number} search for the same lines: make one of them`)
    }
  }
  if (problems.length > 0) return Either.left(problems)
  const after: Array<Line> = []
  let reached = 0
  for (const { end, replace, start } of places) {
    const replaced = parsed.lines[start]?.end ?? ""
    after.push(...parsed.lines.slice(reached, start))
    for (const text of replace) after.push({ text, end: replaced === "" ? parsed.end : replaced })
    reached = end
  }
  after.push(...parsed.lines.slice(reached))
  return Either.right(toText(after, parsed))
}

const placeOf = (texts: ReadonlyArray<string>, search: ReadonlyArray<string>): Either.Either<number, string> => {
  if (search.length === 0) {
    return Either.left("its search is empty, which is for files that are not there yet. Search for a line beside")
  }
  const { hasMore, starts } = occurrences(texts, search, 20)
  const [start] = starts
  if (start === undefined) return Either.left(whyMissing(texts, search))
  if (starts.length === 1) return Either.right(start)
  const lines = starts.map((found) => found + 1).join(", ")
  return Either.left(
    `its search must be in the file once, and is ${hasMore ? "more than " : ""}${starts.length} times, at the lines ${lines}. Add lines around it`
  )
}

/** Half of a surrogate pair would be written as another character, and a null character makes a file binary. */
const isText = (text: string): boolean => !/\0|\p{Cs}/u.test(text)
