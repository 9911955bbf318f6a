/** Compares two texts, or two JSON values, line by line. */

export interface Line {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

const linesOf = (value: unknown): ReadonlyArray<string> =>
  value === undefined ? [] : JSON.stringify(value, sortKeys, 2).split("\n")

const withKind =
  (kind: Line["kind"]) =>
  (text: string): Line => ({ kind, text })

/** Above this many compared pairs, what differs is shown as removed and added as a whole. */
const most = 1_000_000

const compare = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<Line> => {
  if (before.length * after.length > most) {
    return [...before.map(withKind("removed")), ...after.map(withKind("added"))]
  }
  const width = after.length + 1
  // The longest common part of the lines from `row` and from `column` on.
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number): number => common[row * width + column]!
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const lines: Array<Line> = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      lines.push({ kind: "same", text: before[row]! })
      row++
      column++
    } else if (row < before.length && (column === after.length || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: before[row++]! })
    } else lines.push({ kind: "added", text: after[column++]! })
  }
  return lines
}

/** The lines of both values, keys in order; equal ones are `same`. */
export const compareJson = (before: unknown, after: unknown): ReadonlyArray<Line> =>
  compareLines(linesOf(before), linesOf(after))

export const compareLines = (old: ReadonlyArray<string>, fresh: ReadonlyArray<string>): ReadonlyArray<Line> => {
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let end = 0
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end++
  }
  return [
    ...old.slice(0, start).map(withKind("same")),
    ...compare(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...old.slice(old.length - end).map(withKind("same"))
  ]
}
