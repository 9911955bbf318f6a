/** A unified diff of two texts, with how many lines it adds and removes. */
import { FILE_HEADERS_ONLY, formatPatch, type StructuredPatch, structuredPatch } from "diff"
import { toLines } from "./lines.js"

export interface Diff {
  readonly text: string
  readonly added: number
  readonly removed: number
}

/**
 * The time to find the smallest diff grows with the square of its length: 2,000
 * lines that are all new take over a second. With more changes than this, all
 * lines are shown as removed and added anew, which is as true.
 */
const mostChanges = 1000

export const diffOf = (file: string, before: string | undefined, after: string): Diff => {
  // What git writes, so that `git apply` takes it.
  const from = before === undefined ? "/dev/null" : `a/${file}`
  const patch: StructuredPatch =
    structuredPatch(from, `b/${file}`, before ?? "", after, undefined, undefined, {
      context: 3,
      maxEditLength: mostChanges
    }) ?? whole(from, `b/${file}`, before ?? "", after)
  const changes = patch.hunks.flatMap(({ lines }) => lines)
  return {
    text: formatPatch(patch, FILE_HEADERS_ONLY),
    added: changes.filter((line) => line.startsWith("+")).length,
    removed: changes.filter((line) => line.startsWith("-")).length
  }
}

const whole = (oldFileName: string, newFileName: string, before: string, after: string): StructuredPatch => {
  const [removed, added] = [side("-", before), side("+", after)]
  return {
    oldFileName,
    newFileName,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [
      {
        oldStart: removed.count === 0 ? 0 : 1,
        oldLines: removed.count,
        newStart: added.count === 0 ? 0 : 1,
        newLines: added.count,
        lines: [...removed.lines, ...added.lines]
      }
    ]
  }
}

const side = (sign: string, text: string) => {
  const { lines, mark } = toLines(text)
  const shown = lines.map(
    (line, index) => sign + (index === 0 ? mark : "") + line.text + (line.end === "\r\n" ? "\r" : "")
  )
  return {
    count: lines.length,
    lines: lines.at(-1)?.end === "" ? [...shown, "\\ No newline at end of file"] : shown
  }
}
