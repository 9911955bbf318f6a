/** What a provider's package keeps beside a part, as JSON that a conversation can be stored with. */
import type { Json } from "@wield/core"

/** Provider metadata by the provider's name: what @effect/ai calls metadata in a response and options in a prompt. */
export interface Metadata {
  readonly [provider: string]: { readonly [key: string]: unknown } | undefined
}

/** A copy without what JSON cannot say; metadata came out of JSON, but absent keys stand in it as `undefined`. */
export const toJson = (value: unknown): Json.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "object":
      if (value === null) return null
      if (Array.isArray(value)) return value.map(toJson)
      // Not by assignment: `__proto__` may be a key.
      return Object.fromEntries(
        Object.entries(value).flatMap(([key, field]) => (field === undefined ? [] : [[key, toJson(field)]]))
      )
    default:
      return null
  }
}

/** What a later piece of a part says of it is laid over what an earlier one said; `undefined` says nothing. */
export const merged = (earlier: Metadata, later: Metadata): Metadata => {
  const out: Record<string, { readonly [key: string]: unknown }> = {}
  for (const metadata of [earlier, later]) {
    for (const [provider, fields] of Object.entries(metadata)) {
      if (fields === undefined) continue
      const stated = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
      out[provider] = { ...out[provider], ...stated }
    }
  }
  return out
}
