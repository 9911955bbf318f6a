/**
 * Lists in a streamed message whose entries arrive in pieces, such as
 * OpenRouter's `reasoning_details`.
 */
import { Json } from "@wield/core"

/** The fields that grow; what else an entry has is stated anew. */
const growing = ["text", "summary", "data"] as const

interface Entry {
  readonly pieces: Map<string, Array<string>>
  rest: { readonly [key: string]: Json.Json }
}

export class StreamedDetails {
  readonly #entries: Array<Entry> = []

  add(items: ReadonlyArray<unknown>): void {
    for (const item of items) {
      if (!Json.isObject(item)) continue
      // An item of a message that was parsed from JSON is JSON.
      const stated = item as Json.JsonObject
      const last = this.#entries.at(-1)
      const entry = last !== undefined && goesOn(last.rest, stated) ? last : this.#start()
      for (const [key, value] of Object.entries(stated)) {
        if (typeof value === "string" && growing.some((name) => name === key)) {
          const pieces = entry.pieces.get(key)
          if (pieces === undefined) entry.pieces.set(key, [value])
          else pieces.push(value)
        } else if (value !== null || !Object.hasOwn(entry.rest, key)) entry.rest = { ...entry.rest, [key]: value }
      }
    }
  }

  json(): ReadonlyArray<Json.Json> {
    return this.#entries.map(({ pieces, rest }) => ({
      ...rest,
      ...Object.fromEntries(Array.from(pieces, ([key, parts]) => [key, parts.join("")]))
    }))
  }

  #start(): Entry {
    const entry = { pieces: new Map<string, Array<string>>(), rest: {} }
    this.#entries.push(entry)
    return entry
  }
}

/** Whether an item is more of the entry before it: of its type, at its index, and of no other id. */
const goesOn = (before: Entry["rest"], item: Json.JsonObject): boolean =>
  before["type"] === item["type"] &&
  before["index"] === item["index"] &&
  (item["id"] === undefined ||
    item["id"] === null ||
    before["id"] === undefined ||
    before["id"] === null ||
    before["id"] === item["id"])
