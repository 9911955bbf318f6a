/** Encodes requests and responses for the file, without their secrets, and decodes responses. */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import { jsonOf, type Request, type RequestBody, textOf, toPiece, utf8, type Exchange, fromPiece } from "./exchange.js"
import {
  inAddresses,
  inHeader,
  inJson,
  isSecretField,
  isSecretName,
  placeholder,
  redactAddresses,
  redactJson,
  redactJsonText,
  redactPieces,
  redactText,
  type Redaction,
  type Rules
} from "./secrets.js"
import { type Sent, type SentBody, concatBytes } from "./sent.js"

/** The secrets in the headers, address and body of a request. */
export const secretsOfRequest = (sent: Sent, rules: Rules): ReadonlyArray<string> => [
  ...secretsOfHeaders(sent.headers, rules),
  ...[...sent.url.searchParams].flatMap(([name, value]) => (isSecretName(rules.query, name) ? [value] : [])),
  ...[sent.url.password, sent.url.username].map((part) =>
    Either.getOrElse(Encoding.decodeUriComponent(part), () => part)
  ),
  ...secretsOfBody(sent.body, rules)
]

export const secretsOfHeaders = (headers: Sent["headers"], rules: Rules): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) =>
    isSecretName(rules.headers, name) ? inHeader(name.toLowerCase(), value) : inAddresses(value, rules)
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
    if (isSecretName(redaction.query, name)) copy.searchParams.set(name, placeholder)
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
      return isKept(lower) && !isSecretName(redaction.headers, lower)
        ? [[lower, redactText(redactAddresses(value, redaction), redaction.literals)] as const]
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

export interface Received {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly pieces: ReadonlyArray<Uint8Array>
}

type Recorded = Exchange["response"]

/** The headers that programs read. Others belong to the connection or the account, or differ each time. */
const kept = new Set(
  "content-type retry-after retry-after-ms x-should-retry location link x-request-id request-id".split(" ")
)

const isKept = (name: string): boolean => kept.has(name) || /^(x|anthropic)-ratelimit-/.test(name)

export const secretsOfResponse = (received: Received, rules: Rules): ReadonlyArray<string> => [
  ...secretsOfHeaders(received.headers, rules),
  ...Either.match(jsonOf(Either.getOrElse(textOf(concatBytes(received.pieces)), () => "")), {
    onLeft: () => [],
    onRight: (value) => inJson(value, rules)
  })
]

const streaming =
  /^(text\/event-stream|application\/(x-)?ndjson|application\/jsonl|application\/vnd\.amazon\.eventstream)/

export const encodeResponse = (
  received: Received,
  redaction: Redaction,
  keepHeaders: ReadonlySet<string>
): Recorded => {
  const head = {
    status: received.status,
    headers: encodeHeaders(received.headers, redaction, (name) => isKept(name) || keepHeaders.has(name))
  }
  const pieces = received.pieces.filter((piece) => piece.length > 0)
  if (pieces.length === 0) return head
  if (streaming.test(received.headers["content-type"] ?? "")) {
    return { ...head, body: { chunks: redactPieces(pieces, redaction).map(toPiece) } }
  }
  const bytes = concatBytes(pieces)
  const text = Either.getOrElse(textOf(bytes), () => "")
  return Either.match(jsonOf(text), {
    onLeft: () => ({ ...head, body: toPiece(concatBytes(redactPieces([bytes], redaction))) }),
    onRight: (value) => ({ ...head, body: { text: redactJsonText(text, value, redaction) } })
  })
}

export const piecesOf = (
  body: Recorded["body"]
): Either.Either<ReadonlyArray<Uint8Array>, Encoding.DecodeException> => {
  if (body === undefined) return Either.right([])
  return Either.all(("chunks" in body ? body.chunks : [body]).map(fromPiece))
}

export const webResponse = (received: Received): Response => {
  // The constructor refuses a body for these.
  const hasBody = ![204, 205, 304].includes(received.status) && received.pieces.length > 0
  const pieces = received.pieces.values()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    }
  })
  return new Response(hasBody ? body : null, { status: received.status, headers: received.headers })
}
