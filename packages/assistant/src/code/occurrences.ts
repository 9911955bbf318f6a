/** Where lines stand in a text, one after another, as numbers of lines from 0. */

export interface Occurrences {
  /** At most as many as were asked for. */
  readonly starts: ReadonlyArray<number>
  readonly hasMore: boolean
}

export const occurrences = (
  lines: ReadonlyArray<string>,
  searched: ReadonlyArray<string>,
  most: number
): Occurrences => {
  // Line ends on both sides, so that only whole lines are found.
  const text = `\n${lines.join("\n")}\n`
  const needle = `\n${searched.join("\n")}\n`
  const starts: Array<number> = []
  let line = 0
  let counted = 0
  let at = lines.length === 0 ? -1 : text.indexOf(needle)
  while (at !== -1) {
    if (starts.length === most) return { starts, hasMore: true }
    while (counted < at) if (text[counted++] === "\n") line++
    starts.push(line)
    at = text.indexOf(needle, at + 1)
  }
  return { starts, hasMore: false }
}
