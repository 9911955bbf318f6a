/**
 * The items of a streamed response: those that the last event lists, and those
 * that only came one by one.
 */
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"

/** An item that came by itself, and the place at which it came. */
export interface Placed {
  readonly index: number
  readonly item: Fields
  /** It has been told of as a call that can be run, and must stay what it was. */
  readonly isAnnounced: boolean
}

/**
 * The list of the last event counts: it has items that never came by
 * themselves (a listing of an MCP server's tools), and reasoning is encrypted
 * anew in it. Where it is empty (some servers and proxies leave `output` out of
 * it) or lacks an item, what came by itself stands.
 */
export const mergeItems = (listed: ReadonlyArray<Fields>, placed: ReadonlyArray<Placed>): ReadonlyArray<Fields> => {
  const merged: Array<Fields> = [...listed]
  const taken = new Set<Fields>()
  for (const { index, isAnnounced, item } of placed) {
    const at = placeOf(item, index, merged, taken)
    if (at === -1) merged.splice(Math.min(index, merged.length), 0, item)
    else if (isAnnounced) merged[at] = item
    taken.add(merged[at] ?? item)
  }
  return merged
}

const placeOf = (item: Fields, index: number, merged: ReadonlyArray<Fields>, taken: ReadonlySet<Fields>): number => {
  const isSame = (other: Fields): boolean =>
    !taken.has(other) &&
    other["type"] === item["type"] &&
    (isEqual(other, item, "id") || isEqual(other, item, "call_id"))
  const known = merged.findIndex(isSame)
  if (known !== -1) return known
  // Some servers name an item anew in each event, or not at all.
  const there = merged[index]
  const isNamed = stringField(item, "call_id") !== undefined
  return there !== undefined && !taken.has(there) && !isNamed && there["type"] === item["type"] ? index : -1
}

const isEqual = (left: Fields, right: Fields, key: string): boolean => {
  const value = stringField(left, key)
  return value !== undefined && value !== "" && value === stringField(right, key)
}
