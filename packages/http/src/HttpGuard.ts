/**
 * An HTTP client for Node whose requests go to public addresses only, unless
 * a host is allowed by name. Redirects are checked anew, and answers bounded.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Agent } from "undici"
import { connector } from "./guard/connect.js"
import { send } from "./guard/send.js"

/**
 * What requests and answers are refused for, and how to ask a failed request
 * for it: all of `Refusal`, which by itself needs no Node.
 */
export * from "./Refusal.js"

/**
 * What outgoing requests may do.
 *
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
 * @category models
 */
export type Lookup = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * A guarded client, whose connections live until the scope closes.
 *
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
 * @category layers
 */
export const layer = (policy: Policy = {}): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(HttpClient.HttpClient, make(policy))
