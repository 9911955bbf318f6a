/** The definitions survive every wire format, and what one cannot say is a loss. */
import type { ToolDefinition } from "@wield/core"
import { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { firstDifference, shownDifference } from "../json/difference.js"
import type { FormatLoss, LawReport, Violation } from "./model.js"
import type { Subject } from "./subject.js"

const law = "definitions"

export const definitions = <R, E>(
  subject: Subject<R, E>
): Effect.Effect<{ readonly report: LawReport; readonly losses: ReadonlyArray<FormatLoss> }> =>
  Effect.sync(() => {
    // A tool that a provider runs belongs to its own format alone.
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

/** What of the definitions comes back from a request of the format. */
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
    return { violations: [violation(undefined, `of ${all.length} tools ${back.length} are there`)], losses }
  }
  if (new Set(back.map((definition) => definition.name)).size !== all.length) {
    return { violations: [violation(undefined, "two tools have one name")], losses }
  }
  const reported = new Set([...encoded.losses, ...decoded.right.losses].map((loss) => loss.subject))
  const violations = all.flatMap((definition, index) => {
    const other = back[index]
    // Names are mapped by the format and mapped back by it.
    if (other === undefined || reported.has(definition.name) || reported.has(other.name)) return []
    const difference = firstDifference(sayable(definition), sayable(other))
    return difference === undefined
      ? []
      : [violation(definition.name, `changed without a loss: ${shownDifference(difference, "declared", "read back")}`)]
  })
  return { violations, losses }
}

const sayable = (definition: ToolDefinition.ToolDefinition) => ({
  description: definition.description ?? "",
  inputSchema: JSON.parse(JSON.stringify(definition.inputSchema)) as unknown
})
