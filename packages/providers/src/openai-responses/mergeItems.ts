/**
 * The items of a streamed response: those that the last event lists, and those
 * that only came one by one.
 */
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"
import type { StreamItem } from "./streamItem.js"

export interface Merged {
  readonly item: Fields
  /** What came of it by itself, if anything did. */
  readonly came: StreamItem | undefined
}

/**
 * The list of the last event counts: it has items that never came by
 * themselves (a listing of an MCP server's tools), and reasoning is encrypted
 * anew in it. Where it is empty (some servers and proxies leave `output` out of
 * it) or lacks an item, what came whole by itself stands. A call that has been
 * told of as one that can be run stays what it was.
 */
export const mergeItems = (listed: ReadonlyArray<Fields>, came: ReadonlyArray<StreamItem>): ReadonlyArray<Merged> => {
  const merged: Array<Merged> = listed.map((item) => ({ item, came: undefined }))
  for (const each of came) {
    const at = placeOf(each, merged)
    const there = merged[at]
    if (there !== undefined) merged[at] = { item: each.isAnnounced ? each.item : there.item, came: each }
    else if (each.isDone) merged.splice(Math.min(each.index, merged.length), 0, { item: each.item, came: each })
  }
  return merged
}

const placeOf = ({ index, item }: StreamItem, merged: ReadonlyArray<Merged>): number => {
  const isFree = (other: Merged): boolean => other.came === undefined && other.item["type"] === item["type"]
  const known = merged.findIndex(
    (other) => isFree(other) && (isEqual(other.item, item, "id") || isEqual(other.item, item, "call_id"))
  )
  if (known !== -1) return known
  // Some servers name an item anew in each event, or not at all.
  const there = merged[index]
  return there !== undefined && isFree(there) && stringField(item, "call_id") === undefined ? index : -1
}

const isEqual = (left: Fields, right: Fields, key: string): boolean => {
  const value = stringField(left, key)
  return value !== undefined && value !== "" && value === stringField(right, key)
}
