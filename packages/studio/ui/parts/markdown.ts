/** Reads the Markdown that models write: blocks and spans, nothing that could be markup of a page. */

export type Span =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis"; readonly spans: ReadonlyArray<Span> }
  | { readonly kind: "link"; readonly address: string; readonly spans: ReadonlyArray<Span> }

export type Block =
  | { readonly kind: "paragraph"; readonly spans: ReadonlyArray<Span> }
  | { readonly kind: "heading"; readonly level: number; readonly spans: ReadonlyArray<Span> }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "quote"; readonly blocks: ReadonlyArray<Block> }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: ReadonlyArray<ReadonlyArray<Block>> }
  | { readonly kind: "rule" }

/** Deeper than this, text stays as it is written. */
const deepest = 8

const span =
  /`([^`\n]+)`|\*\*(?=\S)([^*]+?)\*\*|(?<![\w*])[*_](?=\S)([^*_\n]+?)[*_](?![\w*])|\[([^[\]\n]{1,500})\]\((https?:\/\/[^\s()]{1,2000})\)/

export const readSpans = (text: string, depth = 0): ReadonlyArray<Span> => {
  const spans: Array<Span> = []
  let rest = text
  while (rest !== "") {
    const match = depth > deepest ? null : span.exec(rest)
    if (match === null) {
      spans.push({ kind: "text", text: rest })
      break
    }
    if (match.index > 0) spans.push({ kind: "text", text: rest.slice(0, match.index) })
    const [whole, code, strong, emphasis, label, address] = match
    if (code !== undefined) spans.push({ kind: "code", text: code })
    else if (strong !== undefined) spans.push({ kind: "strong", spans: readSpans(strong, depth + 1) })
    else if (emphasis !== undefined) spans.push({ kind: "emphasis", spans: readSpans(emphasis, depth + 1) })
    else spans.push({ kind: "link", address: address!, spans: readSpans(label!, depth + 1) })
    rest = rest.slice(match.index + whole.length)
  }
  return spans
}

const item = /^( {0,3})([-*+]|\d{1,9}[.)]) +/

const startsBlock = (line: string): boolean =>
  /^(?:\s*$|#{1,6} |```|> ?|(?:-{3,}|\*{3,})\s*$)/.test(line) || item.test(line)

export const readBlocks = (text: string, depth = 0): ReadonlyArray<Block> => {
  const lines = text.split(/\r?\n/)
  const blocks: Array<Block> = []
  let index = 0
  /** Takes lines as long as they fit. */
  const take = (fits: (line: string) => boolean): ReadonlyArray<string> => {
    const start = index
    while (index < lines.length && fits(lines[index]!)) index++
    return lines.slice(start, index)
  }
  while (index < lines.length) {
    const line = lines[index]!
    const heading = /^(#{1,6}) +(.*)$/.exec(line)
    if (line.trim() === "") index++
    else if (heading !== null) {
      index++
      blocks.push({ kind: "heading", level: heading[1]!.length, spans: readSpans(heading[2]!) })
    } else if (line.startsWith("```")) {
      index++
      const code = take((next) => !next.startsWith("```"))
      index++
      blocks.push({ kind: "code", text: code.join("\n") })
    } else if (/^(?:-{3,}|\*{3,})\s*$/.test(line)) {
      index++
      blocks.push({ kind: "rule" })
    } else if (line.startsWith(">") && depth < deepest) {
      const quoted = take((next) => next.startsWith(">")).map((next) => next.replace(/^> ?/, ""))
      blocks.push({ kind: "quote", blocks: readBlocks(quoted.join("\n"), depth + 1) })
    } else if (item.test(line) && depth < deepest) {
      const isOrdered = /^\s*\d/.test(line)
      const items: Array<ReadonlyArray<Block>> = []
      while (index < lines.length && item.test(lines[index]!) && /^\s*\d/.test(lines[index]!) === isOrdered) {
        const [marker] = item.exec(lines[index]!)!
        const first = lines[index]!.slice(marker.length)
        index++
        const more = take((next) => /^(?: {2,}\S|\t)/.test(next)).map((next) => next.replace(/^(?: {2,4}|\t)/, ""))
        items.push(readBlocks([first, ...more].join("\n"), depth + 1))
      }
      blocks.push({ kind: "list", isOrdered, items })
    } else {
      index++
      const paragraph = [line, ...take((next) => !startsBlock(next))]
      blocks.push({ kind: "paragraph", spans: readSpans(paragraph.join("\n")) })
    }
  }
  return blocks
}
