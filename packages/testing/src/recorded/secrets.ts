/** Finds secrets by their names. */
import * as Json from "@wield/core/Json"
import * as Secret from "@wield/core/Secret"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type { Secrets } from "../Recorded.js"

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
  "access_token refresh_token id_token client_secret client_assertion api_key apikey api-key password passwd private_key secret_access_key"

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
  if (name === undefined) return false
  return (
    rules.fields.has(name.toLowerCase()) ||
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

/** The values of secret fields in JSON. */
export const inJson = (value: unknown, rules: Rules, path: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  if (isSecretField(rules, path) && typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap((item, index) => inJson(item, rules, [...path, String(index)]))
  if (Json.isObject(value)) return Object.entries(value).flatMap(([key, item]) => inJson(item, rules, [...path, key]))
  return []
}
