/**
 * Who may use a server over HTTP: the server's half of OAuth. Tokens are issued
 * by an authorization server of yours; this checks them and says where to get
 * one.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { JSONWebKeySet } from "jose"
import type { Principal } from "./McpRequest.js"
import { checkAuthorization } from "./server/options.js"

/**
 * The token is not one that this server accepts. The client reads nothing
 * beyond that.
 *
 * @category errors
 */
export class InvalidToken extends Schema.TaggedError<InvalidToken>("@wield/mcp/InvalidToken")("InvalidToken", {
  /** For the program's log. */
  reason: Schema.String
}) {}

/**
 * How requests are authorized.
 *
 * @category models
 */
export interface Authorization {
  /** The server's own address, such as `https://mcp.example.com/mcp`, for which tokens are issued. */
  readonly resource: string
  /** The issuers of tokens. */
  readonly issuers: ReadonlyArray<string>
  /** What each token must allow. */
  readonly scopes: ReadonlyArray<string>
  readonly verify: (token: string) => Effect.Effect<Principal, InvalidToken>
}

/**
 * Tokens that you check yourself, such as by asking the authorization server
 * (RFC 7662). Check that the token was issued for this server.
 *
 * @example
 * ```ts
 * import { Authorization } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const authorize = Authorization.bearer({
 *   resource: "https://mcp.example.com/mcp",
 *   issuers: ["https://login.example.com"],
 *   verify: (token) =>
 *     token === "a token of ours"
 *       ? Effect.succeed({ id: "ada", scopes: ["orders:read"], claims: {} })
 *       : Effect.fail(new Authorization.InvalidToken({ reason: "unknown" }))
 * })
 * ```
 *
 * @category constructors
 */
export const bearer = (options: {
  readonly resource: string
  readonly issuers: ReadonlyArray<string>
  /** What each token must allow. Nothing in particular unless given. */
  readonly scopes?: ReadonlyArray<string> | undefined
  readonly verify: (token: string) => Effect.Effect<Principal, InvalidToken>
}): Authorization => {
  checkAuthorization("bearer", options)
  return { ...options, scopes: options.scopes ?? [] }
}

/**
 * Signed tokens (JWT). Issuer, audience, expiry and signature are checked. The
 * principal's id is the issuer and the subject; its scopes are the claim
 * `scope` or `scp`.
 *
 * @example
 * ```ts
 * import { Authorization } from "@wield/mcp"
 *
 * const authorize = Authorization.jwt({
 *   resource: "https://mcp.example.com/mcp",
 *   issuer: "https://login.example.com",
 *   keys: new URL("https://login.example.com/.well-known/jwks.json"),
 *   scopes: ["orders:read"]
 * })
 * ```
 *
 * @category constructors
 */
export const jwt = (options: {
  readonly resource: string
  readonly issuer: string
  /** Where the issuer publishes its keys, or the keys. */
  readonly keys: URL | JSONWebKeySet
  /** The claim `aud` of the tokens. The resource unless given. */
  readonly audience?: string | undefined
  /** What each token must allow. Nothing in particular unless given. */
  readonly scopes?: ReadonlyArray<string> | undefined
}): Authorization => {
  checkAuthorization("jwt", options)
  const { audience = options.resource, issuer, keys, resource, scopes } = options
  let verifier: Promise<(token: string) => Promise<Principal>> | undefined
  return bearer({
    resource,
    issuers: [issuer],
    scopes,
    verify: (token) =>
      Effect.tryPromise({
        try: async () => (await (verifier ??= verifierOf(keys, issuer, audience)))(token),
        catch: (error) => new InvalidToken({ reason: error instanceof Error ? error.message : "unreadable" })
      })
  })
}

/** Keys are fetched once, and again when a token names an unknown one. */
const verifierOf = async (
  keys: URL | JSONWebKeySet,
  issuer: string,
  audience: string
): Promise<(token: string) => Promise<Principal>> => {
  const { createLocalJWKSet, createRemoteJWKSet, jwtVerify } = await import("jose")
  const source = keys instanceof URL ? createRemoteJWKSet(keys) : createLocalJWKSet(keys)
  return async (token) => {
    const { payload } = await jwtVerify(token, source, {
      issuer,
      audience,
      requiredClaims: ["exp"],
      // Only signatures by keys that the issuer alone holds.
      algorithms: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"]
    })
    const subject = payload.sub ?? payload["client_id"]
    if (typeof subject !== "string") throw new TypeError("The token names no subject")
    return {
      id: JSON.stringify([issuer, subject]),
      scopes: scopesOf(payload["scope"] ?? payload["scp"]),
      claims: payload
    }
  }
}

const scopesOf = (claim: unknown): ReadonlyArray<string> => {
  if (typeof claim === "string") return claim.split(" ").filter((scope) => scope !== "")
  return Array.isArray(claim) ? claim.filter((scope) => typeof scope === "string") : []
}
