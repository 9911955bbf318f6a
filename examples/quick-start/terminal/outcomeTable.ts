/** Outcomes as a table as wide as the terminal, one group of rows for each provider. */
import type { Outcome } from "@wield/core"
import Table from "cli-table3"
import { outcomeText, readText } from "./outcomeText.js"
import { colours, rule, width } from "./style.js"
import { wrap } from "./wrap.js"

export interface Group {
  readonly provider: string
  /** Said of the provider beside its name. */
  readonly detail: string
  readonly outcomes: ReadonlyArray<Outcome.Outcome>
}

const gap = 2
/** As wide as the longest call id of the four APIs. */
const callWidth = 31
const outcomeWidth = 19
const readWidth = width - callWidth - outcomeWidth - 2 * gap

export const outcomeTable = (groups: ReadonlyArray<Group>): string =>
  [
    rows([["CALL", "OUTCOME", "WHAT THE MODEL WILL READ"].map((title) => colours.dim(title))]),
    ...groups.map(({ detail, outcomes, provider }) =>
      [rule, `${colours.bold(provider)}  ${colours.dim(detail)}`, "", rows(outcomes.map(cells))].join("\n")
    ),
    rule
  ].join("\n")

/** A table without lines: the library lays out columns, whitespace keeps them apart. */
const rows = (content: ReadonlyArray<ReadonlyArray<string>>): string => {
  const table = new Table({
    chars: noLines,
    colWidths: [callWidth + gap, outcomeWidth + gap, readWidth],
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 }
  })
  table.push(...content.map((row) => [...row]))
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
}

/** The longest cell of a row ends with an empty line, which keeps the rows apart. */
const cells = (outcome: Outcome.Outcome): ReadonlyArray<string> =>
  [
    wrap(callText(outcome), callWidth),
    wrap(outcomeText(outcome), outcomeWidth),
    wrap(readText(outcome), readWidth)
  ].map((cell) => `${cell}\n`)

/** The whole of what was sent stands further below, in the fragment to send back. */
const shownArguments = 110

const callText = ({ call }: Outcome.Outcome): string => {
  const sent = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments)
  const shown = sent.length > shownArguments ? `${sent.slice(0, shownArguments)}…` : sent
  return `${colours.bold(call.name)}\n${shown}\n${colours.dim(call.id)}`
}

const noLines = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: ""
}
