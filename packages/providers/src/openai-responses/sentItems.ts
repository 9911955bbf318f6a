/**
 * The items of a turn, as the next Responses request has to carry them.
 */
import type { Loss, Turn } from "@wield/core"
import { Json } from "@wield/core"
import { callPairs } from "../internal/callPairs.js"
import { foreignTurn } from "../internal/sentTurn.js"
import type { Fields } from "../internal/wireField.js"
import { nothingOffered } from "../openai/offeredTools.js"
import { answeredCalls, callItem } from "./callItem.js"
import { name } from "./name.js"
import { emptyMessage, idRule, sayParts } from "./sayParts.js"

export interface SentItems {
  readonly items: ReadonlyArray<Json.Json>
  /** For each call of the application, the item that made it and the id by which its result names it. */
  readonly calls: ReadonlyMap<Turn.CallPart, SentCall>
  readonly losses: ReadonlyArray<Loss.Loss>
}

export interface SentCall {
  readonly item: Fields
  readonly id: string
}

/**
 * A turn of this format goes back verbatim. Only ids that the server left out
 * are filled in, since a result has nothing else to name its call by. A turn
 * of another format is said anew.
 */
export const sentItems = (turn: Turn.Turn): SentItems => {
  const parts = applicationCalls(turn.parts)
  if (turn.format === name && turn.parts.length === 0 && turn.native.length === 0) {
    return { items: [emptyMessage], calls: new Map(), losses: [] }
  }
  return turn.format === name ? { ...itemsWithIds(turn.native, parts), losses: [] } : saidAnew(turn, parts)
}

/** The items of a turn, with an id in each call of the application: its part's, where the server left it out. */
export const itemsWithIds = (
  native: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.CallPart>
): Omit<SentItems, "losses"> => {
  const answered = answeredCalls(native)
  const calls = new Map<Turn.CallPart, SentCall>()
  const items = native.map((item): Json.Json => {
    if (!Json.isObject(item) || callItem(item, answered)?.executedBy !== "application") return item
    // The decoder made one part of each such item, in the same order.
    const part = parts[calls.size]
    if (part === undefined) return item
    calls.set(part, { item, id: part.nativeId ?? part.call.id })
    return part.nativeId !== undefined ? item : { ...item, call_id: part.call.id }
  })
  return { items, calls }
}

export const applicationCalls = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<Turn.CallPart> =>
  parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")

const saidAnew = (turn: Turn.Turn, parts: ReadonlyArray<Turn.CallPart>): SentItems => {
  const pairs = callPairs(name, idRule)
  const callers = new Map<string, Fields>()
  const losses = [foreignTurn(turn)]
  const writing = { offered: nothingOffered, pairs, callers, isContinued: false, losses }
  const items = sayParts(turn.parts, { format: name, isPaired: () => true, subject: "turn" }, writing)
  const calls = new Map<Turn.CallPart, SentCall>()
  for (const part of parts) {
    const id = pairs.result(part.call.id) ?? part.call.id
    calls.set(part, { item: callers.get(id) ?? {}, id })
  }
  return { items, calls, losses }
}
