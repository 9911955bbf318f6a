/**
 * A turn and the results of its calls, as items of the next Responses request.
 */
import type { Json, Loss, Outcome } from "@wield/core"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import type { WireFormat } from "../WireFormat.js"
import { approvalRequests, approvalResponse } from "./approvals.js"
import { outputItem } from "./outputItem.js"
import { sentItems } from "./sentItems.js"

export const encodeResults: WireFormat["encodeResults"] = (turn, outcomes) => {
  const requested = approvalRequests(turn)
  const approvals = new Map<string, Outcome.Outcome>()
  const others: Array<Outcome.Outcome> = []
  for (const outcome of outcomes) {
    if (requested.has(outcome.id)) approvals.set(outcome.id, outcome)
    else others.push(outcome)
  }
  const { results, pending, losses } = pairOutcomes(turn, others)
  const sent = sentItems(turn)
  const messages: Array<Json.Json> = [...sent.items]
  const lost: Array<Loss.Loss> = [...sent.losses, ...losses]
  const waiting = [...pending]
  for (const { part, outcome, result } of results) {
    const call = sent.calls.get(part) ?? { item: {}, id: part.nativeId ?? part.call.id }
    const { item, losses } = outputItem(call.item, call.id, outcome, result)
    messages.push(item)
    lost.push(...losses)
  }
  for (const id of requested) {
    const outcome = approvals.get(id)
    const response = outcome === undefined ? undefined : approvalResponse(outcome)
    if (response === undefined) waiting.push(id)
    else messages.push(response)
  }
  return { messages, pending: waiting, losses: lost }
}
