/**
 * Keeps values of secret variables inside of scripts: they are replaced in what
 * a script answers, prints and fails with.
 */
import { Json } from "@wield/core"

const replacement = "<redacted>"

/** A shorter value would be found in texts that have nothing to do with it. */
const shortest = 6

/** Of secrets of several lines, such as keys in PEM, each line of this length is one, too: scripts print lines. */
const shortestLine = 16

const named = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

export interface Redaction {
  /** Whether a text, or a JSON text, holds a secret. */
  readonly isIn: (text: string) => boolean
  readonly text: (text: string) => string
  readonly json: (value: Json.Json) => Json.Json
  /** How many characters at the end of a text may be the beginning of a secret. */
  readonly beginning: (text: string) => number
  /** How many characters at the beginning of a text that was cut off may be the end of a secret. */
  readonly ending: (text: string) => number
}

/** Where nothing is secret. */
export const noRedaction: Redaction = {
  isIn: () => false,
  text: (text) => text,
  json: (value) => value,
  beginning: () => 0,
  ending: () => 0
}

const escapeUnits = (text: string, units: RegExp): string =>
  text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * As it may be written: as it is, as JSON.stringify writes it, with slashes or
 * all but ASCII escaped, and as `repr` of Python does, which leaves quotes alone.
 */
const formsOf = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, json, json.replaceAll('\\"', '"'), json.replaceAll("/", "\\/")]
  return [...forms, ...forms.map((form) => escapeUnits(form, /[\u007f-\uffff]/g))]
}

const linesOf = (secret: string): ReadonlyArray<string> =>
  secret.split(/[\r\n]+/).filter((line, _, lines) => lines.length > 1 && line.length >= shortestLine)

const beginningOf = (text: string, secret: string): number => {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

const endingOf = (text: string, secret: string): number => {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.startsWith(secret.slice(-length))) return length
  }
  return 0
}

/** Unless `names` says which variables are secret, their names do. */
export const makeRedaction = (
  environment: { readonly [name: string]: string },
  names: ReadonlyArray<string> | undefined
): Redaction => {
  const values = Object.entries(environment)
    .filter(([name]) => (names === undefined ? named.test(name) : names.includes(name)))
    .map(([, value]) => value)
    .filter((value) => value.length >= shortest)
  const secrets = new Set(values)
  if (secrets.size === 0) return noRedaction
  const forms = [...new Set([...secrets].flatMap((secret) => [secret, ...linesOf(secret)]).flatMap(formsOf))]
  // The longest first: one may be part of another.
  forms.sort((a, b) => b.length - a.length)

  const isIn = (given: string): boolean => forms.some((form) => given.includes(form))
  const text = (given: string): string => forms.reduce((left, form) => left.replaceAll(form, replacement), given)
  const json = (value: Json.Json): Json.Json => {
    if (typeof value === "string") return text(value)
    if (typeof value === "number") return secrets.has(String(value)) ? replacement : value
    if (Array.isArray(value)) return value.map(json)
    if (!Json.isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]))
  }
  const longest = (of: (secret: string) => number): number =>
    forms.reduce((length, form) => Math.max(length, of(form)), 0)
  return {
    isIn,
    text,
    json,
    beginning: (given) => longest((form) => beginningOf(given, form)),
    ending: (given) => longest((form) => endingOf(given, form))
  }
}
