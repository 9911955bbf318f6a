/** The blocks of a model's answer; the rest is not read. Their markers hold a word made for each question. */
import * as Either from "effect/Either"

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
