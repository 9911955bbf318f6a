/** Sends a request as often as it may be sent, with the credentials of the API. */
import type { Headers, HttpClient, HttpClientRequest } from "@effect/platform"
import * as Secret from "@wield/core/Secret"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Random from "effect/Random"
import type { RequestFailed } from "../ExecutorError.js"
import type * as RestExecutor from "../RestExecutor.js"
import { authorize, type Credential } from "./auth.js"
import { type Answer, exchange, type Failed, isSuccess } from "./exchange.js"
import type { Method } from "./plan.js"

export interface Connection {
  readonly client: HttpClient.HttpClient
  /** Names of headers, lower case, whose values are not shown or sent elsewhere. */
  readonly secretHeaders: ReadonlyArray<string>
  readonly secrets: ReadonlyArray<string>
  readonly credential: Effect.Effect<Credential | undefined, RequestFailed>
  /** The API did not take the credential: whether another one can be had. */
  readonly forget: (credential: Credential) => Effect.Effect<boolean>
  readonly retry: Retry
}

/** What is known of a call while it goes on. */
export interface Sending {
  /** A request may have come to the API. */
  wasSent: boolean
}

export interface Answered {
  readonly answer: Answer
  readonly secrets: ReadonlyArray<string>
}

/** Credentials that an API says again in an answer are taken out of it; shorter ones are in every text. */
const isHidden = ({ length }: string): boolean => length >= 4

export const attempts = (
  api: Connection,
  request: HttpClientRequest.HttpClientRequest,
  /** Whether it may be sent again though it may have been carried out; `last` is what it became by redirects. */
  isRepeatable: (last: HttpClientRequest.HttpClientRequest) => boolean,
  maxBytes: number,
  sending: Sending
): Effect.Effect<Answered, RequestFailed> => {
  const attempt = (count: number, isRenewed: boolean): Effect.Effect<Answered, RequestFailed> =>
    Effect.gen(function* () {
      const credential = yield* api.credential
      const secrets = Secret.spellingsOf([...api.secrets, ...(credential?.secrets ?? [])].filter(isHidden))
      const sent = credential === undefined ? request : authorize(request, credential)
      const hidden = credential?.in === "header" ? [...api.secretHeaders, credential.name] : api.secretHeaders
      const { wasSent } = sending
      sending.wasSent = true
      const outcome = yield* Effect.either(exchange(api.client, sent, maxBytes, hidden))
      const { request: last = sent } = Either.merge(outcome)
      const isRedirected = last.method !== sent.method || last.url !== sent.url
      if (outcome._tag === "Left" && outcome.left.isUnsent && !isRedirected) sending.wasSent = wasSent
      const mayRepeat = isRepeatable(last)
      // A redirect that turns POST into GET says that it was carried out, whatever answers there.
      const isUndone = mayRepeat || last.method === sent.method
      const isRefused = isUndone && outcome._tag === "Right" && outcome.right.status === 401
      if (isRefused && !isRenewed && credential !== undefined && (yield* api.forget(credential))) {
        return yield* attempt(count, true)
      }
      if (outcome._tag === "Right" && isSuccess(outcome.right)) return { answer: outcome.right, secrets }
      const wait = mayRepeat && count <= api.retry.times ? yield* waitAfter(outcome, api.retry, count) : undefined
      if (wait !== undefined) return yield* Effect.zipRight(Effect.sleep(wait), attempt(count + 1, isRenewed))
      return outcome._tag === "Right" ? { answer: outcome.right, secrets } : yield* outcome.left.error
    })
  return attempt(1, false)
}

/** Milliseconds until the next attempt; `undefined` if there is to be none. */
const waitAfter = (
  outcome: { readonly _tag: "Left"; readonly left: Failed } | { readonly _tag: "Right"; readonly right: Answer },
  retry: Retry,
  count: number
): Effect.Effect<number | undefined> =>
  Effect.gen(function* () {
    const isTransient = outcome._tag === "Left" ? outcome.left.isTransient : isTransientStatus(outcome.right.status)
    if (!isTransient) return undefined
    const now = yield* Clock.currentTimeMillis
    const asked = outcome._tag === "Right" ? retryAfter(outcome.right.headers, now) : undefined
    if (asked !== undefined) return asked > retry.maxDelay ? undefined : asked
    return backoff(retry, count, yield* Random.next)
  })

type Retry = { readonly [Option in keyof RestExecutor.Retry]-?: number }

/** RFC 9110, 9.2.2. */
export const isIdempotent = (method: Method): boolean => method !== "POST" && method !== "PATCH"

const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status === 500 || (status >= 502 && status <= 504)

/** Milliseconds that an API asks to wait (RFC 9110, 10.2.3). */
const retryAfter = (headers: Headers.Headers, now: number): number | undefined => {
  const header = headers["retry-after"]?.trim()
  if (header === undefined || header === "") return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

/** Milliseconds after this attempt, doubled each time. Half of it is chance, so that those who failed together do not come back together. */
const backoff = (retry: Retry, attempt: number, chance: number): number =>
  Math.min(retry.maxDelay, retry.baseDelay * 2 ** (attempt - 1)) * (0.5 + chance / 2)
