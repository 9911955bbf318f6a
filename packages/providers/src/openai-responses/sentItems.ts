/**
 * The items of a turn, as the next Responses request has to carry them.
 */
import type { Loss, Turn } from "@wield/core"
import { Json, Turn as Turns } from "@wield/core"
import type { Fields } from "../internal/wireField.js"
import { argumentText } from "../openai/argumentText.js"
import { answeredCalls, callItem } from "./callItem.js"
import { name } from "./name.js"

export interface SentItems {
  readonly items: ReadonlyArray<Json.Json>
  /** For each call of the application, the item that made it. */
  readonly calls: ReadonlyMap<Turn.CallPart, Fields>
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * A turn of this format goes back verbatim. Only ids that the server left out
 * are filled in, since a result has nothing else to name its call by. A turn
 * of another format is written anew from its parts.
 */
export const sentItems = (turn: Turn.Turn): SentItems => {
  const parts = turn.parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")
  if (turn.format !== name) return rewritten(turn, parts)
  const answered = answeredCalls(turn.native)
  const calls = new Map<Turn.CallPart, Fields>()
  const items = turn.native.map((item): Json.Json => {
    if (!Json.isObject(item) || callItem(item, answered)?.executedBy !== "application") return item
    // The decoder made one part of each such item, in the same order.
    const part = parts[calls.size]
    if (part === undefined) return item
    calls.set(part, item)
    return part.nativeId !== undefined ? item : { ...item, call_id: part.call.id }
  })
  return { items, calls, losses: [] }
}

const rewritten = (turn: Turn.Turn, parts: ReadonlyArray<Turn.CallPart>): SentItems => {
  const text = Turns.text(turn)
  const calls = parts.map(({ call, nativeName }) => ({
    type: "function_call",
    call_id: call.id,
    name: nativeName,
    arguments: argumentText(call.arguments)
  }))
  return {
    items: [...(text === "" ? [] : [{ role: "assistant", content: text }]), ...calls],
    calls: new Map(),
    losses: [
      {
        subject: "turn",
        path: [],
        keyword: "native",
        reason: `The turn is one of ${turn.format}: its text and calls are sent, its reasoning and metadata are not.`
      }
    ]
  }
}
