/** One request and as much of its answer as is allowed; errors without secrets. */
import * as Refusal from "@wield/http/Refusal"
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { RequestFailed } from "../ExecutorError.js"

export interface Answer {
  /** What it answers: after redirects, the last. */
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly bytes: Uint8Array
  readonly isCut: boolean
}

export const isSuccess = ({ status }: { readonly status: number }): boolean => status >= 200 && status <= 299

export interface Failed {
  /** After redirects, the last; absent where there was an answer. */
  readonly request?: HttpClientRequest.HttpClientRequest
  readonly error: RequestFailed
  readonly isTransient: boolean
  /** Whether it is certain that nothing of the request was sent. */
  readonly isUnsent: boolean
}

/** An answer that is no success is read up to this, in bytes, and the rest let go of. */
export const maxErrorBytes = 16 * 1024

export const exchange = (
  client: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  maxBytes: number,
  secretHeaders: ReadonlyArray<string>
): Effect.Effect<Answer, Failed> =>
  client.execute(request).pipe(
    Effect.catchAll((error) =>
      // Where the application's client takes error statuses for failures.
      error._tag === "ResponseError" && error.reason === "StatusCode"
        ? Effect.succeed(error.response)
        : Effect.fail(error)
    ),
    Effect.flatMap((response) => {
      return Effect.map(read(response, isSuccess(response) ? maxBytes : maxErrorBytes), (body) => ({
        request: response.request,
        status: response.status,
        headers: response.headers,
        ...body
      }))
    }),
    Effect.flatMap((answer) =>
      answer.isCut && isSuccess(answer)
        ? Effect.fail(failed("too-large", `the answer has more than ${maxBytes} bytes`))
        : Effect.succeed(answer)
    ),
    Effect.tapError((error) => ("isTransient" in error ? Effect.void : logRefusal(error))),
    Effect.mapError((error) => ("isTransient" in error ? error : failureOf(error))),
    // They stay out of the spans of others, and a guarded client sends them to this origin only.
    Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, ...secretHeaders]),
    // The client's span would have the arguments, and a key that stands in the query.
    Effect.locally(HttpClient.currentTracerDisabledWhen, () => true)
  )

const read = (response: HttpClientResponse.HttpClientResponse, limit: number) =>
  Effect.suspend(() => {
    // Appended to in place: an answer may come byte by byte.
    const chunks: Array<Uint8Array> = []
    return Stream.runFoldWhile(
      response.stream,
      0,
      (size) => size <= limit,
      (size, chunk) => {
        chunks.push(chunk)
        return size + chunk.byteLength
      }
    ).pipe(
      // An answer without a body.
      Effect.catchAll((error) => (error.reason === "EmptyBody" ? Effect.succeed(0) : Effect.fail(error))),
      Effect.map((size) => ({ bytes: joinBytes(chunks).subarray(0, limit), isCut: size > limit }))
    )
  })

export const joinBytes = (chunks: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(chunks.reduce((size, { byteLength }) => size + byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

const failed = (reason: RequestFailed["reason"], detail: string): Failed => ({
  error: new RequestFailed({ reason, detail }),
  isTransient: false,
  isUnsent: false
})

/** The log says what the program has to change; the model does not read this. */
const logRefusal = (error: HttpClientError.HttpClientError): Effect.Effect<void> => {
  const refusal = Refusal.refusalOf(error)
  if (codeOf(error) === "UND_ERR_DESTROYED") return Effect.logWarning(closed)
  return Option.isSome(refusal) && refusal.value._tag === "AddressRefused"
    ? Effect.logWarning(`A request was refused: ${refusal.value.message}`)
    : Effect.void
}

const closed =
  "A request was not sent: the scope of its HttpClient is closed. Keep the client's layer around what runs the tools, not only around what makes them"

/** Errors of clients quote addresses and headers; these messages hold nothing that was sent. */
const failureOf = (error: HttpClientError.HttpClientError): Failed => {
  const refusal = Refusal.refusalOf(error)
  const { request } = error
  if (Option.isSome(refusal)) return { ...refusedBy(refusal.value), request }
  if (error._tag === "RequestError" && error.reason !== "Transport") {
    return { ...failed("invalid-request", "it cannot be sent"), request, isUnsent: true }
  }
  const code = codeOf(error)
  const shown = code === undefined ? "" : ` (${code})`
  const detail =
    error._tag === "ResponseError"
      ? `the connection broke before the answer was complete${shown}`
      : `the API cannot be reached${shown}`
  return { ...failed("unreachable", detail), request, isTransient: true, isUnsent: isUnconnected(error) }
}

const refusedBy = (refusal: Refusal.Refusal): Failed => {
  switch (refusal._tag) {
    case "BodyTooLarge":
      return failed("too-large", `the answer has more than ${refusal.limit} bytes`)
    case "EncodingRefused":
      return failed("invalid-answer", "the answer is compressed too many times over")
    case "StatusRefused":
      return failed("invalid-answer", `the answer has the status ${refusal.status}, which HTTP has not`)
    case "TooManyRedirects":
    case "RedirectRefused":
      return failed("refused", "the API redirects to where the request cannot be sent")
    case "AddressRefused":
    case "ProtocolRefused":
      // Which address it is would tell a model how the network is made.
      return { ...failed("refused", "the address is not allowed"), isUnsent: true }
  }
}

/** Codes such as ECONNREFUSED say nothing of where. */
const codeOf = (error: Error): string | undefined => coded(error)?.code

const coded = (error: Error): (Error & { readonly code: string }) | undefined => {
  let current: unknown = error
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (hasCode(current)) return current
    current = current.cause
  }
  return undefined
}

const hasCode = (error: Error): error is Error & { readonly code: string } =>
  "code" in error && typeof error.code === "string" && /^[A-Z_]+$/.test(error.code)

/** What is not known to have failed before anything was sent may have been. Of several addresses, all have refused. */
const isUnconnected = (error: Error): boolean => {
  const cause = coded(error)
  if (cause === undefined) return false
  const syscall = "syscall" in cause ? cause.syscall : undefined
  return (
    syscall === "connect" ||
    syscall === "getaddrinfo" ||
    cause instanceof AggregateError ||
    unconnected.test(cause.code)
  )
}

const unconnected =
  /^(?:ECONNREFUSED|ENOTFOUND|UND_ERR_(?:CONNECT_TIMEOUT|DESTROYED|CLOSED|INVALID_ARG)|ERR_TLS_CERT_ALTNAME_INVALID|ERR_SSL_WRONG_VERSION_NUMBER|CERT_\w+|UNABLE_TO_\w+|\w+_CERT|SELF_SIGNED_\w+)$/
