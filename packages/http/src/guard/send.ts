/** Sends a request and follows its redirects by the rules of `fetch`, but for headers to other origins. */
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { RequestError } from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import { type Agent, type Dispatcher, FormData as UndiciFormData } from "undici/index.js"
import { answerOf, discard } from "./answer.js"
import { ProtocolRefused, TooManyRedirects, RedirectRefused } from "../Refusal.js"
import * as HttpBody from "@effect/platform/HttpBody"
import * as Stream from "effect/Stream"
import * as Either from "effect/Either"

interface Sending extends Target {
  readonly agent: Agent
  readonly signal: AbortSignal
  /** `undefined` leaves a redirect to the caller. */
  readonly maxRedirects: number | undefined
  readonly maxBytes: number
}

/** The answer, and the request that it answers: the last after redirects. */
interface Sent {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly response: Response
}

export const send = (sending: Sending): Effect.Effect<Sent, RequestError> => {
  const { maxRedirects } = sending
  const follow = (target: Target, redirects: number): Effect.Effect<Sent, RequestError> =>
    Effect.flatMap(exchange(sending, target), (answer) => {
      const location = locationOf(answer)
      if (location === undefined || maxRedirects === undefined) {
        return answerOf(target.request.method, answer, sending.maxBytes).pipe(
          Either.map((response) => ({ request: target.request, response })),
          Either.mapLeft(transportError(target.request))
        )
      }
      discard(answer)
      return redirects >= maxRedirects
        ? Effect.fail(transportError(target.request)(new TooManyRedirects({ limit: maxRedirects })))
        : redirect(target, answer.statusCode, location).pipe(
            Effect.mapError(transportError(target.request)),
            Effect.flatMap((next) => follow(next, redirects + 1))
          )
    })
  return follow(sending, 0)
}

const exchange = (
  { agent, signal }: Sending,
  { request, url }: Target
): Effect.Effect<Dispatcher.ResponseData, RequestError> =>
  url.protocol !== "http:" && url.protocol !== "https:"
    ? Effect.fail(transportError(request)(new ProtocolRefused({ protocol: url.protocol })))
    : Effect.flatMap(bodyOf(request.body), (body) =>
        Effect.tryPromise({
          try: () =>
            agent.request({
              origin: url.origin,
              path: url.pathname + url.search,
              method: request.method,
              headers: headersOf(request),
              body,
              signal
            }),
          catch: transportError(request)
        })
      )

/** `refusalOf` finds the cause. The request is the one that failed, after redirects: what its origin was not sent is not in it. */
const transportError =
  (request: HttpClientRequest.HttpClientRequest) =>
  (cause: unknown): RequestError =>
    new RequestError({
      request,
      reason: "Transport",
      cause,
      ...(cause instanceof Error ? { description: cause.message } : {})
    })

type Body = NonNullable<Dispatcher.DispatchOptions["body"]>

const bodyOf = (body: HttpBody.HttpBody): Effect.Effect<Body | null> => {
  switch (body._tag) {
    case "Empty":
      return Effect.succeed(null)
    case "Uint8Array":
      return Effect.succeed(body.body)
    case "Raw":
      // undici refuses a body that it cannot send.
      return Effect.succeed(body.body as Body)
    case "FormData":
      return Effect.sync(() => formOf(body.formData))
    case "Stream":
      // undici sends any iterable of bytes; its types name Readable only.
      return Effect.map(Stream.toAsyncIterableEffect(body.stream), (bytes) => bytes as unknown as Body)
  }
}

/** Node's FormData belongs to another copy of undici; this one cannot send it. */
const formOf = (form: FormData): UndiciFormData => {
  const copy = new UndiciFormData()
  form.forEach((value, name) => {
    if (typeof value === "string") copy.append(name, value)
    else copy.append(name, value, value.name)
  })
  return copy
}

/** The headers of the body stay in the body until undici sends it. */
const headersOf = (request: HttpClientRequest.HttpClientRequest): Record<string, string> => ({
  "accept-encoding": "gzip, br",
  ...request.headers
})

interface Target {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly url: URL
}

/** The location of a redirect; `undefined` for any other answer. */
const locationOf = ({ headers, statusCode }: Dispatcher.ResponseData): string | undefined =>
  redirects.has(statusCode) ? [headers["location"]].flat()[0] : undefined

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The next request. Any header may hold a key, so another origin gets only those that no one keeps a secret in. */
const redirect = (
  { request, url }: Target,
  status: number,
  location: string
): Either.Either<Target, RedirectRefused> => {
  if (!URL.canParse(location, url)) return Either.left(new RedirectRefused({ reason: "location" }))
  const next = new URL(location, url)
  const dropsBody =
    (status === 303 && request.method !== "GET" && request.method !== "HEAD") ||
    ((status === 301 || status === 302) && request.method === "POST")
  if (!dropsBody && isSpent(request.body)) return Either.left(new RedirectRefused({ reason: "stream" }))
  const isElsewhere = next.origin !== url.origin
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) =>
      ofBody.test(name) ? !dropsBody : !isElsewhere || common.has(name)
    )
  )
  const again = HttpClientRequest.setBody(
    HttpClientRequest.make(dropsBody ? "GET" : request.method)(next),
    dropsBody ? HttpBody.empty : request.body
  )
  // setBody adds headers. Those of the request win.
  return Either.right({ url: next, request: HttpClientRequest.setHeaders(again, headers) })
}

/** What a caller gives as it is may be a stream too, of any kind. */
const isSpent = (body: HttpBody.HttpBody): boolean => {
  if (body._tag !== "Raw") return body._tag === "Stream"
  const { body: raw } = body
  if (typeof raw === "string" || raw instanceof ArrayBuffer || ArrayBuffer.isView(raw)) return false
  return ![Blob, FormData, UndiciFormData, URLSearchParams].some((kind) => raw instanceof kind)
}

const ofBody = /^content-/

const common = new Set(["accept", "accept-language", "user-agent"])
