/** Removes secrets from JSON, text and bytes. */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import { fromBinary, jsonOf, toBinary, utf8 } from "./exchange.js"
import { isSecretField, placeholder, type Redaction, type Rules } from "./secrets.js"

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

/**
 * Removes the secrets from the pieces of a body. Pieces that share a secret
 * become one.
 */
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
    if (!rules.fields.has(name.toLowerCase()) || value === "") return []
    const to = match.index + all.length - escape.length - 1
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
