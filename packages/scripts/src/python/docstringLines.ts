/** The lines of a docstring, and texts made of them. */

/** As `inspect.cleandoc` does: the first line apart, the others without what all of them are indented. */
export const cleanLines = (text: string): ReadonlyArray<string> => {
  const [first = "", ...others] = text.replaceAll("\t", "        ").split("\n")
  const margins = others.filter((line) => line.trim() !== "").map(indentOf)
  const margin = margins.length === 0 ? 0 : Math.min(...margins)
  const lines = [first.trimStart(), ...others.map((line) => line.slice(margin))].map((line) => line.trimEnd())
  const begin = lines.findIndex((line) => line !== "")
  return begin === -1 ? [] : lines.slice(begin, lines.findLastIndex((line) => line !== "") + 1)
}

export const indentOf = (line: string): number => line.length - line.trimStart().length

export const paragraphs = (lines: ReadonlyArray<string>): string =>
  lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

/** One paragraph a line of text; items of a list stay lines. */
export const joinLines = (lines: ReadonlyArray<string>): string => {
  let text = ""
  for (const line of lines) {
    if (line === "") text = text === "" || text.endsWith("\n\n") ? text : `${text}\n\n`
    else if (text === "" || text.endsWith("\n")) text += line
    else text += /^(?:[-*+•]|\d+[.)])\s/.test(line) ? `\n${line}` : ` ${line}`
  }
  return text.trim()
}
