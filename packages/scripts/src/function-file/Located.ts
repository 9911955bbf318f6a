/**
 * A value with the place of each of its parts, where there is one: what was read
 * from a source has places, what a running interpreter told has none.
 */
import type { Json } from "@wield/core"
import type { Place } from "@wield/core/Problem"

export interface Located {
  readonly value: Json.Json
  readonly place: Place | undefined
  /** Of an array. */
  readonly items: ReadonlyArray<Located>
  /** Of an object. */
  readonly entries: ReadonlyMap<string, Located>
}

const noEntries: Located["entries"] = new Map()

export const scalar = (value: Json.Json, place: Place | undefined): Located => ({
  value,
  place,
  items: [],
  entries: noEntries
})

export const list = (items: ReadonlyArray<Located>, place: Place | undefined): Located => ({
  value: items.map(({ value }) => value),
  place,
  items,
  entries: noEntries
})

export const record = (entries: ReadonlyMap<string, Located>, place: Place | undefined): Located => ({
  value: Object.fromEntries([...entries].map(([key, { value }]) => [key, value])),
  place,
  items: [],
  entries
})

/** A value that was not read from a source; all its parts are at the place that is known. */
export const locate = (value: Json.Json, place: Place | undefined): Located => {
  if (typeof value !== "object" || value === null) return scalar(value, place)
  if (isArray(value))
    return list(
      value.map((item) => locate(item, place)),
      place
    )
  return record(new Map(Object.entries(value).map(([key, item]) => [key, locate(item, place)])), place)
}

export const isArray = (value: Json.Json): value is ReadonlyArray<Json.Json> => Array.isArray(value)

export const isRecord = (value: Json.Json): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !isArray(value)
