/**
 * Keeps values of secret variables inside of scripts: they are replaced in what
 * a script answers, prints and fails with.
 */
import { Json } from "@wield/core"

const replacement = "<redacted>"

/** A shorter value would be found in texts that have nothing to do with it. */
const shortest = 6

const named = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i

export interface Redaction {
  /** Whether a text, or a JSON text, holds a secret. */
  readonly isIn: (text: string) => boolean
  readonly text: (text: string) => string
  readonly json: (value: Json.Json) => Json.Json
  /** How many characters at the end of a text may be the beginning of a secret. */
  readonly beginning: (text: string) => number
}

/** Where nothing is secret. */
export const noRedaction: Redaction = {
  isIn: () => false,
  text: (text) => text,
  json: (value) => value,
  beginning: () => 0
}

/** As it may stand in a JSON text: as JSON.stringify writes it, and with all but ASCII escaped. */
const jsonForms = (secret: string): ReadonlyArray<string> => {
  const inner = JSON.stringify(secret).slice(1, -1)
  const ascii = inner.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  return [inner, ascii]
}

const beginningOf = (text: string, secret: string): number => {
  for (let length = Math.min(text.length, secret.length - 1); length > 0; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
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
  // The longest first: one may be part of another.
  const secrets = [...new Set(values)].sort((a, b) => b.length - a.length)
  if (secrets.length === 0) return noRedaction
  const forms = [...new Set([...secrets, ...secrets.flatMap(jsonForms)])]

  const text = (given: string): string => secrets.reduce((left, secret) => left.replaceAll(secret, replacement), given)
  const json = (value: Json.Json): Json.Json => {
    if (typeof value === "string") return text(value)
    if (Array.isArray(value)) return value.map(json)
    if (!Json.isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), json(member)]))
  }
  return {
    isIn: (given) => forms.some((form) => given.includes(form)),
    text,
    json,
    beginning: (given) => secrets.reduce((longest, secret) => Math.max(longest, beginningOf(given, secret)), 0)
  }
}
