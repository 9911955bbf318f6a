/**
 * Bedrock's Converse API: the results of a turn's calls, all of them in one
 * user message directly after the model's.
 */
import type { Outcome, Turn } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { Saying } from "../internal/sayable.js"
import { sentTurn } from "../internal/sentTurn.js"
import type { EncodedResults } from "../WireFormat.js"
import { documentNames } from "./media.js"
import { formatName as name, idRule, nameRule } from "./names.js"
import { resultBlock } from "./resultBlock.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = callPairs(name, idRule)
  const say = (saying: Saying) => {
    const content = sayParts(turn.parts, saying, calls)
    return content.length === 0 ? [] : [{ role: "assistant", content }]
  }
  const sent = sentTurn(turn, { name, nameRule, calls, say }, losses)
  const content = paired.results.map(({ part, result }) => {
    const id = calls.result(part.call.id) ?? part.call.id
    return resultBlock(result, id, documentNames(id), losses)
  })
  return {
    messages: content.length === 0 ? sent : [...sent, { role: "user", content }],
    pending: paired.pending,
    losses
  }
}
