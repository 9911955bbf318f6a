/**
 * Ollama's chat API: a turn and the results of its calls, one message of the
 * role `tool` per call.
 */
import type { Outcome, Turn } from "@wield/core"
import { NamedCalls } from "../internal/namedCalls.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import { sentTurn } from "../internal/sentTurn.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName as name, nameRule } from "./names.js"
import { sayParts, sayResult } from "./sayMessages.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = new NamedCalls(name)
  const sent = sentTurn(turn, { name, nameRule, calls, say: (saying) => sayParts(turn.parts, saying, calls) }, losses)
  const results = paired.results.map(({ part, outcome, result }) => {
    const call = calls.answer(part.call.id) ?? { name: part.nativeName, nativeId: part.nativeId }
    return sayResult(call, outcome, result, losses)
  })
  return { messages: [...sent, ...results], pending: paired.pending, losses }
}
