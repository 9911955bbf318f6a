/**
 * An HTTP client for Node whose requests go to public addresses only, unless
 * a host is allowed by name. Redirects are checked anew, and answers bounded.
 *
 * @since 0.1.0
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { Agent } from "undici"
import { connector } from "./guard/connect.js"
import { send } from "./guard/send.js"
import {
  AddressRefused,
  BodyTooLarge,
  EncodingRefused,
  ProtocolRefused,
  RedirectRefused,
  TooManyRedirects
} from "./guard/refusals.js"

export {
  /**
   * The address that a request would go to is not public, and its host is not
   * allowed by name.
   *
   * @since 0.1.0
   * @category errors
   */
  AddressRefused,
  /**
   * The answer is longer than the policy allows, counted after decompression.
   *
   * @since 0.1.0
   * @category errors
   */
  BodyTooLarge,
  /**
   * The answer says that it is compressed several times over.
   *
   * @since 0.1.0
   * @category errors
   */
  EncodingRefused,
  /**
   * The URL is of another scheme than `http` and `https`.
   *
   * @since 0.1.0
   * @category errors
   */
  ProtocolRefused,
  /**
   * A redirect that cannot be followed: its location is no URL, or the body of
   * the request is a stream, which can be sent once only.
   *
   * @since 0.1.0
   * @category errors
   */
  RedirectRefused,
  /**
   * There were more redirects than the policy allows.
   *
   * @since 0.1.0
   * @category errors
   */
  TooManyRedirects
}

/**
 * What outgoing requests may do.
 *
 * @since 0.1.0
 * @category models
 */
export interface Policy {
  /** Hosts (names, addresses, or `host:port`) that are allowed although they are private, loopback or link-local. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** How many redirects are followed; each is checked anew. 5 unless given. */
  readonly maxRedirects?: number | undefined
  /** The largest answer, in bytes after decompression. 10 MiB unless given. */
  readonly maxBytes?: number | undefined
  /** The largest head of an answer, in bytes. 16 KiB unless given. */
  readonly maxHeaderBytes?: number | undefined
  /** Milliseconds for a connection to be made. 10 seconds unless given. */
  readonly connectTimeout?: number | undefined
  /** Milliseconds for the head of an answer to come. 5 minutes unless given. */
  readonly headersTimeout?: number | undefined
  /** Milliseconds between two pieces of a body. 5 minutes unless given. */
  readonly bodyTimeout?: number | undefined
  /** The addresses of a name; those of the system's resolver unless given. What it answers is checked all the same. */
  readonly lookup?: Lookup | undefined
}

/**
 * The addresses of a name.
 *
 * @since 0.1.0
 * @category models
 */
export type Lookup = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * What a request or an answer was refused for.
 *
 * @since 0.1.0
 * @category errors
 */
export type Refusal =
  | AddressRefused
  | BodyTooLarge
  | EncodingRefused
  | ProtocolRefused
  | RedirectRefused
  | TooManyRedirects

/**
 * A guarded client, whose connections live until the scope closes.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (policy: Policy = {}): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            connect: connector(policy),
            maxHeaderSize: policy.maxHeaderBytes ?? 16 * 1024,
            headersTimeout: policy.headersTimeout ?? 300_000,
            bodyTimeout: policy.bodyTimeout ?? 300_000
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent) =>
      HttpClient.make((request, url, signal) =>
        send({
          agent,
          request,
          url,
          signal,
          maxRedirects: policy.maxRedirects ?? 5,
          maxBytes: policy.maxBytes ?? 10 * 1024 * 1024
        })
      )
  )

/**
 * A guarded client as the `HttpClient` of a program. What it refuses is a
 * `RequestError` or `ResponseError` of `@effect/platform`; `refusalOf` tells
 * what for.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { HttpClient } from "@effect/platform"
 * import { HttpGuard } from "@wield/http"
 * import { Effect, Option } from "effect"
 *
 * // The metadata service of a cloud, written as a number.
 * const program = HttpClient.get("http://2852039166/latest/meta-data").pipe(
 *   Effect.flip,
 *   Effect.map(HttpGuard.refusalOf),
 *   Effect.provide(HttpGuard.layer({ allowedHosts: ["inventory.internal:8080"] }))
 * )
 * Effect.runPromise(program).then((refusal) => {
 *   assert.strictEqual(Option.getOrThrow(refusal)._tag, "AddressRefused")
 * })
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (policy: Policy = {}): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(HttpClient.HttpClient, make(policy))

/**
 * What a failed request was refused for; none if it failed otherwise. It looks
 * along the causes of the error.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { HttpGuard } from "@wield/http"
 * import { Option } from "effect"
 *
 * const error = new Error("no answer", { cause: new HttpGuard.TooManyRedirects({ limit: 5 }) })
 * assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(error))._tag, "TooManyRedirects")
 * assert.ok(Option.isNone(HttpGuard.refusalOf(new Error("no route to host"))))
 * ```
 *
 * @since 0.1.0
 * @category errors
 */
export const refusalOf = (error: unknown): Option.Option<Refusal> => {
  let current = error
  // Causes may form a circle.
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (isRefusal(current)) return Option.some(current)
    current = current.cause
  }
  return Option.none()
}

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof AddressRefused ||
  error instanceof BodyTooLarge ||
  error instanceof EncodingRefused ||
  error instanceof ProtocolRefused ||
  error instanceof RedirectRefused ||
  error instanceof TooManyRedirects
