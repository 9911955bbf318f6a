/** Text broken into lines that fit a column. A line break stands for the space it replaces; nothing else is changed. */
import wrapAnsi from "wrap-ansi"

export const wrap = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => wrapLine(line, columns))
    .join("\n")

/** Zero-width, so it takes no place; marks a space that the text itself does not have. */
const mark = "\u200B"

/** JSON text has hardly a space to break a line at; after a comma is the next best place. */
const wrapLine = (line: string, columns: number): string =>
  wrapAnsi(line.replaceAll(/,(?=["{[])/g, `, ${mark}`), columns, { hard: true, trim: false })
    .replaceAll(new RegExp(` ?${mark}`, "g"), "")
    .replaceAll("\n ", "\n")
