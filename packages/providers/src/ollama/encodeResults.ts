/**
 * Ollama's chat API: a turn and the results of its calls, one message of the
 * role `tool` per call.
 */
import type { Json, Outcome, Turn } from "@wield/core"
import { nameMap } from "../internal/nameMap.js"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { EncodedResults } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"
import { sayParts, sayResult } from "./sayMessages.js"

export const encodeResults = (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>): EncodedResults => {
  const paired = pairOutcomes(turn, outcomes)
  const losses = [...paired.losses]
  const { toNative } = nameMap([], nameRule)
  const said = turn.format === formatName ? undefined : sayParts(turn.parts, "turn", toNative, losses)
  const messages: Array<Json.Json> = turn.format === formatName ? [...turn.native] : said === undefined ? [] : [said]
  for (const { part, outcome, result } of paired.results) {
    const isOwn = turn.format === formatName
    const call = {
      name: isOwn ? part.nativeName : toNative(part.call.name),
      nativeId: isOwn || part.nativeId === undefined ? part.nativeId : part.call.id
    }
    messages.push(sayResult(call, outcome, result, losses))
  }
  return { messages, pending: paired.pending, losses }
}
