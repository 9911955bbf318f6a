/** Credentials that an API says again in an answer are taken out of it. */
import { Json } from "@wield/core"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import { encoded } from "./percent.js"

export const placeholder = "<redacted>"

/** All spellings of a secret that an answer may have; none of one so short that it is in every text. */
const spellings = (secret: string): ReadonlyArray<string> => {
  if (secret.length < 4) return []
  const isWellFormed = !/[\ud800-\udfff]/u.test(secret)
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    inJson,
    // As PHP writes it.
    inJson.replaceAll("/", "\\/"),
    Encoding.encodeBase64(secret),
    ...(isWellFormed ? [encoded(secret), encodeURIComponent(secret)] : [])
  ]
}

/** The longest first, so that none is found inside another. */
export const ordered = (secrets: Iterable<string>): ReadonlyArray<string> =>
  [...new Set([...secrets].flatMap(spellings))].sort((left, right) => right.length - left.length)

export const hide = (text: string, secrets: ReadonlyArray<string>): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, placeholder), text)

/** In a JSON value: in its texts, keys and numbers. */
export const hideIn = (value: unknown, secrets: ReadonlyArray<string>): unknown => {
  if (typeof value === "string") return hide(value, secrets)
  if (typeof value === "number") return secrets.includes(String(value)) ? placeholder : value
  if (Array.isArray(value)) return value.map((item) => hideIn(item, secrets))
  if (!Json.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key, secrets), hideIn(item, secrets)]))
}

/** A secret given in code as a text, or as a `Redacted` one. */
export const revealed = (secret: string | Redacted.Redacted): string =>
  Redacted.isRedacted(secret) ? Redacted.value(secret) : secret
