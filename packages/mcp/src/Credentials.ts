/**
 * Access to a server by OAuth 2.1. The SDK speaks the protocol; what it learns is
 * kept in a store of yours.
 */
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import type { HttpGuard } from "@wield/http"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { JWK } from "jose"
import { createHash, randomBytes } from "node:crypto"
import { defaultLimits } from "./client/Connection.js"
import { type Lock, type SharedTokens, sharedTokens } from "./client/sharedTokens.js"
import { checkClientCredentials, checkIdentity, checkJwtBearer, checkOAuth } from "./client/options.js"
import { makeFetch } from "./client/fetch.js"
import { messageOf } from "./client/transport.js"

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
  /**
   * Runs while no other process that shares the store does, for each key. Give it
   * where several processes share the store: most use tokens that another one has
   * renewed, but some authorization servers end all access when two renew at once.
   */
  readonly lock?: (<A>(key: string, run: Effect.Effect<A>) => Effect.Effect<A>) | undefined
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
  /**
   * Binds tokens to a key of this program (DPoP, RFC 9449) where the authorization server can, so that a stolen token
   * is of no use. The key is kept in the store.
   */
  readonly dpop?: boolean | undefined
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
    /** What has to be seen of each request and answer, by all that share the credentials. */
    readonly shared: SharedTokens
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
  checkOAuth(options)
  const sessions = new Map<string, Promise<Sdk.DpopSession>>()
  const { client, clientMetadataUrl, clientName = "Wield", redirectUrl, scope, store } = options
  const sharedOf = (url: URL) => sharedTokens(store, `${url.origin}${url.pathname}`, lockOf(store, keyOf(url, "lock")))
  const run = <A>(effect: Effect.Effect<A>): Promise<A> => Effect.runPromise(effect)
  const keyOf = (url: URL, what: string) => `mcp:${url.origin}${url.pathname}:${what}`
  const signInKey = (url: URL, state: string) => keyOf(url, `signIn:${state}`)
  /** Each has an entry of its own, as several may begin at once; of those that no one completes, the oldest go. */
  const begin = (url: URL, state: string, signIn: SignIn): Promise<void> =>
    sharedOf(url).inTurn(async () => {
      await run(store.set(signInKey(url, state), Json.fromObject(signIn)))
      const kept = (await run(store.get(keyOf(url, "signIns"))))?.["states"]
      const states = [...(Array.isArray(kept) ? kept : []), state].map(String)
      await run(store.set(keyOf(url, "signIns"), { states: states.slice(-maxSignIns) }))
      for (const old of states.slice(0, -maxSignIns)) await run(store.remove(signInKey(url, old)))
    })
  /** A connection looks again where access is granted; an answer belongs to what its own request was made with. */
  const make = (sdk: typeof Sdk, url: URL, answered?: SignIn): Sdk.OAuthClientProvider => {
    /** Of requests that begin, by what is sent of them. */
    const verifiers = new Map<string, string>()
    const clients = new Map<string, Sdk.StoredOAuthClientInformation>()
    let discovery: Sdk.OAuthDiscoveryState | undefined = answered?.discovery
    const base = `${url.origin}${url.pathname}`
    const shared = sharedOf(url)
    // The SDK stamps what it keeps with its issuer, and does not use it with another.
    const key = (what: string) => keyOf(url, what)
    const read = <A>(name: string): Promise<A | undefined> =>
      // What is read was written here.
      run(store.get(name)) as Promise<A | undefined>
    const write = (name: string, value: object): Promise<void> => run(store.set(name, Json.fromObject(value)))
    const openSession = async (): Promise<Sdk.DpopSession> => {
      const jose = await import("jose")
      const kept = await read<{ readonly privateJwk: JWK; readonly publicJwk: JWK }>(key("dpop"))
      if (kept === undefined) {
        const keyPair = await sdk.generateDpopKeyPair({ alg: dpopAlgorithm, extractable: true })
        await write(key("dpop"), {
          privateJwk: await jose.exportJWK(keyPair.privateKey),
          publicJwk: keyPair.publicJwk
        })
        return sdk.DpopSession.create({ keyPair })
      }
      const { privateJwk, publicJwk } = kept
      const [privateKey, publicKey] = await Promise.all(
        // Keys of this algorithm are pairs, never bytes.
        [privateJwk, publicJwk].map((jwk) => jose.importJWK(jwk, dpopAlgorithm) as Promise<CryptoKey>)
      )
      const thumbprint = await jose.calculateJwkThumbprint(publicJwk, "sha256")
      return sdk.DpopSession.create({
        keyPair: { privateKey: privateKey!, publicKey: publicKey!, publicJwk, thumbprint, alg: dpopAlgorithm }
      })
    }
    const sessionOnce = (): Promise<Sdk.DpopSession> => {
      const session = sessions.get(base) ?? openSession()
      sessions.set(base, session)
      return session
    }
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
      state: () => randomBytes(16).toString("base64url"),
      clientInformation: async () => {
        if (client !== undefined) {
          const secret = client.secret === undefined ? {} : { client_secret: String(Redacted.value(client.secret)) }
          return { client_id: client.id, ...secret }
        }
        const kept = answered?.client ?? (await read<Sdk.StoredOAuthClientInformation>(key("client")))
        if (kept === undefined || !shared.isUnrefused(kept.client_id)) return undefined
        rememberFew(clients, kept.client_id, kept)
        return kept
      },
      saveClientInformation: (information) => {
        rememberFew(clients, information.client_id, information)
        return write(key("client"), information)
      },
      // Nothing is deleted: another process may put its own there between a look and the deletion.
      tokens: async () => {
        const kept = await read<Sdk.StoredOAuthTokens>(key("tokens"))
        return kept !== undefined && shared.isOver(kept) ? undefined : kept
      },
      saveTokens: async (tokens) => {
        const kept = await read<Sdk.OAuthTokens>(key("tokens"))
        // What came from the store may have been renewed since then, also by another process.
        const isOlder = shared.isKept(tokens) && kept !== undefined && kept.access_token !== tokens.access_token
        // Another request may have registered the program again since this one.
        if (answered?.client !== undefined) await write(key("client"), answered.client)
        if (!isOlder) await write(key("tokens"), tokens)
      },
      saveCodeVerifier: (verifier) => {
        rememberFew(verifiers, createHash("sha256").update(verifier).digest("base64url"), verifier)
      },
      redirectToAuthorization: async (to) => {
        const sent = (name: string) => to.searchParams.get(name) ?? ""
        const registered = client === undefined ? clients.get(sent("client_id")) : undefined
        const verifier = verifiers.get(sent("code_challenge")) ?? ""
        await begin(url, sent("state"), Json.withoutUndefined({ verifier, discovery, client: registered }))
        // The SDK's own says nothing of which request it is about.
        throw Object.assign(new sdk.UnauthorizedError("A person has to grant access"), { url: to.href })
      },
      codeVerifier: () => answered?.verifier ?? "",
      saveDiscoveryState: (state) => void (discovery = state),
      ...(answered === undefined ? {} : { discoveryState: () => discovery }),
      ...(options.dpop === true ? { dpop: sessionOnce } : {}),
      // What was refused is known by `shared`.
      invalidateCredentials: () => undefined
    }
  }
  return {
    forUrl: (url) => ({
      provider: (sdk) => make(sdk, url),
      shared: sharedOf(url)
    }),
    complete: (server, callback) =>
      Effect.gen(function* () {
        const url = new URL(server)
        const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
        const { searchParams } = new URL(callback)
        const state = searchParams.get("state") ?? ""
        const key = signInKey(url, state)
        const kept = /^[\w-]{22}$/.test(state) ? yield* store.get(key) : undefined
        if (kept === undefined) {
          return yield* new AuthorizationFailed({
            reason: "no request of this state waits: it has been answered, or another program or server asked"
          })
        }
        // Taken first, so that no second answer uses the code again.
        yield* store.remove(key)
        const fetch = yield* makeFetch(url, options.guard ?? {}, defaultLimits)
        // What is read was written by `begin`.
        const authProvider = make(sdk, url, kept as unknown as SignIn)
        const transport = new sdk.StreamableHTTPClientTransport(url, { authProvider, fetch })
        yield* Effect.tryPromise({
          try: () => transport.finishAuth(searchParams),
          catch: failedBy
        }).pipe(
          inTime,
          Effect.onError(() => store.set(key, kept))
        )
      }).pipe(Effect.scoped)
  }
}

/** What rejects does so as it would without a lock. */
const lockOf =
  ({ lock }: Store, key: string): Lock =>
  async (run) => {
    if (lock === undefined) return run()
    const ended = await Effect.runPromise(lock(key, Effect.either(Effect.tryPromise({ try: run, catch: (e) => e }))))
    if (Either.isLeft(ended)) throw ended.left
    return ended.right
  }

/** What a request to a person was made with, which its answer needs. */
interface SignIn {
  readonly verifier: string
  readonly discovery?: Sdk.OAuthDiscoveryState
  readonly client?: Sdk.StoredOAuthClientInformation
}

/** Of one server, that no one has completed. */
const maxSignIns = 50

const rememberFew = <A>(values: Map<string, A>, key: string, value: A): void => {
  if (values.size >= maxSignIns) values.clear()
  values.set(key, value)
}

const dpopAlgorithm = "ES256"

/**
 * How a program proves who it is.
 *
 * @category models
 */
export type ClientCredentialsOptions = {
  readonly clientId: string
  /** The authorization server that knows the program. Without it, the secret goes to the one that the server names. */
  readonly issuer?: string | undefined
  readonly scope?: string | undefined
} & (
  | { readonly clientSecret: Redacted.Redacted }
  | {
      /** A private key in PEM, which signs a statement instead of a secret that is sent. */
      readonly privateKey: Redacted.Redacted
      /** Of the key, such as `ES256`. */
      readonly algorithm: string
    }
)

/**
 * Access of the program itself, without a person, by its own id and a secret or key.
 *
 * @category constructors
 */
export const clientCredentials = (options: ClientCredentialsOptions): Credentials => {
  checkClientCredentials(options)
  const { clientId, issuer, scope } = options
  const given = Json.withoutUndefined({ clientId, scope, expectedIssuer: issuer })
  return withoutPerson((sdk) =>
    "privateKey" in options
      ? new sdk.PrivateKeyJwtProvider({
          ...given,
          privateKey: Redacted.value(options.privateKey),
          algorithm: options.algorithm
        })
      : new sdk.ClientCredentialsProvider({ ...given, clientSecret: Redacted.value(options.clientSecret) })
  )
}

const withoutPerson = (make: ReturnType<Credentials["forUrl"]>["provider"]): Credentials => {
  // All connections to a server have its tokens.
  const providers = new Map<string, Sdk.OAuthClientProvider>()
  const credentials: Credentials = {
    forUrl: ({ href }) => ({
      provider: (sdk) => {
        const provider = providers.get(href) ?? make(sdk)
        providers.set(href, provider)
        return provider
      },
      shared: sharedTokens(credentials, href)
    }),
    complete: () => new AuthorizationFailed({ reason: "no person is asked for access" })
  }
  return credentials
}

/**
 * What access is asked for.
 *
 * @category models
 */
export interface AccessRequest {
  /** The authorization server, which the assertion is for. */
  readonly issuer: string
  /** The MCP server. */
  readonly resource: string
  readonly scope: string | undefined
}

/**
 * Access by a signed statement of a third party that both sides trust (RFC 7523): the identity of a workload, which
 * its platform gives it, or what an organization's identity provider says (`identityAssertion`). `assertion` makes one
 * for each token.
 *
 * @category constructors
 */
export const jwtBearer = (options: {
  readonly clientId: string
  readonly clientSecret?: Redacted.Redacted | undefined
  /** The authorization server that knows the program. Without it, the assertion goes to the one that the server names. */
  readonly issuer?: string | undefined
  readonly scope?: string | undefined
  readonly assertion: (request: AccessRequest) => Effect.Effect<Redacted.Redacted, AuthorizationFailed>
}): Credentials => {
  checkJwtBearer(options)
  return withoutPerson((sdk) => {
    const { assertion, clientId, clientSecret, issuer, scope } = options
    let tokens: Sdk.StoredOAuthTokens | undefined
    let server = ""
    let resource = ""
    return {
      redirectUrl: undefined,
      clientMetadata: {
        redirect_uris: [],
        grant_types: [jwtBearerGrant],
        token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_basic",
        ...(scope === undefined ? {} : { scope })
      },
      clientInformation: () =>
        Json.withoutUndefined({
          client_id: clientId,
          client_secret: clientSecret && Redacted.value(clientSecret),
          issuer
        }),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => "",
      saveAuthorizationServerUrl: (url) => void (server = url),
      saveResourceUrl: (url) => void (resource = url),
      prepareTokenRequest: async (asked = scope) => {
        const made = await Effect.runPromise(Effect.either(assertion({ issuer: server, resource, scope: asked })))
        if (Either.isLeft(made)) throw new sdk.OAuthClientFlowError(made.left.message)
        return new URLSearchParams({
          grant_type: jwtBearerGrant,
          assertion: Redacted.value(made.right),
          ...(asked === undefined ? {} : { scope: asked })
        })
      }
    }
  })
}

const jwtBearerGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer"

/**
 * An assertion for `jwtBearer` from an organization's identity provider, in exchange for the ID token of a person who
 * has signed in there (enterprise-managed authorization).
 *
 * @category constructors
 */
export const identityAssertion = (options: {
  /** Where the identity provider exchanges tokens. */
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret?: Redacted.Redacted | undefined
  readonly idToken: Effect.Effect<Redacted.Redacted, AuthorizationFailed>
  /** Where requests may go, beside the host of `tokenUrl` and public addresses. */
  readonly guard?: HttpGuard.Policy | undefined
}): ((request: AccessRequest) => Effect.Effect<Redacted.Redacted, AuthorizationFailed>) => {
  checkIdentity(options)
  return ({ issuer, resource, scope }) =>
    Effect.gen(function* () {
      const { clientId, clientSecret, guard = {}, idToken, tokenUrl } = options
      const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/client"))
      const fetch = yield* makeFetch(new URL(tokenUrl), guard, defaultLimits)
      const token = yield* idToken
      const { jwtAuthGrant } = yield* Effect.tryPromise({
        try: () =>
          sdk.requestJwtAuthorizationGrant({
            tokenEndpoint: tokenUrl,
            audience: issuer,
            resource,
            idToken: Redacted.value(token),
            clientId,
            ...Json.withoutUndefined({ clientSecret: clientSecret && Redacted.value(clientSecret), scope }),
            fetchFn: fetch
          }),
        catch: failedBy
      }).pipe(inTime)
      return Redacted.make(jwtAuthGrant)
    }).pipe(Effect.scoped)
}

/** An authorization server may never answer. */
const inTime = <A, R>(effect: Effect.Effect<A, AuthorizationFailed, R>): Effect.Effect<A, AuthorizationFailed, R> =>
  Effect.timeoutFail(effect, {
    duration: defaultLimits.connect,
    onTimeout: () =>
      new AuthorizationFailed({
        reason: `the authorization server did not answer within ${defaultLimits.connect} ms; try again`
      })
  })

const failedBy = (error: unknown): AuthorizationFailed => new AuthorizationFailed({ reason: messageOf(error) })
