/** Tokens of OAuth 2.0 for client credentials (RFC 6749, 4.4): one for all calls, until it expires. */
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@wield/core/Json"
import * as Time from "@wield/core/Time"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Stream from "effect/Stream"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { RequestFailed } from "../ExecutionError.js"
import type { Auth } from "../RestExecutor.js"
import { exchange, isSuccess } from "./exchange.js"
import { formEncode } from "./percent.js"
import { reveal } from "./auth.js"

export interface Tokens {
  readonly get: Effect.Effect<string, RequestFailed>
  /** Has a token forgotten that the API did not take, unless it is another one by now. */
  readonly forget: (token: string) => Effect.Effect<void>
}

interface Cached {
  readonly token: string
  /** Milliseconds of a monotonic clock. */
  readonly expiresAt: number
}

export const makeTokens = (
  client: HttpClient.HttpClient,
  auth: Extract<Auth, { readonly type: "oauth2" }>
): Effect.Effect<Tokens> =>
  Effect.map(SynchronizedRef.make<Cached | undefined>(undefined), (cache) => ({
    // Calls that come while a token is asked for wait, and get the same one.
    get: SynchronizedRef.modifyEffect(cache, (cached) =>
      Effect.flatMap(Time.monotonic, (now) =>
        cached !== undefined && now < cached.expiresAt
          ? Effect.succeed([cached.token, cached] as const)
          : Effect.map(fetchToken(client, auth, now), (fresh) => [fresh.token, fresh] as const)
      )
    ),
    forget: (token) => SynchronizedRef.update(cache, (cached) => (cached?.token === token ? undefined : cached))
  }))

const fetchToken = (client: HttpClient.HttpClient, auth: Extract<Auth, { readonly type: "oauth2" }>, now: number) =>
  Effect.gen(function* () {
    const { bytes, status } = yield* exchange(client, tokenRequest(auth), maxBytes, ["authorization"]).pipe(
      Effect.mapError(({ error }) => unavailable(error.reason, error.detail))
    )
    if (!isSuccess({ status })) return yield* unavailable("refused", `it answered with status ${status}`)
    const answer = yield* Effect.try({
      try: (): unknown => JSON.parse(new TextDecoder().decode(bytes)),
      catch: () => unavailable("invalid-answer", "its answer is not JSON")
    })
    const token = Json.isObject(answer) ? answer["access_token"] : undefined
    // A token that no header can carry would be quoted by the error of the client.
    if (!Json.isObject(answer) || typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
      return yield* unavailable("invalid-answer", "its answer has no access_token")
    }
    const given = Number(answer["expires_in"])
    const lifetime = Number.isFinite(given) && given > 0 ? given * 1000 : unstatedLifetime
    // A token that expires on its way would cost a request.
    return { token, expiresAt: now + lifetime - Math.min(30_000, lifetime / 10) }
  })

const maxBytes = 64 * 1024

/** Milliseconds. */
const unstatedLifetime = 300_000

const unavailable = (reason: RequestFailed["reason"], detail: string): RequestFailed =>
  new RequestFailed({ reason, detail: `no token could be had of the token endpoint: ${detail}` })

const tokenRequest = (auth: Extract<Auth, { readonly type: "oauth2" }>): HttpClientRequest.HttpClientRequest => {
  const id = reveal(auth.clientId)
  const secret = reveal(auth.clientSecret)
  const isBasic = auth.clientAuthentication !== "body"
  const fields = [
    ["grant_type", "client_credentials"],
    ...(auth.scope === undefined ? [] : [["scope", auth.scope]]),
    ...(auth.audience === undefined ? [] : [["audience", auth.audience]]),
    ...(isBasic
      ? []
      : [
          ["client_id", id],
          ["client_secret", secret]
        ])
  ]
  const body = fields.map(([name = "", value = ""]) => `${name}=${formEncode(value)}`).join("&")
  const bytes = new TextEncoder().encode(body)
  const request = HttpClientRequest.post(reveal(auth.tokenUrl), { acceptJson: true }).pipe(
    // As a stream, which is not sent again after a redirect: the secret is for this endpoint alone.
    HttpClientRequest.bodyStream(Stream.make(bytes), {
      contentType: "application/x-www-form-urlencoded",
      contentLength: bytes.byteLength
    })
  )
  return isBasic
    ? // RFC 6749, 2.3.1: encoded as in a form before they are joined.
      HttpClientRequest.setHeader(
        request,
        "authorization",
        `Basic ${Encoding.encodeBase64(`${formEncode(id)}:${formEncode(secret)}`)}`
      )
    : request
}
