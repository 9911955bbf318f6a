/** A protected resource as OAuth has it (RFC 9728): its metadata document, and the answers to requests without a token that fits. */
import * as Effect from "effect/Effect"
import type { Authorization } from "../Authorization.js"
import type { Principal } from "../McpRequest.js"

export const wellKnown = "/.well-known/oauth-protected-resource"

/** Who sends the request; or what they get instead of an answer. */
export const admit = (authorization: Authorization, request: Request): Effect.Effect<Principal | Response> => {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(wellKnown)) return Effect.succeed(metadata(authorization, request, pathname))
  const token = /^Bearer +([\w.~+/-]+=*)$/iu.exec(request.headers.get("authorization") ?? "")?.[1]
  if (token === undefined) return Effect.succeed(challenge(authorization, 401))
  return Effect.suspend(() => authorization.verify(token)).pipe(
    Effect.map((principal) => {
      const lacks = authorization.scopes.some((scope) => !principal.scopes.includes(scope))
      return lacks ? challenge(authorization, 403, "insufficient_scope") : principal
    }),
    Effect.catchAllCause((cause) =>
      Effect.as(Effect.logDebug("An MCP server refused a token", cause), challenge(authorization, 401, "invalid_token"))
    )
  )
}

const metadataUrl = ({ resource }: Authorization): URL => {
  const { origin, pathname } = new URL(resource)
  return new URL(`${wellKnown}${pathname === "/" ? "" : pathname}`, origin)
}

const metadata = (authorization: Authorization, request: Request, pathname: string): Response => {
  if (pathname !== wellKnown && pathname !== metadataUrl(authorization).pathname)
    return new Response(null, { status: 404 })
  if (request.method !== "GET") return new Response(null, { status: 405, headers: { Allow: "GET" } })
  return Response.json(
    {
      resource: authorization.resource,
      authorization_servers: authorization.issuers,
      scopes_supported: authorization.scopes,
      bearer_methods_supported: ["header"]
    },
    // Every page may know where tokens come from.
    { headers: { "Access-Control-Allow-Origin": "*" } }
  )
}

/** Names all the scopes that are needed, so that a client asks for a token once. */
const challenge = (authorization: Authorization, status: 401 | 403, error?: string): Response => {
  const { scopes } = authorization
  const fields = [
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(" ")}"`]),
    `resource_metadata="${metadataUrl(authorization).href}"`
  ]
  return Response.json(
    { error: error ?? "unauthorized" },
    { status, headers: { "WWW-Authenticate": `Bearer ${fields.join(", ")}` } }
  )
}
