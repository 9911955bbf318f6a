/** A report as text. */
import { type LawReport, type Report, sentences } from "./model.js"

export const rendered = (report: Report): string => {
  const dry = report.tools.filter(({ isRun }) => !isRun).map(({ name }) => name)
  return [
    `${counted(report.tools.length, "tool")}, seed ${report.seed}`,
    ...(dry.length === 0 ? [] : [`without their handlers: ${dry.join(", ")}`]),
    ...report.laws.flatMap(renderedLaw),
    ...(report.losses.length === 0 ? [] : [renderedLosses(report)])
  ].join("\n")
}

const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`

const renderedLaw = (law: LawReport): ReadonlyArray<string> => [
  `${law.violations.length === 0 ? "kept  " : "BROKEN"} ${law.law}: ${sentences[law.law]} (${counted(law.tools.length, "tool")}, ${counted(law.runs, "run")})`,
  ...law.violations.flatMap(({ counterexample, message, tool }) => [
    `  - ${tool === undefined ? "" : `${tool}: `}${message}`,
    ...(counterexample === undefined ? [] : [`    with ${counterexample}`])
  ])
]

const renderedLosses = ({ losses }: Report): string => {
  const counts = new Map<string, number>()
  for (const { format } of losses) counts.set(format, (counts.get(format) ?? 0) + 1)
  return `losses, reported by the formats: ${Array.from(counts, ([format, count]) => `${format} ${count}`).join(", ")}`
}
