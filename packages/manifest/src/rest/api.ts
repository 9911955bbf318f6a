/** An API as executions need it, from what a program or a configuration says of it. */
import * as Secret from "@wield/core/Secret"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Json from "@wield/core/Json"
import * as Time from "@wield/core/Time"
import * as Encoding from "effect/Encoding"
import * as Stream from "effect/Stream"
import * as SynchronizedRef from "effect/SynchronizedRef"
import { InvalidConfiguration } from "../ExecutorFactory.js"
import type { Auth, Options } from "../RestExecutor.js"
import type { Connection } from "./attempts.js"
import type { Target } from "./request.js"
import { bearer, credentialOf, reveal } from "./auth.js"
import { isHeaderName, isHeaderValue, wireName } from "./names.js"
import { RequestFailed } from "../ExecutorError.js"
import { exchange, isSuccess } from "./exchange.js"
import { formEncode } from "./percent.js"

export interface Api extends Connection {
  readonly target: Target
  readonly headers: { readonly [name: string]: string }
  /** Milliseconds. */
  readonly timeout: number
  readonly maxBytes: number
  readonly idempotencyHeader: string | undefined
}

export const apiOf = (client: HttpClient.HttpClient, options: Options): Effect.Effect<Api, InvalidConfiguration> =>
  Effect.gen(function* () {
    const { auth, headers = {}, retry } = options
    const target = yield* targetOf(options)
    yield* checkHeaders(headers)
    yield* checkAuth(auth)
    const secret = Object.entries(headers).filter(([name, value]) => Redacted.isRedacted(value) || Secret.isName(name))
    return {
      client,
      target,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), reveal(value)])),
      secretHeaders: secret.map(([name]) => name.toLowerCase()),
      secrets: [
        ...secret.flatMap(([, value]) => Secret.inHeader(reveal(value))),
        ...secretsIn(options.url),
        ...(auth?.type === "oauth2" ? [reveal(auth.clientSecret)] : [])
      ],
      ...(yield* credentialsOf(client, auth)),
      timeout: options.timeout ?? 30_000,
      retry: {
        times: retry?.times ?? 2,
        baseDelay: retry?.baseDelay ?? 250,
        maxDelay: retry?.maxDelay ?? 30_000
      },
      maxBytes: options.maxBytes ?? 10 * 1024 * 1024,
      idempotencyHeader: options.idempotencyHeader?.toLowerCase()
    }
  })

/** A URL from the environment may have `format=json` in it, which is no secret; so length and name decide. */
const secretsIn = (url: Options["url"]): ReadonlyArray<string> =>
  [...new URL(reveal(url)).searchParams]
    .filter(([name, value]) => Secret.isName(name) || (Redacted.isRedacted(url) && value.length >= 12))
    .map(([, value]) => value)

const credentialsOf = (
  client: HttpClient.HttpClient,
  auth: Auth | undefined
): Effect.Effect<Pick<Api, "credential" | "forget">> => {
  if (auth?.type !== "oauth2") {
    const credential = auth === undefined ? undefined : credentialOf(auth)
    return Effect.succeed({ credential: Effect.succeed(credential), forget: () => Effect.succeed(false) })
  }
  return Effect.map(makeTokens(client, auth), (tokens) => ({
    credential: Effect.map(tokens.get, bearer),
    forget: ({ secrets: [token = ""] }) => Effect.as(tokens.forget(token), true)
  }))
}

const targetOf = ({ auth, url }: Options): Effect.Effect<Target, InvalidConfiguration> => {
  const text = reveal(url)
  const fault = urlFault(text)
  if (fault !== undefined) return invalid(["url"], fault)
  const { origin, pathname, searchParams, search } = new URL(text)
  return Effect.succeed({
    url: origin + pathname.replace(/\/+$/, ""),
    query: search === "" ? [] : [search.slice(1)],
    taken: new Set(
      [...searchParams.keys(), ...(auth?.type === "apiKey" && auth.in === "query" ? [auth.name] : [])].map(wireName)
    )
  })
}

const urlFault = (text: string): string | undefined => {
  if (!URL.canParse(text)) return "expected a URL such as https://api.example.com/v1"
  const { password, protocol, username } = new URL(text)
  if (protocol !== "http:" && protocol !== "https:") return "expected a URL that begins with http: or https:"
  return username === "" && password === ""
    ? undefined
    : 'errors show a URL with its user and password: use "auth" of type "basic"'
}

const checkHeaders = (headers: NonNullable<Options["headers"]>): Effect.Effect<void, InvalidConfiguration> => {
  const wrong = Object.keys(headers).find((name) => !isHeaderName(name) || !isHeaderValue(reveal(headers[name] ?? "")))
  return wrong === undefined
    ? Effect.void
    : invalid(
        ["headers", wrong],
        "its name or its value has a character that no header can carry: was it copied whole?"
      )
}

const checkAuth = (auth: Auth | undefined): Effect.Effect<void, InvalidConfiguration> => {
  if (auth === undefined) return Effect.void
  if (auth.type === "oauth2") {
    const fault = urlFault(reveal(auth.tokenUrl))
    return fault === undefined ? Effect.void : invalid(["auth", "tokenUrl"], fault)
  }
  const { in: place, name, value } = credentialOf(auth)
  return place === "query" || (isHeaderName(name) && isHeaderValue(value))
    ? Effect.void
    : invalid(["auth"], "it has a character that no header can carry: was it copied whole, and nothing else?")
}

const invalid = (path: ReadonlyArray<string>, message: string): InvalidConfiguration =>
  new InvalidConfiguration({ faults: [{ path, message }] })

interface Cached {
  readonly token: string
  /** Milliseconds of a monotonic clock. */
  readonly expiresAt: number
}

const makeTokens = (client: HttpClient.HttpClient, auth: Extract<Auth, { readonly type: "oauth2" }>) =>
  Effect.map(SynchronizedRef.make<Cached | undefined>(undefined), (cache) => ({
    // Calls that come while a token is asked for wait, and get the same one.
    get: SynchronizedRef.modifyEffect(cache, (cached) =>
      Effect.flatMap(Time.monotonic, (now) =>
        cached !== undefined && now < cached.expiresAt
          ? Effect.succeed([cached.token, cached] as const)
          : Effect.map(fetchToken(client, auth, now), (fresh) => [fresh.token, fresh] as const)
      )
    ),
    // Unless it is another one by now.
    forget: (token: string) => SynchronizedRef.update(cache, (cached) => (cached?.token === token ? undefined : cached))
  }))

const fetchToken = (client: HttpClient.HttpClient, auth: Extract<Auth, { readonly type: "oauth2" }>, now: number) =>
  Effect.gen(function* () {
    const { bytes, status } = yield* exchange(client, tokenRequest(auth), maxBytes, ["authorization"]).pipe(
      Effect.mapError(({ error }) => unavailable(error.reason, error.detail))
    )
    if (!isSuccess({ status })) return yield* unavailable("refused", `it answered with status ${status}`)
    const answer = yield* Effect.try({
      try: (): unknown => Json.parse(new TextDecoder().decode(bytes), { numbers: "rounded" }),
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
