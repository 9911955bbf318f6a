/**
 * Cohere's Chat API: a turn and the results of its calls, one message of the
 * role `tool` per call.
 */
import type { Json, Outcome, Turn } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { foreignTurn } from "../internal/foreignTurn.js"
import { nameMap } from "../internal/nameMap.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName, idRule, nameRule } from "./names.js"
import { resultContent } from "./resultContent.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const pairs = callPairs(idRule)
  const messages: Array<Json.Json> = []
  if (turn.format === formatName) {
    messages.push(...turn.native)
    for (const part of turn.parts) if (part._tag === "Call") pairs.keep(part)
  } else {
    losses.push(foreignTurn(turn))
    const { toNative } = nameMap([], nameRule)
    const message = sayParts(turn.parts, { subject: "turn", toNative, pairs, isPaired: () => true, losses })
    if (message !== undefined) messages.push(message)
  }
  for (const { part, outcome, result } of paired.results) {
    messages.push({
      role: "tool",
      tool_call_id: pairs.result(part.call.id) ?? part.call.id,
      content: resultContent(outcome, result, losses)
    })
  }
  return { messages, pending: paired.pending, losses }
}
