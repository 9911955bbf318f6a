/**
 * Gemini's API: the results of a turn's calls, as one `user` content of
 * `functionResponse` parts.
 */
import type { Outcome, Turn } from "@wield/core"
import { NamedCalls } from "../internal/namedCalls.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import { sentTurn } from "../internal/sentTurn.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName as name, nameRule } from "./names.js"
import { encodeResponses, takesMediaInside } from "./responses.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = new NamedCalls(name)
  const sent = sentTurn(turn, { name, nameRule, calls, say: (saying) => sayParts(turn.parts, saying, calls) }, losses)
  const responses = paired.results.map(({ part, result }) => ({
    name: part.nativeName,
    nativeId: part.nativeId,
    ...calls.answer(part.call.id),
    result
  }))
  const takesMedia = turn.format === name && takesMediaInside(turn.model)
  return {
    messages: [...sent, ...encodeResponses(responses, takesMedia, losses)],
    pending: paired.pending,
    losses
  }
}
