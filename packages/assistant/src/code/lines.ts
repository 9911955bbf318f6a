/** A text as lines that know how they end, so that what is not edited stays as it is. */

type End = "\n" | "\r\n" | ""

export interface Line {
  readonly text: string
  readonly end: End
}

/** With its byte order mark, or nothing (`mark`), and how most of its lines end (`end`). */
export const toLines = (text: string) => {
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : ""
  const pieces = text.slice(mark.length).split("\n")
  const last = pieces.pop() ?? ""
  const lines: Array<Line> = pieces.map((piece) =>
    piece.endsWith("\r") ? { text: piece.slice(0, -1), end: "\r\n" } : { text: piece, end: "\n" }
  )
  const carriage = lines.filter(({ end }) => end === "\r\n").length
  const end: End = carriage * 2 > lines.length ? "\r\n" : "\n"
  if (last !== "") lines.push({ text: last, end: "" })
  return { mark, lines, end }
}

/** The last line ends as the last one of `like` does, unless it is empty: such a line is its end. All others have one. */
export const toText = (lines: ReadonlyArray<Line>, like: ReturnType<typeof toLines>): string => {
  const endsOpen = like.lines.at(-1)?.end === ""
  const written = lines.map(({ end, text }, index) => {
    if (endsOpen && index === lines.length - 1 && text !== "") return text
    return text + (end === "" ? like.end : end)
  })
  return like.mark + written.join("")
}
