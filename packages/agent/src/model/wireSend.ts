/**
 * Sending a request: it is answered with a success, or fails with what a
 * program can act on. Nothing of it that is secret gets into a span or an error.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { WireFormat } from "@wield/providers"
import * as ApiError from "@wield/providers/ApiError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { WireOptions } from "../Model.js"
import { type ModelError, ModelTimedOut, Unreachable } from "../ModelError.js"
import type { WireRequest } from "./wireRequest.js"
import { addressSecrets, changedHeaders, hide } from "./wireSecrets.js"

export interface Sent {
  readonly response: HttpClientResponse.HttpClientResponse
  /** What the request must not show. */
  readonly secrets: ReadonlyArray<string>
  readonly toError: (error: HttpClientError.HttpClientError) => Unreachable
}

/** The connection is closed with the scope. */
export const send = (
  format: WireFormat.WireFormat,
  client: HttpClient.HttpClient,
  options: WireOptions,
  wire: WireRequest
): Effect.Effect<Sent, ModelError, Scope.Scope> =>
  Effect.gen(function* () {
    const request = options.prepareRequest === undefined ? wire.request : yield* options.prepareRequest(wire.request)
    const hidden = [...new Set([...wire.secretHeaders, ...changedHeaders(wire.request, request)])]
    const inAddress = addressSecrets(request)
    const secrets = [...wire.secrets, ...hidden.flatMap((name) => request.headers[name] ?? []), ...inAddress]
    const toError = (error: HttpClientError.HttpClientError): Unreachable =>
      new Unreachable({ format: format.name, url: addressOf(request), detail: hide(wordsOf(error), secrets) })
    yield* checkHeaders(format.name, request)
    const limit = Duration.decode(
      options.timeouts?.response ?? (options.isStreaming === false ? "10 minutes" : "1 minute")
    )
    const response = yield* HttpClient.withScope(client)
      .execute(request)
      .pipe(
        Effect.catchAll((error) =>
          // Where the application's client takes error statuses for failures.
          error._tag === "ResponseError" && error.reason === "StatusCode"
            ? Effect.succeed(error.response)
            : Effect.fail(toError(error))
        ),
        Effect.locallyWith(Headers.currentRedactedNames, (names) => [...names, ...hidden]),
        // The client's span has the whole address.
        Effect.locallyWith(HttpClient.currentTracerDisabledWhen, (isDisabled) =>
          inAddress.length === 0 ? isDisabled : () => true
        ),
        Effect.timeoutFail({
          duration: limit,
          onTimeout: () =>
            new ModelTimedOut({ format: format.name, waitedFor: "response", limit: Duration.toMillis(limit) })
        })
      )
    return { response, secrets, toError }
  })

/** Clients of HTTP die of a value that no header can carry (RFC 9110, 5.5), or quote it. */
const checkHeaders = (
  format: string,
  { headers }: HttpClientRequest.HttpClientRequest
): Effect.Effect<void, ApiError.RequestRejected> => {
  const wrong = Object.keys(headers).find((name) => !/^[\t\x20-\x7e\x80-\xff]*$/.test(headers[name] ?? ""))
  if (wrong === undefined) return Effect.void
  const detail = `the header ${wrong} has a character that no header can carry: is its value copied whole, and nothing else?`
  return Effect.fail(new ApiError.RequestRejected({ format, detail, parameter: wrong }))
}

/** Scheme, host and path. */
const addressOf = (request: HttpClientRequest.HttpClientRequest): string => {
  if (!URL.canParse(request.url)) return "The API"
  const { host, pathname, protocol } = new URL(request.url)
  return `${protocol}//${host}${pathname}`
}

/** What was wrong in the first place: clients wrap it (`fetch failed`). They quote headers, whose values are hidden. */
const wordsOf = (error: HttpClientError.HttpClientError): string => {
  let words: string = error.reason
  let cause: unknown = error.cause
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    // A connection that was tried on several addresses has a code only.
    if (cause.message !== "") words = cause.message
    else if ("code" in cause && typeof cause.code === "string") words = cause.code
    cause = cause.cause
  }
  return words
}
