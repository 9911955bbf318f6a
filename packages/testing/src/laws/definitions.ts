/** The law that definitions survive every wire format, apart from reported losses. */
import type { ToolDefinition } from "@wield/core"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { firstDifference, renderDifference } from "../json/difference.js"
import type { FormatLoss, LawReport, Violation } from "../Laws.js"
import type { Subject } from "./subject.js"

const law = "definitions"

export const definitions = <R, E>(
  subject: Subject<R, E>
): Effect.Effect<{ readonly report: LawReport; readonly losses: ReadonlyArray<FormatLoss> }> =>
  Effect.sync(() => {
    // A tool that a provider runs exists in one format only.
    const all = [...subject.entries.values()].flatMap(({ definition }) =>
      definition.provider === undefined ? [definition] : []
    )
    const checked = WireFormat.all.map((format) => survive(format, all))
    return {
      report: {
        law,
        tools: all.map((definition) => definition.name),
        runs: WireFormat.all.length,
        violations: checked.flatMap(({ violations }) => violations)
      },
      losses: checked.flatMap(({ losses }) => losses)
    }
  })

/** Encodes the definitions, decodes the request and compares. */
export const survive = (
  format: WireFormat.WireFormat,
  all: ReadonlyArray<ToolDefinition.ToolDefinition>
): { readonly violations: ReadonlyArray<Violation>; readonly losses: ReadonlyArray<FormatLoss> } => {
  const violation = (tool: string | undefined, message: string): Violation => ({
    law,
    tool,
    message: `${format.title}: ${message}`,
    counterexample: undefined
  })
  const encoded = format.encodeTools(all)
  const losses = encoded.losses.map((loss) => ({ ...loss, format: format.name }))
  if (all.length === 0) return { violations: [], losses }
  const decoded = format.decodeRequest({ ...encoded.body, [format.historyKey]: [] })
  if (Either.isLeft(decoded)) {
    return {
      violations: [violation(undefined, `its own request cannot be read back: ${decoded.left.message}`)],
      losses
    }
  }
  const back = decoded.right.definitions
  if (back.length !== all.length) {
    return { violations: [violation(undefined, `${back.length} of ${all.length} tools came back`)], losses }
  }
  if (new Set(back.map((definition) => definition.name)).size !== all.length) {
    return { violations: [violation(undefined, "two tools have one name")], losses }
  }
  const reported = new Set([...encoded.losses, ...decoded.right.losses].map((loss) => loss.subject))
  const violations = all.flatMap((definition, index) => {
    const other = back[index]
    // The format maps names and maps them back.
    if (other === undefined || reported.has(definition.name) || reported.has(other.name)) return []
    const difference = firstDifference(comparable(definition), comparable(other))
    return difference === undefined
      ? []
      : [violation(definition.name, `changed without a loss: ${renderDifference(difference, "declared", "read back")}`)]
  })
  return { violations, losses }
}

const comparable = (definition: ToolDefinition.ToolDefinition) => ({
  description: definition.description ?? "",
  // `parse` gives any.
  inputSchema: JSON.parse(JSON.stringify(definition.inputSchema)) as unknown
})
