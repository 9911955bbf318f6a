/** What the quick start prints, section by section. */
import { Outcome } from "@wield/core"
import { answer } from "../answer.js"
import type { Exchange } from "../exchange.js"
import { prettyJson } from "./json.js"
import { outcomeTable } from "./outcomeTable.js"
import { colourOf } from "./outcomeText.js"
import { colours, rule, title, width } from "./style.js"
import { wrap } from "./wrap.js"

export const report = (exchanges: ReadonlyArray<Exchange>, logLines: ReadonlyArray<string>): string =>
  [
    title("Calls, as four APIs send them"),
    callsTable(exchanges),
    summary(exchanges),
    title("The calls that waited, answered"),
    answersTable(exchanges.filter(({ outcomes }) => outcomes.some(Outcome.isDeferred))),
    title("In the program's log"),
    ...logLines.map((line) => wrap(line, width)),
    colours.dim("The model reads the reference only; observe: { causes: true } in the policy adds the cause here."),
    title("The request fragments to send back"),
    ...exchanges.map(fragment),
    rule,
    `With OPENAI_API_KEY set, a real model makes the calls: ${colours.bold("npx -y pnpm@12.21.0 start --live")}`
  ].join("\n")

const callsTable = (exchanges: ReadonlyArray<Exchange>): string =>
  outcomeTable(
    exchanges.map(({ fileName, format, outcomes, turn }) => ({
      provider: format.title,
      detail: `${turn.model ?? ""}  bodies/${fileName}`,
      outcomes
    }))
  )

const answersTable = (exchanges: ReadonlyArray<Exchange>): string =>
  [
    ...exchanges.flatMap(({ outcomes }) => outcomes.filter(Outcome.isDeferred)).map((call) => `${answer(call).done}\n`),
    outcomeTable(
      exchanges.map(({ format, outcomes, settled }) => ({
        provider: format.title,
        detail: "",
        outcomes: settled.filter((outcome) => !outcomes.includes(outcome))
      }))
    )
  ].join("\n")

const fragment = ({ format, fragment: { messages } }: Exchange): string =>
  `${colours.bold(format.title)}  ${colours.dim(`append to ${format.historyKey}`)}\n${prettyJson(messages)}\n`

const summary = (exchanges: ReadonlyArray<Exchange>): string => {
  const outcomes = exchanges.flatMap((exchange) => exchange.outcomes)
  const counts = new Map<string, number>()
  for (const outcome of outcomes) {
    const coloured = colourOf(outcome)(outcome._tag)
    counts.set(coloured, (counts.get(coloured) ?? 0) + 1)
  }
  const listed = [...counts].map(([tag, count]) => `${count} ${tag}`).join(", ")
  return wrap(`${outcomes.length} calls, one outcome each: ${listed}`, width)
}
