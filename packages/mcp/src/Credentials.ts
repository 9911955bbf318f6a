/**
 * Access to a server by OAuth 2.1. The SDK speaks the protocol; what it learns is
 * kept in a store of yours.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import { Json } from "@wield/core"
import type { HttpGuard } from "@wield/http"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { defaultLimits } from "./client/Connection.js"
import { makeFetch } from "./client/transport.js"

/**
 * Where tokens, registrations and verifiers are kept. Values are secrets: encrypt
 * them, and keep those of one user apart from those of another.
 *
 * @category models
 */
export interface Store {
  readonly get: (key: string) => Effect.Effect<Json.JsonObject | undefined>
  readonly set: (key: string, value: Json.JsonObject) => Effect.Effect<void>
  readonly remove: (key: string) => Effect.Effect<void>
}

/**
 * A store that lasts as long as the program.
 *
 * @category constructors
 */
export const memoryStore: Effect.Effect<Store> = Effect.sync(() => {
  const values = new Map<string, Json.JsonObject>()
  return {
    get: (key) => Effect.sync(() => values.get(key)),
    set: (key, value) => Effect.sync(() => void values.set(key, value)),
    remove: (key) => Effect.sync(() => void values.delete(key))
  }
})

/**
 * How access is got.
 *
 * @category models
 */
export interface OAuthOptions {
  readonly store: Store
  /** Where the person comes back to. A page of your program, or a server on loopback. */
  readonly redirectUrl: string
  /** Shown to the person who grants access. `Wield` unless given. */
  readonly clientName?: string | undefined
  /** A client that was registered before. Without it, the program registers itself. */
  readonly client?: { readonly id: string; readonly secret?: Redacted.Redacted | undefined } | undefined
  /** The `https` address of a client metadata document, used instead of a registration where the server can. */
  readonly clientMetadataUrl?: string | undefined
  /** Where requests to authorization servers may go, beside public addresses. */
  readonly guard?: HttpGuard.Policy | undefined
  /** Scopes to ask for where the server names none. */
  readonly scope?: string | undefined
}

/**
 * How a program gets access to a server.
 *
 * @category models
 */
export interface Credentials {
  /** @internal */
  readonly forUrl: (url: URL) => {
    readonly provider: (sdk: typeof Sdk) => Sdk.OAuthClientProvider
    readonly pendingUrl: () => string | undefined
  }
  /**
   * Completes what an `AuthorizationRequired` has begun: `callback` is the whole
   * address that the person came back to. Connect again after it.
   */
  readonly complete: (server: string | URL, callback: string | URL) => Effect.Effect<void, AuthorizationFailed>
}

/**
 * The person did not grant access, or the answer is not to this request.
 *
 * @category errors
 */
export class AuthorizationFailed extends Data.TaggedError("AuthorizationFailed")<{ readonly reason: string }> {
  override get message(): string {
    return `Access was not granted: ${this.reason}`
  }
}

/**
 * Access that a person grants in a browser. A connection without access fails
 * with `AuthorizationRequired`, which has the address to send the person to.
 * Tokens are refreshed without help.
 *
 * @category constructors
 */
export const oauth = (options: OAuthOptions): Credentials => {
  const pending = new Map<string, string>()
  const { client, clientMetadataUrl, clientName = "Wield", redirectUrl, scope, store } = options
  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(effect)
  const make = (url: URL): Sdk.OAuthClientProvider => {
    const base = `${url.origin}${url.pathname}`
    // The SDK stamps what it keeps with its issuer, and does not use it with another.
    const key = (what: string) => `mcp:${base}:${what}`
    const read = <A>(name: string): Promise<A | undefined> =>
      // What is read was written here.
      run(store.get(name)) as Promise<A | undefined>
    const write = (name: string, value: object): Promise<void> => run(store.set(name, Json.fromObject(value)))
    const drop = (name: string): Promise<void> => run(store.remove(name))
    return {
      redirectUrl,
      ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
      clientMetadata: {
        client_name: clientName,
        redirect_uris: [redirectUrl],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: client?.secret === undefined ? "none" : "client_secret_post",
        ...(scope === undefined ? {} : { scope })
      },
      state: async () => {
        const state = randomBytes(16).toString("base64url")
        await write(key("state"), { state })
        return state
      },
      clientInformation: () =>
        client === undefined
          ? read(key("client"))
          : {
              client_id: client.id,
              ...(client.secret === undefined ? {} : { client_secret: String(Redacted.value(client.secret)) })
            },
      saveClientInformation: (information) => write(key("client"), information),
      tokens: () => read(key("tokens")),
      saveTokens: async (tokens) => {
        pending.delete(base)
        await write(key("tokens"), tokens)
      },
      redirectToAuthorization: (to) => void pending.set(base, to.href),
      saveCodeVerifier: (verifier) => write(key("verifier"), { verifier }),
      codeVerifier: async () => (await read<{ readonly verifier: string }>(key("verifier")))?.verifier ?? "",
      saveDiscoveryState: (state) => write(key("discovery"), state),
      discoveryState: () => read(key("discovery")),
      invalidateCredentials: async (what) => {
        for (const name of what === "all" ? ["client", "tokens", "verifier", "discovery"] : [what])
          await drop(key(name))
      }
    }
  }
  return {
    forUrl: (url) => ({ provider: () => make(url), pendingUrl: () => pending.get(`${url.origin}${url.pathname}`) }),
    complete: (server, callback) =>
      Effect.gen(function* () {
        const url = new URL(server)
        const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
        const { searchParams } = new URL(callback)
        const kept = yield* store.get(`mcp:${url.origin}${url.pathname}:state`)
        if (kept === undefined || kept["state"] !== searchParams.get("state")) {
          return yield* new AuthorizationFailed({ reason: "the answer has another state than the request" })
        }
        const fetch = yield* makeFetch(url, options.guard ?? {}, defaultLimits)
        const transport = new sdk.StreamableHTTPClientTransport(url, { authProvider: make(url), fetch })
        yield* Effect.tryPromise({
          try: () => transport.finishAuth(searchParams),
          catch: (error) => new AuthorizationFailed({ reason: error instanceof Error ? error.message : String(error) })
        })
      }).pipe(Effect.scoped)
  }
}

/**
 * Access of the program itself, without a person, by its own id and secret.
 *
 * @category constructors
 */
export const clientCredentials = (options: {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
  readonly scope?: string | undefined
}): Credentials => ({
  forUrl: () => ({
    provider: (sdk) =>
      new sdk.ClientCredentialsProvider({
        clientId: options.clientId,
        clientSecret: String(Redacted.value(options.clientSecret)),
        ...(options.scope === undefined ? {} : { scope: options.scope })
      }),
    pendingUrl: () => undefined
  }),
  complete: () => new AuthorizationFailed({ reason: "no person is asked for access" })
})
