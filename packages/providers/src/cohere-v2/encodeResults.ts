/**
 * Cohere's Chat API: a turn and the results of its calls, one message of the
 * role `tool` per call.
 */
import type { Outcome, Turn } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import { sentTurn } from "../internal/sentTurn.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName as name, idRule, nameRule } from "./names.js"
import { resultContent } from "./resultContent.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = callPairs(name, idRule)
  const sent = sentTurn(turn, { name, nameRule, calls, say: (saying) => sayParts(turn.parts, saying, calls) }, losses)
  const results = paired.results.map(({ part, outcome, result }) => ({
    role: "tool",
    tool_call_id: calls.result(part.call.id) ?? part.call.id,
    content: resultContent(outcome, result, losses)
  }))
  return { messages: [...sent, ...results], pending: paired.pending, losses }
}
