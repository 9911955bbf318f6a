/** Finds secrets by their names. */
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Secrets } from "../Recorded.js"
import { fromBinary, jsonOf, toBinary, utf8 } from "./exchange.js"

export const placeholder = "REDACTED"

export interface Rules {
  readonly headers: ReadonlySet<string>
  readonly query: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
  readonly paths: ReadonlyArray<ReadonlyArray<string>>
  readonly values: ReadonlyArray<string>
}

/** What is removed from an exchange: what the rules name, and the values found, wherever they stand. */
export interface Redaction extends Rules {
  readonly literals: ReadonlyArray<string>
}

const headers =
  "authorization proxy-authorization cookie set-cookie x-api-key api-key x-goog-api-key x-auth-token x-amz-security-token x-csrf-token"
const query =
  "key api_key apikey api-key access_token refresh_token id_token token client_secret code password secret sig signature x-amz-signature x-amz-credential x-amz-security-token x-goog-signature x-goog-credential"
const fields =
  "access_token refresh_token id_token client_secret client_assertion api_key apikey api-key password passwd private_key secret_access_key token"

/** Names of any spelling (`accessToken`, `STRIPE_API_KEY`), without what is between their words. */
const endings =
  /(?:(?:access|refresh|id|auth|bearer|session|security|[cx]srf)token|(?:api|access|secret|private|signing|encryption)key|secret|password|passwd|passphrase|clientassertion|jwt)$/

export const isSecretName = (known: ReadonlySet<string>, name: string): boolean => {
  const lower = name.toLowerCase()
  return known.has(lower) || endings.test(lower.replaceAll(/[^a-z\d]/g, ""))
}

export const rulesOf = (secrets: Secrets): Rules => {
  const named = (known: string, more: ReadonlyArray<string> = []): ReadonlySet<string> =>
    new Set([...known.split(" "), ...more.map((name) => name.toLowerCase())])
  const body = secrets.body ?? []
  return {
    headers: named(headers, secrets.headers),
    query: named(query, secrets.query),
    fields: named(
      fields,
      body.filter((place) => !place.startsWith("$"))
    ),
    paths: body.filter((place) => place.startsWith("$")).map(pathOf),
    values: (secrets.values ?? []).map(Redacted.value)
  }
}

/** The steps of `$.users[*].email`. `*` matches any step. */
const pathOf = (path: string): ReadonlyArray<string> =>
  path
    .slice(1)
    .replaceAll(/\[(?:(\d+|\*)|"([^"]*)"|'([^']*)')\]/g, ".$1$2$3")
    .split(".")
    .filter((step) => step !== "")

export const isSecretField = (rules: Rules, path: ReadonlyArray<string>): boolean => {
  const name = path.at(-1)
  // What a model could have said is listed by token.
  if (name === undefined || path.some((step) => /^(?:top_)?logprobs$/i.test(step))) return false
  return (
    isSecretName(rules.fields, name) ||
    rules.paths.some(
      (steps) => steps.length === path.length && steps.every((step, index) => step === "*" || step === path[index])
    )
  )
}

/** A shorter value may be an ordinary word. Values that the user gives have no minimum. */
const shortest = 8

export const redactionOf = (found: ReadonlyArray<string>, rules: Rules): Redaction => {
  const values = [...found.filter((value) => value.length >= shortest), ...rules.values]
  const literals = Secret.spellingsOf(values.filter((value) => value !== "" && value !== placeholder))
  return { ...rules, literals }
}

/** The secrets in a header: the whole value, and the credentials in it. */
export const inHeader = (name: string, value: string): ReadonlyArray<string> => {
  switch (name) {
    case "cookie":
      return value.split(";").flatMap(cookieValue)
    case "set-cookie":
      // The attributes (`Path`, `Expires`) are not secret.
      return cookieValue(value.split(";")[0] ?? "")
    default: {
      const [scheme = "", ...rest] = value.split(" ")
      const credentials = rest.join(" ")
      const basic =
        scheme.toLowerCase() === "basic" ? Either.getOrElse(Encoding.decodeBase64String(credentials), () => "") : ""
      return [value, credentials, basic, ...basic.split(":")]
    }
  }
}

const cookieValue = (pair: string): ReadonlyArray<string> => [pair.slice(pair.indexOf("=") + 1).trim()]

const inAddress = /(?<=[?&#])([^=&#>\s]+)=([^&#>\s]+)/g

/** The values of secret names in the query or the fragment of addresses, wherever those stand in a text. */
export const inAddresses = (text: string, { query }: Rules): ReadonlyArray<string> =>
  Array.from(text.matchAll(inAddress)).flatMap(([, name = "", value = ""]) =>
    isSecretName(query, name) ? [Either.getOrElse(Encoding.decodeUriComponent(value), () => value)] : []
  )

export const redactAddresses = (text: string, { query }: Rules): string =>
  text.replaceAll(inAddress, (pair: string, name: string) =>
    isSecretName(query, name) ? `${name}=${placeholder}` : pair
  )

/** The values of secret fields in JSON. */
export const inJson = (value: unknown, rules: Rules, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (isSecretField(rules, path) && typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap((item, index) => inJson(item, rules, [...path, String(index)]))
  if (Json.isObject(value)) return Object.entries(value).flatMap(([key, item]) => inJson(item, rules, [...path, key]))
  return []
}

export const redactText = (text: string, literals: ReadonlyArray<string>): string =>
  literals.reduce((before, literal) => before.replaceAll(literal, placeholder), text)

/** Also redacts keys, and JSON text inside JSON such as a call's arguments. */
export const redactJson = (value: unknown, redaction: Redaction, path: ReadonlyArray<string> = []): unknown => {
  if (isSecretField(redaction, path) && (typeof value === "string" || typeof value === "number")) return placeholder
  if (typeof value === "string") return redactText(redactInner(value, redaction), redaction.literals)
  if (Array.isArray(value)) return value.map((item, index) => redactJson(item, redaction, [...path, String(index)]))
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      redactText(key, redaction.literals),
      redactJson(item, redaction, [...path, key])
    ])
  )
}

const redactInner = (text: string, redaction: Redaction): string => {
  if (!/^\s*[[{]/.test(text)) return text
  return Either.match(jsonOf(text), {
    onLeft: () => text,
    onRight: (inner) => redactJsonText(text, inner, redaction)
  })
}

/** Keeps the text unchanged if it has no secret. */
export const redactJsonText = (text: string, value: unknown, redaction: Redaction): string => {
  const redacted = JSON.stringify(redactJson(value, redaction))
  return redacted === JSON.stringify(value) ? text : redacted
}

/** Removes the secrets from the pieces of a body. Pieces that share a secret become one. */
export const redactPieces = (pieces: ReadonlyArray<Uint8Array>, redaction: Redaction): ReadonlyArray<Uint8Array> => {
  const whole = pieces.map(toBinary)
  const text = whole.join("")
  const ranges = mergeRanges([
    ...fieldRanges(text, redaction),
    ...redaction.literals.flatMap((literal) => occurrences(text, toBinary(utf8(literal))))
  ])
  if (ranges.length === 0) return pieces
  const ends: Array<number> = []
  for (const piece of whole) ends.push((ends.at(-1) ?? 0) + piece.length)
  const cuts = ends.filter((end) => !ranges.some(({ from, to }) => from < end && end < to))
  return cuts.map((to, index) => fromBinary(replaceRanges(text, ranges, cuts[index - 1] ?? 0, to)))
}

interface Range {
  readonly from: number
  readonly to: number
}

const occurrences = (text: string, literal: string): ReadonlyArray<Range> => {
  const found: Array<Range> = []
  for (let from = text.indexOf(literal); from !== -1; from = text.indexOf(literal, from + literal.length)) {
    found.push({ from, to: from + literal.length })
  }
  return found
}

/** The values of secret fields in text that contains JSON, such as server-sent events. */
const fieldRanges = (text: string, rules: Rules): ReadonlyArray<Range> =>
  Array.from(text.matchAll(/(\\*)"([\w$.-]+)\1"\s*:\s*\1"((?:[^"\\]|\\.)*?)\1"/gs)).flatMap((match) => {
    const [all, escape = "", name = "", value = ""] = match
    const to = match.index + all.length - escape.length - 1
    const isOfText = name === "token" && /^\\*"\s*,\s*\\*"(?:logprob|bytes)\\*"/.test(text.slice(to, to + 40))
    if (!isSecretName(rules.fields, name) || value === "" || isOfText) return []
    return [{ from: to - value.length, to }]
  })

const mergeRanges = (ranges: ReadonlyArray<Range>): ReadonlyArray<Range> => {
  const out: Array<Range> = []
  for (const range of ranges.toSorted((left, right) => left.from - right.from)) {
    const last = out.at(-1)
    if (last !== undefined && range.from < last.to)
      out[out.length - 1] = { from: last.from, to: Math.max(last.to, range.to) }
    else out.push(range)
  }
  return out
}

const replaceRanges = (text: string, ranges: ReadonlyArray<Range>, start: number, end: number): string => {
  let out = ""
  let at = start
  for (const { from, to } of ranges) {
    if (from < start || to > end) continue
    out += text.slice(at, from) + placeholder
    at = to
  }
  return out + text.slice(at, end)
}
