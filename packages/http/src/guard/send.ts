/** A request, and those that its redirects lead to. */
import * as Headers from "@effect/platform/Headers"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { RequestError } from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import type { Agent, Dispatcher } from "undici"
import { answerOf, discard } from "./answer.js"
import { bodyOf, headersOf } from "./body.js"
import { locationOf, redirected, type Target } from "./redirect.js"
import { ProtocolRefused, TooManyRedirects } from "../Refusal.js"

export interface Sending extends Target {
  readonly agent: Agent
  readonly signal: AbortSignal
  readonly maxRedirects: number
  readonly maxBytes: number
}

export const send = (sending: Sending): Effect.Effect<HttpClientResponse.HttpClientResponse, RequestError> =>
  Effect.flatMap(FiberRef.get(Headers.currentRedactedNames), (names) => {
    const isSecret = isOneOf(names)
    const follow = (
      target: Target,
      redirects: number
    ): Effect.Effect<HttpClientResponse.HttpClientResponse, RequestError> =>
      Effect.flatMap(exchange(sending, target), (answer) => {
        const location = locationOf(answer.statusCode, single(answer.headers["location"]))
        if (location === undefined) {
          // The answer is that of the last request: its URL is what links in the answer stand relative to.
          return Effect.mapError(answerOf(target.request, answer, sending.maxBytes), failed(sending.request))
        }
        discard(answer)
        return redirects === sending.maxRedirects
          ? Effect.fail(failed(sending.request)(new TooManyRedirects({ limit: sending.maxRedirects })))
          : redirected(target, answer.statusCode, location, isSecret).pipe(
              Effect.mapError(failed(sending.request)),
              Effect.flatMap((next) => follow(next, redirects + 1))
            )
      })
    return follow(sending, 0)
  })

const exchange = (
  { agent, signal, request: original }: Sending,
  { request, url }: Target
): Effect.Effect<Dispatcher.ResponseData, RequestError> =>
  url.protocol !== "http:" && url.protocol !== "https:"
    ? Effect.fail(failed(original)(new ProtocolRefused({ protocol: url.protocol })))
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
          catch: failed(original)
        })
      )

/** The `RequestError` of a cause, which can be asked with `refusalOf`. */
const failed =
  (request: HttpClientRequest.HttpClientRequest) =>
  (cause: unknown): RequestError =>
    new RequestError({
      request,
      reason: "Transport",
      cause,
      ...(cause instanceof Error ? { description: cause.message } : {})
    })

const single = (header: string | Array<string> | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header

/** Names that a program keeps out of its spans are credentials; `@effect/platform` compares them in lower case. */
const isOneOf =
  (names: string | RegExp | ReadonlyArray<string | RegExp>) =>
  (header: string): boolean =>
    [names]
      .flat()
      .some((name) => (typeof name === "string" ? name.toLowerCase() === header : new RegExp(name).test(header)))
