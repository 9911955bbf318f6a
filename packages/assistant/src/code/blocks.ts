/** The blocks of a model's answer, read and applied; the rest is not read. Their markers hold a word made for each question. */
import * as Either from "effect/Either"
import { type Line, toLines, toText } from "./lines.js"

export interface Block {
  readonly search: ReadonlyArray<string>
  readonly replace: ReadonlyArray<string>
}

type Answer =
  | { readonly _tag: "Blocks"; readonly blocks: ReadonlyArray<Block> }
  | { readonly _tag: "Declined"; readonly reason: string }
  /** Not one marker is in it: words, or code in another form. */
  | { readonly _tag: "Unmarked" }

type Marker = "search" | "replace" | "end" | "decline"

export const markers = (word: string): Record<Marker, string> => ({
  search: `<<${word} search>>`,
  replace: `<<${word} replace>>`,
  end: `<<${word} end>>`,
  decline: `<<${word} decline>>`
})

type Part = "outside" | "search" | "replace" | "decline"

const expected: Record<Part, Marker> = { outside: "search", search: "replace", replace: "end", decline: "end" }

export const parseAnswer = (answer: string, word: string): Either.Either<Answer, string> => {
  const known = markers(word)
  const blocks: Array<Block> = []
  let part: Part = "outside"
  let [search, replace, reason]: [Array<string>, Array<string>, Array<string>] = [[], [], []]
  for (const [index, line] of answer.split(/\r?\n/).entries()) {
    const marker = markerOf(line, known)
    if (marker === undefined) {
      if (part === "search") search.push(line)
      if (part === "replace") replace.push(line)
      if (part === "decline") reason.push(line)
      continue
    }
    if (marker !== expected[part] && !(part === "outside" && marker === "decline")) {
      return Either.left(
        `line ${index + 1} of the answer is ${known[marker]}, where ${known[expected[part]]} was expected`
      )
    }
    if (marker === "search") [search, replace] = [[], []]
    if (marker === "end" && part === "replace") blocks.push({ search, replace })
    part = marker === "end" ? "outside" : marker
  }
  // A reason ends with the answer, with or without its marker.
  if (reason.length > 0 || part === "decline") {
    return Either.right({ _tag: "Declined", reason: reason.join("\n").trim() || "no reason was given" })
  }
  if (part !== "outside") return Either.left(`the answer ends within a block, before ${known[expected[part]]}`)
  return blocks.length === 0 ? Either.right({ _tag: "Unmarked" }) : Either.right({ _tag: "Blocks", blocks })
}

const markerOf = (line: string, known: Record<Marker, string>): Marker | undefined => {
  const trimmed = line.trim()
  if (trimmed === known.search) return "search"
  if (trimmed === known.replace) return "replace"
  if (trimmed === known.end) return "end"
  return trimmed === known.decline ? "decline" : undefined
}

interface Place {
  readonly number: number
  readonly start: number
  readonly end: number
  readonly replace: ReadonlyArray<string>
}

/**
 * A text with all blocks applied. Each searches the text as it was, so that their order does not matter. `before` is
 * `undefined` for a file that is to be made.
 */
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

const fill = (before: string | undefined, blocks: ReadonlyArray<Block>) => {
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
  const { hasMore, starts } = findOccurrences(texts, search, 20)
  const [start] = starts
  if (start === undefined) return Either.left(explainMissing(texts, search))
  if (starts.length === 1) return Either.right(start)
  const lines = starts.map((found) => found + 1).join(", ")
  return Either.left(
    `its search must be in the file once, and is ${hasMore ? "more than " : ""}${starts.length} times, at the lines ${lines}. Add lines around it`
  )
}

/** Half of a surrogate pair would be written as another character, and a null character makes a file binary. */
const isText = (text: string): boolean => !/\0|\p{Cs}/u.test(text)

/** Explains why a search is not in the file, without a guess: the model has to search again. */
const explainMissing = (lines: ReadonlyArray<string>, search: ReadonlyArray<string>): string => {
  const alike = findOccurrences(lines.map(normalise), search.map(normalise), 1).starts[0]
  if (alike !== undefined) {
    const place = search.length === 1 ? `line ${alike + 1}` : `lines ${alike + 1} to ${alike + search.length}`
    return `its search is not in the file; ${place} would be, but for white space or the form of characters. Copy the lines exactly`
  }
  const present = new Set(lines)
  const absent = search.findIndex((line) => !present.has(line))
  return absent === -1
    ? "its search is not in the file: all of its lines are, but not one directly after the other"
    : `its search is not in the file: no line of the file is ${JSON.stringify(shorten(search[absent] ?? ""))}, which is line ${absent + 1} of the search. A line is compared as a whole`
}

const normalise = (line: string): string => line.normalize("NFKC").replaceAll(/\s+/g, "")

const shorten = (line: string): string => (line.length > 200 ? `${line.slice(0, 200)}…` : line)

const findOccurrences = (lines: ReadonlyArray<string>, searched: ReadonlyArray<string>, most: number) => {
  // Line ends on both sides, so that only whole lines are found.
  const text = `\n${lines.join("\n")}\n`
  const needle = `\n${searched.join("\n")}\n`
  const starts: Array<number> = []
  let line = 0
  let counted = 0
  let at = lines.length === 0 ? -1 : text.indexOf(needle)
  while (at !== -1) {
    if (starts.length === most) return { starts, hasMore: true }
    while (counted < at) if (text[counted++] === "\n") line++
    starts.push(line)
    at = text.indexOf(needle, at + 1)
  }
  return { starts, hasMore: false }
}
