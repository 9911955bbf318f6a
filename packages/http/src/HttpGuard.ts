/**
 * An HTTP client for Node that goes to public addresses only, unless you allow
 * a host by name. It checks every redirect and bounds every answer.
 */
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { HttpMethod } from "@effect/platform/HttpMethod"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
// By its path: Bun puts a client of its own in the place of "undici", which has no say in where it connects.
import { Agent, buildConnector } from "undici/index.js"
import { check, checkPolicy, type Kind, texts } from "./guard/policy.js"
import { resumeAtEnd } from "./guard/paused.js"
import { send } from "./guard/send.js"
import * as dns from "node:dns/promises"
import { setMaxListeners } from "node:events"
import { isIP, type LookupFunction } from "node:net"
import { rangeOf } from "./guard/address.js"
import { AddressRefused } from "./Refusal.js"

/** The refusals and `refusalOf`. The module `Refusal` has them without Node. */
export * from "./Refusal.js"

export { checkPolicy } from "./guard/policy.js"

/**
 * The limits of outgoing requests.
 *
 * @category models
 */
export interface Policy {
  /** Private, loopback or link-local hosts to allow: names, addresses, or either with `:port`. */
  readonly allowedHosts?: ReadonlyArray<string> | undefined
  /** Where your users set `allowedHosts`, such as the path of a configuration: a refusal says so. */
  readonly allowedHostsOf?: string | undefined
  /** The most redirects to follow. Each is checked. Default 5. */
  readonly maxRedirects?: number | undefined
  /** The largest answer, in bytes after decompression. Default 10 MiB. */
  readonly maxBytes?: number | undefined
  /** The largest head of an answer, in bytes. Default 16 KiB. */
  readonly maxHeaderBytes?: number | undefined
  /** Milliseconds to connect. Default 10 seconds. */
  readonly connectTimeout?: number | undefined
  /** Milliseconds until the head of an answer. Default 5 minutes. */
  readonly headersTimeout?: number | undefined
  /** Milliseconds between two pieces of a body. Default 5 minutes. */
  readonly bodyTimeout?: number | undefined
  /** Resolves a name. Default: the system's resolver. The guard checks its answer either way. */
  readonly lookup?: Lookup | undefined
}

/**
 * Resolves a name to its addresses.
 *
 * @category models
 */
export type Lookup = (hostname: string) => Promise<ReadonlyArray<string>>

/**
 * A guarded client. Its connections live until the scope closes.
 *
 * @category constructors
 */
export const make = (policy: Policy = {}): Effect.Effect<HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.map(makeAgent(policy), (agent) =>
    HttpClient.make((request, url, signal) =>
      Effect.map(
        send({ agent, request, url, signal, ...limitsOf(policy) }),
        // Links in the answer are relative to the URL of the last request.
        ({ request: last, response }) => HttpClientResponse.fromWeb(last, response)
      )
    )
  )

/**
 * A guarded `fetch`, for libraries that take one. It sends text and bytes, and
 * leaves redirects to the caller where `redirect` is `manual`, and fails at one where it is `error`. A refusal is the
 * cause of its error; `refusalOf` returns it. Its connections live until the
 * scope closes.
 *
 * @category constructors
 */
export const makeFetch = (
  policy: Policy = {}
): Effect.Effect<(url: string | URL, init?: RequestInit) => Promise<Response>, never, Scope.Scope> =>
  Effect.map(makeAgent(policy), (agent) => async (url, init = {}) => {
    const signal = init.signal ?? new AbortController().signal
    // Any number of requests may share it: Node would warn of a leak from the eleventh on. Of another maker's it knows nothing.
    if (signal instanceof EventTarget) setMaxListeners(0, signal)
    const request = HttpClientRequest.make(methodOf(init.method))(url).pipe(
      HttpClientRequest.setBody(fetchBody(init.body)),
      HttpClientRequest.setHeaders(new Headers(init.headers))
    )
    const { redirect = "follow" } = init
    check("redirect of a guarded fetch", aRedirect, redirect)
    const limits = limitsOf(policy)
    const maxRedirects = { follow: limits.maxRedirects, error: 0, manual: undefined }[redirect]
    const sending = send({ agent, request, url: new URL(url), signal, ...limits, maxRedirects })
    const sent = await Effect.runPromise(Effect.either(sending))
    if (Either.isRight(sent)) return sent.right.response
    if (signal.aborted) throw signal.reason
    throw new TypeError(sent.left.message, { cause: sent.left.cause })
  })

const aRedirect: Kind = {
  expected: "follow, error or manual",
  isRight: (given) => given === "follow" || given === "error" || given === "manual"
}

const limitsOf = ({ maxBytes = 10 * 1024 * 1024, maxRedirects = 5 }: Policy) => ({ maxBytes, maxRedirects })

/** Node's `fetch` writes methods so, too. */
const methodOf = (method = "GET"): HttpMethod => method.toUpperCase() as HttpMethod

const fetchBody = (body: BodyInit | null | undefined): HttpBody.HttpBody => {
  if (body === null || body === undefined) return HttpBody.empty
  // `Content-Type` is the caller's: it stands among the headers.
  if (body instanceof Uint8Array) return HttpBody.uint8Array(body)
  if (typeof body === "string") return HttpBody.text(body, "text/plain;charset=UTF-8")
  if (body instanceof URLSearchParams) return HttpBody.urlParams(UrlParams.fromInput(body))
  throw new TypeError("The guarded fetch sends text and bytes only")
}

const makeAgent = (policy: Policy): Effect.Effect<Agent, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      checkPolicy(policy)
      return new Agent({
        connect: makeConnector(policy),
        maxHeaderSize: policy.maxHeaderBytes ?? 16 * 1024,
        headersTimeout: policy.headersTimeout ?? 300_000,
        bodyTimeout: policy.bodyTimeout ?? 300_000
      })
    }),
    (agent) => Effect.promise(() => agent.destroy())
  )

/**
 * A guarded client as the `HttpClient` of a program. A refusal is a
 * `RequestError` or `ResponseError` of `@effect/platform`; `refusalOf` returns
 * its reason. What is made with the layer sends nothing once its scope is closed.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { HttpClient } from "@effect/platform"
 * import { HttpGuard } from "@wield/http"
 * import { Effect, Option } from "effect"
 *
 * // The metadata service of a cloud, written as a number.
 * const refused = HttpClient.get("http://2852039166/latest/meta-data").pipe(Effect.flip, Effect.map(HttpGuard.refusalOf))
 * const Guarded = HttpGuard.layer({ allowedHosts: ["inventory.internal:8080"] })
 * Effect.runPromise(Effect.provide(refused, Guarded)).then((refusal) => assert.ok(Option.isSome(refusal)))
 * ```
 *
 * @category layers
 */
export const layer = (policy: Policy = {}): Layer.Layer<HttpClient.HttpClient> =>
  Layer.scoped(HttpClient.HttpClient, make(policy))

/**
 * Resolves the name, checks the answer and connects to that same answer. A name
 * that changes its address in between gains nothing.
 */
const makeConnector = (policy: Policy): buildConnector.connector => {
  const { allowedHosts = [], allowedHostsOf } = policy
  const isAllowed = hostMatcher(allowedHosts)
  const resolve = policy.lookup ?? systemLookup
  const timeout = policy.connectTimeout ?? 10_000
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80)
    const host = options.hostname.replace(/^\[|\]$/g, "")
    const isFree = isAllowed(host, port)
    // Node does not resolve an address.
    const range = isIP(host) === 0 || isFree ? "unicast" : rangeOf(host)
    if (range !== "unicast") {
      queueMicrotask(() => callback(new AddressRefused({ host, address: host, range, allowedHostsOf }), null))
      return
    }
    const lookup: LookupFunction = (hostname, { all }, done) => {
      const answer = async () => {
        const addresses = await resolve(hostname)
        check("What the lookup of HttpGuard gives", texts, addresses)
        const refused = addresses.find(
          (address) => !isFree && !isAllowed(address, port) && rangeOf(address) !== "unicast"
        )
        if (refused !== undefined) {
          throw new AddressRefused({ host: hostname, address: refused, range: rangeOf(refused), allowedHostsOf })
        }
        const found = addresses
          .map((address) => ({ address, family: isIP(address) }))
          .filter(({ family }) => family !== 0)
        const [first] = found
        if (first === undefined) throw new AddressRefused({ host: hostname, range: "a name without an address" })
        return { first, found }
      }
      answer().then(
        ({ first, found }) => (all === true ? done(null, found) : done(null, first.address, first.family)),
        // Node passes the error on and ignores the addresses.
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), [])
      )
    }
    buildConnector({ timeout, lookup })(options, (...connected) => {
      const [, socket] = connected
      // Beside an error it is not even `null`.
      if (socket) resumeAtEnd(socket)
      callback(...connected)
    })
  }
}

const systemLookup = async (hostname: string): Promise<ReadonlyArray<string>> =>
  (await dns.lookup(hostname, { all: true })).map(({ address }) => address)

/** Compares names and addresses as URLs write them: lower case, IPv6 in its short form. */
const hostMatcher = (hosts: ReadonlyArray<string>): ((host: string, port: number) => boolean) => {
  const names = new Set(hosts.map(canonical))
  return (host, port) => {
    const name = canonical(host)
    return names.has(name) || names.has(`${name}:${port}`)
  }
}

const canonical = (host: string): string => {
  const bracketed = /^[^[].*:.*:/.test(host) ? `[${host}]` : host
  // A URL drops the port of its scheme, so the port is set aside.
  const [, name = bracketed, port = ""] = /^(.*?)(:\d+)?$/.exec(bracketed) ?? []
  const url = `http://${name}/`
  return (URL.canParse(url) ? new URL(url).hostname : name.toLowerCase()) + port
}
