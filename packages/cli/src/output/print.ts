/** Results on standard output, everything else on standard error. */
import * as Json from "@wield/core/Json"
import type { Facts, Outcome, ToolDefinition } from "@wield/core"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Problem } from "../config/gather.js"
import type * as Reports from "./reports.js"
import { Results, Shell } from "./Shell.js"

export const print = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Results, (results) => (results === undefined ? Console.log(text) : results.log(text)))

/** Encodes a report by its published schema; one that does not fit is a mistake of the command. */
export const printReport = <A, I>(schema: Schema.Schema<A, I>, report: NoInfer<A>): Effect.Effect<void> =>
  Effect.flatMap(Effect.orDie(Schema.encode(schema)(report)), (encoded) => print(JSON.stringify(encoded, null, 2)))

/** What a terminal must not be given by a tool's name or description: controls that move, hide or recolour text. */
export const plain = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd")

export const firstLine = (text: string | undefined, most = 80): string => {
  const [line = ""] = plain(text ?? "").split("\n")
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** A question, for a person who replies. What only the handler needs is left out. */
export const reportInput = ({ accepts, asks }: Outcome.Input): string =>
  `  it asks ${plain(JSON.stringify(asks))}\n  a reply fits ${plain(JSON.stringify(accepts))}`

export const bold = (text: string) => styled(text, 1)
export const faint = (text: string) => styled(text, 2)

const styled = (text: string, code: number): Effect.Effect<string> =>
  Effect.map(Shell, ({ isColored }) => (isColored ? `\u001b[${code}m${text}\u001b[22m` : text))

export const printProblems = (problems: ReadonlyArray<Problem>): Effect.Effect<void> =>
  Effect.forEach(
    problems,
    ({ message, severity, source }) => Console.error(`${severity}: ${source}: ${plain(message)}`),
    { discard: true }
  )

export const toolReport = (
  { description, facts, inputSchema, name, outputSchema }: ToolDefinition.ToolDefinition,
  source: string | undefined
): Reports.Tool =>
  Json.withoutUndefined({ name, source, description, inputSchema, outputSchema, facts: Json.withoutUndefined(facts) })

/** Facts that differ from what is assumed of a tool that states nothing. */
export const factWords = (facts: Facts.Facts): ReadonlyArray<string> => [
  ...(facts.isReadOnly ? ["read-only"] : []),
  ...(!facts.isReadOnly && !facts.isDestructive ? ["not destructive"] : []),
  ...(facts.isIdempotent ? ["idempotent"] : []),
  ...(facts.isOpenWorld ? [] : ["closed world"]),
  ...(facts.isSequential ? ["sequential"] : []),
  ...(facts.kind === "local" ? [] : [facts.kind])
]

/** Without the colours and the weight of its letters. */
// oxlint-disable-next-line no-control-regex
export const withoutStyles = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "")
