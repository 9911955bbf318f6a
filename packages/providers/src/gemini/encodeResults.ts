/**
 * Gemini's API: the results of a turn's calls, as one `user` content of
 * `functionResponse` parts.
 */
import type { Json, Outcome, Turn } from "@wield/core"
import { foreignTurn } from "../internal/foreignTurn.js"
import { nameMap } from "../internal/nameMap.js"
import { NamedCalls } from "../internal/namedCalls.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"
import { encodeResponses } from "./responses.js"
import { sayParts } from "./sayParts.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const calls = new NamedCalls()
  const contents: Array<Json.Json> = []
  const isOwn = turn.format === formatName
  if (isOwn) {
    contents.push(...turn.native)
    for (const part of turn.parts) if (part._tag === "Call") calls.keep(part)
  } else {
    losses.push(foreignTurn(turn))
    const { toNative } = nameMap([], nameRule)
    const parts = sayParts(turn.parts, { subject: "turn", toNative, calls, isPaired: () => true, losses })
    if (parts.length > 0) contents.push({ role: "model", parts })
  }
  const responses = paired.results.map(({ part, result }) => ({
    name: part.nativeName,
    nativeId: part.nativeId,
    ...calls.answer(part.call.id),
    result
  }))
  const takesMedia = isOwn && /gemini-([3-9]|\d\d)/.test(turn.model ?? "")
  contents.push(...encodeResponses(responses, takesMedia, losses))
  return { messages: contents, pending: paired.pending, losses }
}
