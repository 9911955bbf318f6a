/** What a corpus suite found, and how it is shown. */

export interface Report {
  /** The first row has the column titles. */
  readonly table: ReadonlyArray<ReadonlyArray<string | number>>
  /** What the numbers do not say; printed below the table. */
  readonly notes: ReadonlyArray<string>
  readonly passed: number
  /** One entry a failed check: which file, what was expected, what was found. */
  readonly failures: ReadonlyArray<string>
}

export interface RunOptions {
  /** One part of the material: each suite says which it has. */
  readonly only?: string | undefined
  /** Every so-many-th case alone, for a look at the whole in a part of the time. All of them unless given. */
  readonly every?: number | undefined
}

export const everyNth = <A>(items: ReadonlyArray<A>, every = 1): ReadonlyArray<A> =>
  items.filter((_, index) => index % every === 0)

/** How many failures are shown in full. */
const shown = 10

export const render = (report: Report): string => {
  const rows = report.table.map((row) => row.map(String))
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
  )
  const hidden = report.failures.length - shown
  return [
    ...lines,
    "",
    ...report.notes,
    ...report.failures.slice(0, shown).map((failure) => `\nFAILED ${failure}`),
    ...(hidden > 0 ? [`\nand ${hidden} more`] : []),
    "",
    `${report.passed} passed, ${report.failures.length} failed`
  ].join("\n")
}
