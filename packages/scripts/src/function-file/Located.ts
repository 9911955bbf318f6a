/** A value with the place of each of its parts; what a running interpreter answered has no places. */
import * as Json from "@wield/core/Json"
import type { Place } from "@wield/core/Problem"

export interface Located {
  readonly value: Json.Json
  readonly place: Place | undefined
  /** How many values it is made of; long texts count as several. */
  readonly size: number
  readonly items: ReadonlyArray<Located>
  /** Of an object. */
  readonly entries: ReadonlyMap<string, Located>
}

const noEntries: Located["entries"] = new Map()

export const scalar = (value: Json.Json, place: Place | undefined): Located => ({
  value,
  place,
  size: typeof value === "string" ? 1 + Math.floor(value.length / 100) : 1,
  items: [],
  entries: noEntries
})

const sizeOf = (parts: Iterable<Located>): number => {
  let size = 1
  for (const part of parts) size += part.size
  return size
}

export const list = (items: ReadonlyArray<Located>, place: Place | undefined): Located => ({
  value: items.map(({ value }) => value),
  place,
  size: sizeOf(items),
  items,
  entries: noEntries
})

export const record = (entries: ReadonlyMap<string, Located>, place: Place | undefined): Located => ({
  value: Object.fromEntries([...entries].map(([key, { value }]) => [key, value])),
  place,
  size: sizeOf(entries.values()),
  items: [],
  entries
})

/** A value that was not read from a source; all its parts are at the place that is known. */
export const locate = (value: Json.Json, place: Place | undefined): Located => {
  if (typeof value !== "object" || value === null) return scalar(value, place)
  if (Json.isArray(value))
    return list(
      value.map((item) => locate(item, place)),
      place
    )
  return record(new Map(Object.entries(value).map(([key, item]) => [key, locate(item, place)])), place)
}

export const isRecord = (value: Json.Json): value is Json.JsonObject =>
  typeof value === "object" && value !== null && !Json.isArray(value)
