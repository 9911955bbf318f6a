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
