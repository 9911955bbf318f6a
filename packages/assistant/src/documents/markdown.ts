/** The blocks of Markdown. A text is read in pieces of whole blocks: between them others have their turn. */
import * as Effect from "effect/Effect"
import MarkdownIt, { type Token } from "markdown-it"
import { makeBreathe } from "@wield/core/Time"

/** What stands in paragraphs is no matter of blocks, and where links lead is a paragraph like others. */
const parser = new MarkdownIt("commonmark")
parser.core.ruler.enableOnly(["normalize", "block"])
parser.block.ruler.disable("reference")

const markdownOutline = (text: string): Effect.Effect<Outline> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const blocks: Array<number> = []
    const headings: Array<Heading> = []
    let isAfterHeading = false
    let fence: string | undefined
    let from = afterFrontMatter(text)
    if (from > 1) blocks.push(from)
    while (from < text.length) {
      const { fence: open, to } = endOfPiece(text, from, fence)
      // Code that goes on from the piece before is opened again, and begins before this piece.
      const again = fence === undefined ? "" : `${fence}\n`
      const piece = again + text.slice(from, to)
      const lines = lineStarts(piece)
      const shift = from - again.length
      let outer = -1
      const tokens = parser.parse(piece, {})
      for (const [index, token] of tokens.entries()) {
        if (token.map === null || token.type === "inline") continue
        const at = shift + (lines[token.map[0]] ?? 0)
        if (at < from) continue
        if (token.level > 0) {
          // Items of lists, and what is quoted, can be parted like paragraphs.
          if (at !== outer) blocks.push(at)
          continue
        }
        outer = at
        const isHeading = token.type === "heading_open"
        if (isHeading || !isAfterHeading) blocks.push(at)
        isAfterHeading = isHeading
        if (isHeading)
          headings.push({ at, depth: Number(token.tag.slice(1)), title: titleOf(tokens[index + 1]?.content ?? "") })
      }
      fence = open
      from = to
      yield* breathe
    }
    return { blocks: [...new Set(blocks)].sort((left, right) => left - right), headings }
  })

const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)
]

/** Of a heading, in code units. */
const longestTitle = 200

const inline = new MarkdownIt("commonmark")

const titleOf = (raw: string): string => {
  const beginning = raw.slice(0, longestTitle)
  return wordsOf(inline.parseInline(beginning, {})).replace(/\s+/g, " ").trim()
}

const wordsOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map(({ children, content, type }) => {
      if (children !== null) return wordsOf(children)
      if (type === "softbreak" || type === "hardbreak") return " "
      return type === "html_inline" ? "" : content
    })
    .join("")

/** A byte order mark is no part of the text. Metadata in front of it would be read as a heading with a line under it. */
const afterFrontMatter = (text: string): number =>
  /^\uFEFF?(?:---[ \t]*\r?\n[^]*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$))?/.exec(text)?.[0].length ?? 0

/** In code units. It takes a millisecond or two; one of nothing but signs takes ten. */
const pieceSize = 8192

/** Where no block ends for so long, a piece ends with a line; where no line does, anywhere. */
const longestPiece = 4 * pieceSize

/** Also the sign (`fence`) by which code was opened that is still open. */
export const endOfPiece = (text: string, from: number, opened: string | undefined) => {
  let fence = opened
  let isAfterBlank = false
  for (let at = from; at < text.length;) {
    const next = nextLine(text, at)
    if (next - from > longestPiece) return { to: at > from ? at : wholeCharacter(text, from + longestPiece), fence }
    const line = text.slice(at, next)
    if (fence === undefined && at - from >= pieceSize && beginsBlock(line, isAfterBlank)) return { to: at, fence }
    fence = fenceAfter(line, fence)
    isAfterBlank = line.trim() === ""
    at = next
  }
  return { to: text.length, fence: undefined }
}

/** Whether what stands before cannot go on in this line, or may as well end with it: an item of a list. */
const beginsBlock = (line: string, isAfterBlank: boolean): boolean =>
  isAfterBlank ? /^\S/.test(line) : /^[-+*] +\S/.test(line)

const fenceAfter = (line: string, fence: string | undefined): string | undefined => {
  const [, sign, rest = ""] = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(line) ?? []
  if (sign === undefined) return fence
  if (fence === undefined) return sign.startsWith("`") && rest.includes("`") ? undefined : sign
  return sign.startsWith(fence) && rest.trim() === "" ? undefined : fence
}

const nextLine = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline === -1 ? text.length : newline + 1
}

const wholeCharacter = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at)

export interface Heading {
  readonly at: number
  /** From 1 to 6. */
  readonly depth: number
  readonly title: string
}

export interface Outline {
  /** Where a paragraph, an item of a list or a heading begins, in ascending order. What follows a heading stays with it. */
  readonly blocks: ReadonlyArray<number>
  readonly headings: ReadonlyArray<Heading>
}

export const outlineOf = (text: string, isMarkdown: boolean): Effect.Effect<Outline> =>
  isMarkdown ? markdownOutline(text) : Effect.sync(() => ({ blocks: paragraphs(text), headings: [] }))

/** Paragraphs of a text without markup begin after a blank line. */
const paragraphs = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let isAfterBlank = false
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at)
    const next = newline === -1 ? text.length : newline + 1
    const isBlank = text.slice(at, next).trim() === ""
    if (isAfterBlank && !isBlank) found.push(at)
    isAfterBlank = isBlank
    at = next
  }
  return found
}
