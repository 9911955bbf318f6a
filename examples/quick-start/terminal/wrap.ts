/** Text broken into lines that fit a column, nothing left out and nothing added. */
import wrapAnsi from "wrap-ansi"

/** Zero-width, so it takes no place; marks a space that the text itself does not have. */
const mark = "\u200B"

/** JSON text has hardly a space to break a line at; after a comma is the next best place. */
export const wrap = (text: string, columns: number): string =>
  wrapAnsi(text.replaceAll(/,(?=["{[])/g, `, ${mark}`), columns, { hard: true, trim: false }).replaceAll(
    new RegExp(` ?${mark}`, "g"),
    ""
  )
