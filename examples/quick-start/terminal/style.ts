/** Colours and width of the terminal that the output goes to. */
import process from "node:process"
import picocolors from "picocolors"

/** NO_COLOR (https://no-color.org) over FORCE_COLOR over what the output is. */
const isColoured = (): boolean => {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: terminal } = process.env
  if (refused !== undefined && refused !== "") return false
  if (forced !== undefined) return forced !== "0" && forced !== "false"
  // In a pipe `isTTY` is absent, whatever its type says; picocolors would take that for "decide yourself".
  return Boolean(process.stdout.isTTY) && terminal !== "dumb"
}

export const colours = picocolors.createColors(isColoured())

const narrowest = 80
const widest = 160
const widthOfAFile = 100

/** In columns. */
export const width: number = Math.min(
  widest,
  Math.max(narrowest, process.stdout.columns ?? (Number(process.env["COLUMNS"]) || widthOfAFile))
)

/** A line across the whole width. */
export const rule: string = colours.dim("─".repeat(width))

/** The title of a section. */
export const title = (text: string): string => `\n${colours.bold(colours.inverse(` ${text} `))}\n`
