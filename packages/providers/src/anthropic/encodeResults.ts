/**
 * Anthropic's Messages API: the results of a turn's calls. All of them go into
 * one user message directly after the assistant's, or the API refuses the
 * request.
 */
import type { Outcome, Turn } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import { sentTurn } from "../internal/sentTurn.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName as name, idRule, nameRule } from "./names.js"
import { encodeResult } from "./resultBlock.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = callPairs(name, idRule)
  const sent = sentTurn(turn, { name, nameRule, calls, say: (saying) => sayParts(turn.parts, saying, calls) }, losses)
  const blocks = paired.results.map(({ part, result }) =>
    encodeResult(result, calls.result(part.call.id) ?? part.call.id, losses)
  )
  return {
    messages: blocks.length === 0 ? sent : [...sent, { role: "user", content: blocks }],
    pending: paired.pending,
    losses
  }
}
