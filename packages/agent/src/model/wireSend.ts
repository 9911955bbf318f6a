/**
 * A request in Wield's words as one of HTTP, and sending it: it is answered with a success, or fails with what a
 * program can act on. Nothing of it that is secret gets into a span or an error.
 */
import * as Headers from "@effect/platform/Headers"
import * as HttpClient from "@effect/platform/HttpClient"
import type { HttpClientError, HttpClientResponse } from "@effect/platform"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type { Loss, Message } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as ApiError from "@wield/providers/ApiError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { ModelRequest, WireOptions } from "../Model.js"
import { type ModelError, ModelTimedOut, Unreachable } from "../ModelError.js"
import { addressSecrets, changedHeaders, hide } from "./wireSecrets.js"

export interface WireRequest {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The key, and what else was given as `Redacted`. */
  readonly secrets: ReadonlyArray<string>
  /** Names of the headers that hold them. */
  readonly secretHeaders: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
  /** What the response is read with. */
  readonly offered: WireFormat.Offered
  /** Who will make the turn. */
  readonly maker: Message.Maker
}

export const wireRequest = (
  format: WireFormat.WireFormat,
  options: WireOptions,
  { conversation, deferred, definitions, findable, messages, options: tools, search, settings }: ModelRequest
): Either.Either<WireRequest, Unreachable> =>
  Either.map(baseOf(format, options), (url) => {
    const { model, isStreaming = true } = options
    const {
      body,
      losses,
      offered = { definitions, isStrict: tools?.isStrict }
    } = format.encodeRequest({
      messages,
      definitions,
      search,
      findable,
      deferred,
      options: tools ?? {},
      settings: {
        format: format.name,
        json: { ...format.endpoint.body(model, isStreaming), ...options.settings, ...settings }
      },
      model,
      host: url.host,
      cache: tools?.isCached === false ? undefined : { key: conversation },
      losses: []
    })
    const { headers, secretHeaders, secrets } = headersOf(format.endpoint, options)
    return {
      request: HttpClientRequest.post(url).pipe(
        HttpClientRequest.bodyUnsafeJson(body),
        HttpClientRequest.setHeaders(headers)
      ),
      secrets,
      secretHeaders,
      losses,
      offered,
      maker: { host: url.host, model }
    }
  })

/** The host that requests go to; empty where the address is no URL. */
export const hostOf = (format: WireFormat.WireFormat, options: WireOptions): string =>
  Either.match(baseOf(format, options), { onLeft: () => "", onRight: ({ host }) => host })

/** The base URL may have a path and a query of its own (Azure's `api-version`). */
const baseOf = (
  { endpoint, name }: WireFormat.WireFormat,
  { isStreaming = true, model, url }: WireOptions
): Either.Either<URL, Unreachable> => {
  const base = url ?? endpoint.url
  if (base === undefined || !URL.canParse(base)) {
    const detail =
      base === undefined
        ? "each of its regions has its own address; give `url`, for Bedrock by BedrockConverse.regionUrl"
        : "its address is no absolute URL; give `url` with https:// before it"
    // An invalid URL may be anything, even a key in its place.
    return Either.left(new Unreachable({ format: name, url: "The API", detail }))
  }
  const address = new URL(base)
  const [path = "", query = ""] = endpoint.path(model, isStreaming).split("?")
  address.pathname = address.pathname.replace(/\/+$/, "") + path
  for (const [name, value] of new URLSearchParams(query)) address.searchParams.set(name, value)
  return Either.right(address)
}

const headersOf = (endpoint: WireFormat.Endpoint, { headers = {}, key }: WireOptions) => {
  const all: Record<string, string> = { ...endpoint.headers }
  const secrets: Array<string> = []
  const secretHeaders: Array<string> = []
  const put = (name: string, prefix: string, secret: Redacted.Redacted): void => {
    // A key that was read from a file ends with a line break.
    const value = Redacted.value(secret).trim()
    all[name] = prefix + value
    secrets.push(value)
    secretHeaders.push(name)
  }
  if (key !== undefined) put(endpoint.key.header, endpoint.key.prefix, key)
  for (const [name, value] of Object.entries(headers)) {
    if (Redacted.isRedacted(value)) put(name.toLowerCase(), "", value)
    else all[name.toLowerCase()] = value
  }
  return { headers: all, secrets, secretHeaders }
}

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
