/**
 * Ollama's chat API: a turn and the results of its calls, one message of the
 * role `tool` per call.
 */
import type { Json, Outcome, Turn } from "@wield/core"
import { foreignTurn } from "../internal/foreignTurn.js"
import { nameMap } from "../internal/nameMap.js"
import { NamedCalls } from "../internal/namedCalls.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"
import { sayParts, sayResult } from "./sayMessages.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = new NamedCalls()
  const messages: Array<Json.Json> = []
  if (turn.format === formatName) {
    messages.push(...turn.native)
    for (const part of turn.parts) if (part._tag === "Call") calls.keep(part)
  } else {
    losses.push(foreignTurn(turn))
    const { toNative } = nameMap([], nameRule)
    const said = sayParts(turn.parts, { subject: "turn", toNative, calls, losses })
    if (said !== undefined) messages.push(said)
  }
  for (const { part, outcome, result } of paired.results) {
    const call = calls.answer(part.call.id) ?? { name: part.nativeName, nativeId: part.nativeId }
    messages.push(sayResult(call, outcome, result, losses))
  }
  return { messages, pending: paired.pending, losses }
}
