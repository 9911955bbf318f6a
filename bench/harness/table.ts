/** Tables as text, and as data for the file beside them. */
import type { Samples } from "./measure.js"
import { pairedMedianRatio, ratioOfMinima, type Summary, summarise } from "./statistics.js"

export interface Row extends Summary {
  readonly name: string
  /** Of the minimum to that of the limit. */
  readonly ratio: number | undefined
  readonly pairedRatio: number | undefined
}

/** Timings in nanoseconds per operation. */
export interface TimingTable {
  readonly _tag: "Timing"
  readonly title: string
  readonly limit: string | undefined
  readonly rows: ReadonlyArray<Row>
}

/** Any other figures. */
export interface FigureTable {
  readonly _tag: "Figures"
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string | number>>
}

export type Table = TimingTable | FigureTable

/** One line of the goals: what was asked, what was measured. */
export interface Goal {
  readonly name: string
  readonly goal: string
  readonly measured: string
  readonly isMet: boolean
}

export interface Measured {
  readonly tables: ReadonlyArray<Table>
  readonly goals: ReadonlyArray<Goal>
  readonly notes?: ReadonlyArray<string>
  /** What must not pass in silence: the bench ends with exit code 1. */
  readonly failures?: ReadonlyArray<string>
}

/** Measured on its own, in a process of its own. */
export interface Group {
  readonly name: string
  readonly measure: () => Promise<Measured>
}

export const timingTable = (title: string, samples: Samples, limit?: string): TimingTable => {
  const reference = limit === undefined ? undefined : samples.get(limit)
  if (limit !== undefined && reference === undefined) throw new Error(`nothing is named ${limit}`)
  return {
    _tag: "Timing",
    title,
    limit,
    rows: [...samples].map(([name, own]) => ({
      name,
      ...summarise(own),
      ratio: reference === undefined ? undefined : ratioOfMinima(own, reference),
      pairedRatio: reference === undefined ? undefined : pairedMedianRatio(own, reference)
    }))
  }
}

export const rowOf = (table: TimingTable, name: string): Row => {
  const row = table.rows.find((candidate) => candidate.name === name)
  if (row === undefined) throw new Error(`${table.title} has no row ${name}`)
  return row
}

export const duration = (nanoseconds: number): string => {
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`
  if (nanoseconds < 1e6) return `${(nanoseconds / 1e3).toFixed(2)} µs`
  if (nanoseconds < 1e9) return `${(nanoseconds / 1e6).toFixed(2)} ms`
  return `${(nanoseconds / 1e9).toFixed(2)} s`
}

export const times = (ratio: number): string => `${ratio < 10 ? ratio.toFixed(2) : ratio.toFixed(1)}x`

export const render = (table: Table): string => {
  if (table._tag === "Figures") return markdown(table.title, table.columns, table.rows)
  const columns = ["case", "min", "median", "max"]
  if (table.limit !== undefined) columns.push(`mins by ${table.limit}`, "paired median")
  return markdown(
    table.title,
    columns,
    table.rows.map((row) => [
      row.name,
      duration(row.minimum),
      duration(row.median),
      duration(row.maximum),
      ...(row.ratio === undefined ? [] : [times(row.ratio)]),
      ...(row.pairedRatio === undefined ? [] : [times(row.pairedRatio)])
    ])
  )
}

/** Nothing where no group with a goal was measured. */
export const renderGoals = (goals: ReadonlyArray<Goal>): string =>
  goals.length === 0
    ? ""
    : markdown(
        "Goals",
        ["case", "goal", "measured", ""],
        goals.map(({ goal, isMet, measured, name }) => [name, goal, measured, isMet ? "met" : "NOT MET"])
      )

const markdown = (
  title: string,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): string => {
  const cells = [columns, ...rows.map((row) => row.map(String))]
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>): string =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`
  const rule = `| ${widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`)).join(" | ")} |`
  return [`### ${title}`, "", line(columns), rule, ...cells.slice(1).map(line), ""].join("\n")
}
