/**
 * Secrets in what programs, scripts and APIs say: which names have secret
 * values, how a secret may be written, and a text or JSON value without it.
 * Every package that hides a secret uses this module.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Tracer from "effect/Tracer"
import { isObject, type Json } from "./Json.js"

/**
 * What stands in place of a secret.
 *
 * @category constants
 */
export const placeholder = "<redacted>"

/** Substrings of names that have secret values, whatever else the name says. */
const anywhere = /key|token|secret|passw|passphrase|credential|cookie|authorization|bearer/i

/** Words that are short, so that other words contain them. */
const words = new Set(["pass", "passcode", "pat", "dsn", "pwd", "jwt", "otp", "totp", "pin"])

/** Words that make a name secret only as the last one: `AUTH_MODE` and `sig_alg` have no secrets. */
const lastWords = new Set(["auth", "oauth", "sig", "signature"])

/** Names in one word: `DBPASS`, `BASICAUTH`, `MYSQLPWD`. `bypass` and `compass` are other words. */
const lastPart = /(?:(?<!by|com|tres|sur|over|under)pass|auth|pwd|dsn)$/

/** Shells and Windows keep folders in these. */
const folders = new Set(["pwd", "oldpwd"])

/**
 * Whether the value under this name is to be kept secret. For names that a
 * person configures: environment variables, headers, query parameters. The
 * answer is generous: `API_KEY_ID` and `DB_PASS_TEST` are secret.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Secret } from "@wield/core"
 *
 * const names = ["API_KEY", "DB_PASS", "SENTRY_DSN", "GITHUB_PAT", "X-Auth", "LANG", "PWD", "GIT_AUTHOR_NAME"]
 * assert.deepStrictEqual(names.filter(Secret.isName), ["API_KEY", "DB_PASS", "SENTRY_DSN", "GITHUB_PAT", "X-Auth"])
 * ```
 *
 * @category names
 */
export const isName = (name: string): boolean => {
  if (anywhere.test(name)) return true
  if (folders.has(name.toLowerCase())) return false
  const parts = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((part) => part !== "")
  const last = parts.at(-1) ?? ""
  return parts.some((part) => words.has(part)) || lastWords.has(last) || lastPart.test(last)
}

/**
 * The credentials within a value that says more than a credential: the password
 * of an address (`postgres://user:password@host`) or of a connection string
 * (`host=db password=…`, `user:password@tcp(host)/db`), and the token behind
 * `Bearer` or `Basic`. The value may stand under any name.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Secret } from "@wield/core"
 *
 * assert.deepStrictEqual(Secret.partsOf("postgres://app:hunter%202@db/shop"), ["hunter%202", "hunter 2"])
 * assert.deepStrictEqual(Secret.partsOf("Bearer abc.def"), ["abc.def"])
 * assert.deepStrictEqual(Secret.partsOf("https://example.com/@name"), [])
 * ```
 *
 * @category values
 */
export const partsOf = (value: string): ReadonlyArray<string> => {
  const found = [...inAddress(value), inConnectionString(value), ...behindScheme(value)].filter(
    (part): part is string => part !== undefined && part !== ""
  )
  return [...new Set(found.flatMap((part) => [part, Either.getOrElse(Encoding.decodeUriComponent(part), () => part)]))]
}

const inAddress = (value: string): ReadonlyArray<string | undefined> => {
  // A password may have an `@` itself; the last one before the path ends it.
  const [, scheme, user, password] = /^(?:([a-z][a-z0-9+.-]*):)?\/\/([^:/?#@\s]*)(?::([^/?#\s]*))?@/i.exec(value) ?? []
  if (user !== undefined) return [password, /^https?$/i.test(scheme ?? "") && !password ? user : undefined]
  // Go and Python write addresses of databases without a scheme.
  return [/^[^:/@\s]+:(\S+)@(?:[a-z]+\(|[\w.-]+(?::\d+$|(?::\d+)?\/))/i.exec(value)?.[1]]
}

const inConnectionString = (value: string): string | undefined => {
  const found = /(?:^|[;?&\s])\s*(?:password|passwd|pwd)\s*=\s*(?:'([^']*)'|"([^"]*)"|([^;&\s]*))/i.exec(value)
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

const behindScheme = (value: string): ReadonlyArray<string | undefined> => {
  const [, scheme, credential = ""] = /^(bearer|basic|token)\s+(\S+)$/i.exec(value) ?? []
  return scheme?.toLowerCase() === "basic" ? [credential, basicPassword(credential)] : [credential]
}

const basicPassword = (text: string): string | undefined => {
  const decoded = Either.getOrElse(Encoding.decodeBase64String(text), () => "")
  return decoded.includes(":") ? decoded.slice(decoded.indexOf(":") + 1) : undefined
}

/** A shorter word of a header may be one that says nothing, such as `Bearer`. */
const shortestWord = 8

/**
 * What is secret of a header with a credential: its value, its parts as of
 * `partsOf`, and each long word of it, such as the values of cookies.
 *
 * @category values
 */
export const inHeader = (value: string): ReadonlyArray<string> => {
  const long = value.split(/[\s,;="]+/).filter((word) => word.length >= shortestWord)
  return [...new Set([value, ...partsOf(value), ...long])]
}

/** Of secrets of several lines, such as keys in PEM, a line of this length is secret by itself: programs print lines. */
const shortestLine = 16

/**
 * How these secrets may be written, the longest first, so that no part of one is
 * replaced before the whole: as they are, line by line, in JSON, Python's `repr`
 * and HTML, percent-encoded with large or small letters, and in Base64 of either
 * alphabet, by themselves or within something longer (`user:password`).
 *
 * Give no secrets that are so short that they stand in other texts by chance.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Secret } from "@wield/core"
 *
 * const spellings = Secret.spellingsOf(["k/1?secret"])
 * assert.strictEqual(Secret.hide("k%2f1%3fsecret", spellings), "<redacted>")
 * assert.strictEqual(Secret.hide(`Basic ${btoa("user:k/1?secret")}`, spellings), "Basic dXNlcjp<redacted>")
 * ```
 *
 * @category values
 */
export const spellingsOf = (secrets: Iterable<string>): ReadonlyArray<string> => {
  const wholes = new Set([...secrets].flatMap((secret) => [secret, ...linesOf(secret)]))
  const spellings = new Set([...wholes].flatMap(spellingsOfOne))
  spellings.delete("")
  return [...spellings].sort((left, right) => right.length - left.length)
}

const linesOf = (secret: string): ReadonlyArray<string> =>
  secret.split(/[\r\n]+/).filter((line, _, lines) => lines.length > 1 && line.length >= shortestLine)

const spellingsOfOne = (secret: string): ReadonlyArray<string> => [
  secret,
  ...jsonSpellings(secret),
  ...htmlSpellings(secret),
  ...percentSpellings(secret),
  ...base64Spellings(secret)
]

const jsonSpellings = (secret: string): ReadonlyArray<string> => {
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [
    json,
    // PHP escapes slashes.
    json.replaceAll("/", "\\/"),
    // `repr` of Python leaves double quotes alone, and single ones too, where it can.
    json.replaceAll('\\"', '"'),
    json.replaceAll('\\"', '"').replaceAll("'", "\\'")
  ]
  return [
    ...forms,
    // JSON within JSON.
    JSON.stringify(json).slice(1, -1),
    ...forms.flatMap((form) => {
      const escaped = form.replaceAll(/[\u007f-\uffff]/g, unicodeEscape)
      return [escaped, escaped.replaceAll(/(?<=\\u)[\da-f]{4}/g, (digits) => digits.toUpperCase())]
    })
  ]
}

const unicodeEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const htmlSpellings = (secret: string): ReadonlyArray<string> => {
  const inText = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
  const inAttribute = inText.replaceAll('"', "&quot;")
  return [inText, inAttribute, ...["&#39;", "&#x27;", "&#039;"].map((quote) => inAttribute.replaceAll("'", quote))]
}

const percentSpellings = (secret: string): ReadonlyArray<string> => {
  // It has no UTF-8, so it stands in no address.
  if (/[\ud800-\udfff]/u.test(secret)) return []
  const component = encodeURIComponent(secret)
  // All but the unreserved characters of RFC 3986.
  const strict = component.replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  )
  const forms = [
    component,
    strict,
    component.replaceAll("%20", "+"),
    strict.replaceAll("%20", "+"),
    new URLSearchParams([["", secret]]).toString().slice(1),
    // As URLs are printed: only what cannot stand in one is encoded.
    encodeURI(secret)
  ]
  return forms.flatMap((form) => [form, form.replaceAll(/%[\dA-F]{2}/g, (octet) => octet.toLowerCase())])
}

/** A shorter part of Base64 stands in other Base64 by chance. */
const shortestBase64 = 8

/**
 * Base64 writes three bytes as four characters, so what a secret looks like
 * within a longer text depends on where it begins: there are three ways. The
 * characters that a neighbour has a share in are left out.
 */
const base64Spellings = (secret: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(secret)
  const within = [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length)
    shifted.set(bytes, offset)
    const text = Encoding.encodeBase64(shifted).replace(/=+$/, "")
    const end = shifted.length % 3 === 0 ? text.length : text.length - 1
    const part = text.slice(offset === 0 ? 0 : offset + 1, end)
    return part.length < shortestBase64 ? [] : [part]
  })
  const whole = Encoding.encodeBase64(bytes)
  return [whole, whole.replace(/=+$/, ""), ...within].flatMap((form) => [
    form,
    form.replaceAll("+", "-").replaceAll("/", "_")
  ])
}

/**
 * The text with `placeholder` in place of each spelling.
 *
 * @category values
 */
export const hide = (text: string, spellings: ReadonlyArray<string>): string =>
  spellings.reduce((left, spelling) => left.replaceAll(spelling, placeholder), text)

/**
 * The JSON value with `placeholder` in place of each spelling, in its texts, its
 * keys, and numbers that are a secret as a whole.
 *
 * @category values
 */
export const hideIn = (value: Json, spellings: ReadonlyArray<string>): Json => {
  if (typeof value === "string") return hide(value, spellings)
  if (typeof value === "number") return spellings.includes(String(value)) ? placeholder : value
  if (Array.isArray(value)) return value.map((item) => hideIn(item, spellings))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key, spellings), hideIn(item, spellings)]))
}

/**
 * What an effect logs is no part of the span around it, which goes where traces
 * go. For logs that may have secrets, such as the cause of an error.
 *
 * @example
 * ```ts
 * import { Secret } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const logged = Secret.outsideTraces(Effect.logError("the payment failed", new Error("card 4242 was refused")))
 * Effect.runFork(Effect.withSpan(logged, "pay"))
 * ```
 *
 * @category traces
 */
export const outsideTraces: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.mapInputContext((context: Context.Context<never>) => Context.omit(Tracer.ParentSpan)(context)) as never
