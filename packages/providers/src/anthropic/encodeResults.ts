/**
 * Anthropic's Messages API: the results of a turn's calls. All of them go into
 * one user message directly after the assistant's, or the API refuses the
 * request.
 */
import type { Json, Outcome, Turn } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { foreignTurn } from "../internal/foreignTurn.js"
import { nameMap } from "../internal/nameMap.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName, idRule, nameRule } from "./names.js"
import { encodeResult } from "./resultBlock.js"
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
    const content = sayParts(turn.parts, { subject: "turn", toNative, pairs, isPaired: () => true, losses })
    if (content.length > 0) messages.push({ role: "assistant", content })
  }
  const blocks = paired.results.map(({ part, result }) =>
    encodeResult(result, pairs.result(part.call.id) ?? part.call.id, losses)
  )
  if (blocks.length > 0) messages.push({ role: "user", content: blocks })
  return { messages, pending: paired.pending, losses }
}
