/** Encodes a request for the file, without its secrets. */
import * as Either from "effect/Either"
import { jsonOf, type Request, type RequestBody, textOf, toPiece, utf8 } from "./exchange.js"
import { redactJson, redactPieces, redactText } from "./redact.js"
import { inHeader, inJson, isSecretField, placeholder, type Redaction, type Rules } from "./secrets.js"
import type { Sent, SentBody } from "./sent.js"

/** The secrets in the headers, address and body of a request. */
export const secretsOfRequest = (sent: Sent, rules: Rules): ReadonlyArray<string> => [
  ...secretsOfHeaders(sent.headers, rules),
  ...[...sent.url.searchParams].flatMap(([name, value]) => (rules.query.has(name.toLowerCase()) ? [value] : [])),
  ...[sent.url.password, sent.url.username].map(decodePart),
  ...secretsOfBody(sent.body, rules)
]

export const secretsOfHeaders = (headers: Sent["headers"], rules: Rules): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    rules.headers.has(name.toLowerCase()) ? inHeader(name.toLowerCase(), value) : []
  )

const decodePart = (part: string): string =>
  Either.getOrElse(
    Either.try(() => decodeURIComponent(part)),
    () => part
  )

const secretsOfBody = (body: SentBody | undefined, rules: Rules): ReadonlyArray<string> => {
  if (body === undefined) return []
  if (body._tag === "Form") {
    return body.fields.flatMap(([name, value]) =>
      isSecretField(rules, [name]) && typeof value === "string" ? [value] : []
    )
  }
  const text = Either.getOrElse(textOf(body.bytes), () => "")
  if (isForm(body)) {
    return [...new URLSearchParams(text)].flatMap(([name, value]) => (isSecretField(rules, [name]) ? [value] : []))
  }
  return Either.match(jsonOf(text), { onLeft: () => [], onRight: (value) => inJson(value, rules) })
}

const isForm = (body: { readonly contentType: string }): boolean =>
  body.contentType.includes("application/x-www-form-urlencoded")

export const encodeRequest = (sent: Sent, redaction: Redaction, keepHeaders: ReadonlySet<string>): Request => {
  const body = sent.body === undefined ? undefined : encodeBody(sent.body, redaction)
  return {
    method: sent.method,
    url: encodeUrl(sent.url, redaction),
    headers: encodeHeaders(sent.headers, redaction, (name) => keepHeaders.has(name)),
    ...(body === undefined ? {} : { body })
  }
}

const encodeUrl = (url: URL, redaction: Redaction): string => {
  const copy = new URL(url)
  copy.username = ""
  copy.password = ""
  copy.hash = ""
  for (const name of new Set(copy.searchParams.keys())) {
    if (redaction.query.has(name.toLowerCase())) copy.searchParams.set(name, placeholder)
  }
  return redactText(copy.toString(), redaction.literals)
}

export const encodeHeaders = (
  headers: Sent["headers"],
  redaction: Redaction,
  isKept: (name: string) => boolean
): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const lower = name.toLowerCase()
      return isKept(lower) && !redaction.headers.has(lower)
        ? [[lower, redactText(value, redaction.literals)] as const]
        : []
    })
  )

const encodeBody = (body: SentBody, redaction: Redaction): RequestBody => {
  const plain = (bytes: Uint8Array) => toPiece(redactPieces([bytes], redaction)[0] ?? bytes)
  if (body._tag === "Form") {
    return {
      form: body.fields.map(([name, value]) => [
        name,
        isSecretField(redaction, [name])
          ? { text: placeholder }
          : plain(typeof value === "string" ? utf8(value) : value)
      ])
    }
  }
  const text = Either.getOrElse(textOf(body.bytes), () => "")
  if (isForm(body)) {
    return {
      form: [...new URLSearchParams(text)].map(([name, value]) => [
        name,
        isSecretField(redaction, [name]) ? { text: placeholder } : { text: redactText(value, redaction.literals) }
      ])
    }
  }
  return Either.match(jsonOf(text), {
    onLeft: () => plain(body.bytes),
    onRight: (value) => ({ json: redactJson(value, redaction) })
  })
}
