/** Calls REST APIs: path, query, headers and body are filled with the arguments of a call. */
import * as HttpClient from "@effect/platform/HttpClient"
import { within, withSpan } from "@wield/core/Traces"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Arguments, Execute, Executor } from "./Executor.js"
import * as ExecutorFactory from "./ExecutorFactory.js"
import { type Api, apiOf } from "./rest/api.js"
import { check, checkCredential } from "./rest/check.js"
import { authOf, fields } from "./rest/configuration.js"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as CurrentCall from "@wield/core/CurrentCall"
import type { ApiEntry } from "./ManifestEntry.js"
import { statusErrorOf, valueOf } from "./rest/answer.js"
import { attempts, isIdempotent, type Sending } from "./rest/attempts.js"
import { isSuccess } from "./rest/exchange.js"
import { execution } from "./rest/paged.js"
import { type Plan, planOf } from "./rest/plan.js"
import { requestOf } from "./rest/request.js"

/**
 * A credential: best `Redacted`. A text is treated like one from here on.
 *
 * @category models
 */
export type Secret = string | Redacted.Redacted

/**
 * How requests say who sends them. A token of `oauth2` (client credentials) is shared until it expires or is refused.
 *
 * @category models
 */
export type Auth<Text = Secret> =
  | { readonly type: "bearer"; readonly token: Text }
  | { readonly type: "basic"; readonly username: Text; readonly password: Text }
  | {
      readonly type: "apiKey"
      readonly in: "header" | "query" | "cookie"
      readonly name: string
      readonly value: Text
    }
  | {
      readonly type: "oauth2"
      readonly tokenUrl: Text
      readonly clientId: Text
      readonly clientSecret: Text
      readonly scope?: string | undefined
      readonly audience?: string | undefined
      /** How the client says who it is at the token endpoint: `basic` unless given. */
      readonly clientAuthentication?: "basic" | "body" | undefined
    }

/**
 * When a request is sent again: after a connection that failed, and the
 * statuses 408, 429, 500, 502, 503 and 504, if its method is idempotent (GET,
 * HEAD, OPTIONS, PUT, DELETE) or it has an idempotency key. What an API says in
 * `retry-after` is heeded.
 *
 * @category models
 */
export interface Retry {
  /** How often after the first attempt. 2 unless given; 0 for never. */
  readonly times?: number | undefined
  /** Milliseconds before the first retry, doubled for each further one. 250 unless given. */
  readonly baseDelay?: number | undefined
  /** Milliseconds. 30 seconds unless given; an API that asks for a longer wait is not asked again. */
  readonly maxDelay?: number | undefined
}

/**
 * An API.
 *
 * @category models
 */
export interface Options {
  /** What all paths start with, such as `https://api.example.com/v1`; a query in it is part of each request, and a key in it a secret. */
  readonly url: Secret
  /** Headers of each request; those of an entry go before them. `Redacted` values are shown nowhere. */
  readonly headers?: { readonly [name: string]: Secret } | undefined
  readonly auth?: Auth | undefined
  /** Milliseconds for a call with all its attempts and pages. 30 seconds unless given; an entry may have its own. */
  readonly timeout?: number | undefined
  readonly retry?: Retry | undefined
  /** The largest answer, in bytes. 10 MiB unless given; an entry may have its own. */
  readonly maxBytes?: number | undefined
  /** For the key of a call (`CurrentCall.idempotencyKey`) of POST and PATCH, which then are sent again too. */
  readonly idempotencyHeader?: string | undefined
}

/**
 * The executor of an API, over the `HttpClient` of the context: give it the
 * guarded one of `@wield/http`.
 *
 * Fails with `InvalidConfiguration` when an option is misspelt, the URL is invalid, or has a user and a
 * password in it (`auth` is for them), or a header cannot be sent.
 *
 * @example
 * ```ts
 * import { HttpGuard } from "@wield/http"
 * import { ManifestEntry, RestExecutor } from "@wield/manifest"
 * import { Effect, Redacted } from "effect"
 *
 * const parameters = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
 * const order = ManifestEntry.api({ name: "get_order", parameters, api: { path: "/orders/{id}", method: "GET" } })
 * const auth = { type: "bearer", token: Redacted.make("secret") } as const
 * // Asks for https://api.example.com/v1/orders/a%2Fb.
 * export const program = Effect.flatMap(RestExecutor.make({ url: "https://api.example.com/v1", auth }), (executor) =>
 *   executor.prepare(order)({ id: "a/b" })
 * ).pipe(Effect.provide(HttpGuard.layer()))
 * ```
 *
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<Executor, ExecutorFactory.InvalidConfiguration, HttpClient.HttpClient> =>
  factory.make(options, { name: "default", type: "rest", folder: undefined })

const executorOf = (options: Options) =>
  Effect.map(
    Effect.flatMap(HttpClient.HttpClient, (client) => apiOf(client, options)),
    (api): Executor => ({
      kind: "rest",
      check: (entry) => [...check(entry), ...checkCredential(entry, options.auth)],
      prepare: (entry) => prepare(api, entry)
    })
  )

/**
 * Makes executors of type `rest` from `Options`; an `auth` that is a text is the header `Authorization`.
 *
 * @category constructors
 */
export const factory: ExecutorFactory.ExecutorFactory<HttpClient.HttpClient> = ExecutorFactory.make({
  types: ["rest"],
  configuration: Schema.Struct({ ...fields, idempotencyHeader: Schema.optional(Schema.String) }),
  check,
  make: ({ auth, ...rest }) => executorOf({ ...rest, ...authOf(auth) })
})

const prepare = (api: Api, entry: ApiEntry): Execute => {
  const plan = planOf(entry)
  const isJsonNeeded = entry.api.result.path !== undefined || entry.api.pagination !== undefined
  const execute = execution(entry, "rest", api, (parameters, bytesLeft, sending) =>
    Effect.gen(function* () {
      const { answer, secrets } = yield* answered(api, plan, parameters, bytesLeft, sending)
      return { value: yield* valueOf(answer, secrets, isJsonNeeded), size: answer.bytes.byteLength }
    })
  )
  return (parameters) =>
    // Nothing of the arguments: the path is that of the entry.
    withSpan(
      "wield.rest",
      "internal",
      () => ({ "http.request.method": plan.method, "url.template": entry.api.path ?? "" }),
      (span) => within(execute(parameters), span)
    )
}

const answered = (api: Api, plan: Plan, parameters: Arguments, maxBytes: number, sending: Sending) =>
  Effect.gen(function* () {
    const made = yield* requestOf(plan, api.target, parameters)
    const { idempotencyKey } = yield* CurrentCall.CurrentCall
    const key = isIdempotent(plan.method) || idempotencyKey === "" ? undefined : api.idempotencyHeader
    const request = HttpClientRequest.setHeaders(made, {
      ...api.headers,
      ...made.headers,
      ...(key === undefined ? {} : { [key]: idempotencyKey })
    })
    // Another origin does not get the key, and may have done what it was asked without.
    const isRepeatable = ({ headers }: HttpClientRequest.HttpClientRequest) =>
      isIdempotent(plan.method) || (key !== undefined && headers[key] === idempotencyKey)
    const answered = yield* attempts(api, request, isRepeatable, maxBytes, sending)
    return isSuccess(answered.answer) ? answered : yield* statusErrorOf(answered.answer, answered.secrets)
  })
