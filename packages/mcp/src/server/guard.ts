/** What is checked of an HTTP request before the protocol sees it: where it comes from, and how large it is. */

import * as Json from "@wield/core/Json"
import { isHostAllowed, loopback, readJson } from "@wield/http/RequestGuard"

export interface Guard {
  /** Names with or without a port; `undefined` lets every name pass. */
  readonly hosts: ReadonlySet<string> | undefined
  readonly origins: ReadonlySet<string> | undefined
  readonly maxBodyBytes: number
}

export const guardOf = (options: {
  readonly hosts?: ReadonlyArray<string> | "any" | undefined
  readonly origins?: ReadonlyArray<string> | "any" | undefined
  readonly maxBodyBytes?: number | undefined
}): Guard => {
  const hosts = options.hosts ?? loopback
  return {
    hosts: hosts === "any" ? undefined : new Set(hosts.map(lowerCase)),
    origins: options.origins === "any" ? undefined : new Set((options.origins ?? []).map(lowerCase)),
    maxBodyBytes: options.maxBodyBytes ?? 4 * 1024 * 1024
  }
}

const lowerCase = (text: string): string => text.toLowerCase()

/** A page that a browser shows may not reach the server, be it by its origin or by a name bound to another address. */
export const refusalOf = (guard: Guard, request: Request): Response | undefined => {
  const host = request.headers.get("host") ?? new URL(request.url).host
  if (guard.hosts !== undefined && !isHostAllowed(guard.hosts, host)) return refuse(403, "This Host is not allowed")
  const origin = request.headers.get("origin")
  if (origin !== null && !isOriginAllowed(guard, origin)) return refuse(403, "This Origin is not allowed")
  return undefined
}

/** Pages of the machine itself may use a server that only the machine reaches. */
const isOriginAllowed = ({ hosts, origins }: Guard, origin: string): boolean => {
  if (origins === undefined || origins.has(origin.toLowerCase())) return true
  if (!URL.canParse(origin)) return false
  const { hostname } = new URL(origin)
  return loopback.includes(hostname) && hosts !== undefined && loopback.some((name) => hosts.has(name))
}

/** The answer to a browser that asks whether a page may send a request. */
export const preflight = (request: Request): Response | undefined => {
  if (request.method !== "OPTIONS" || !request.headers.has("origin")) return undefined
  const asked = request.headers.get("access-control-request-headers")
  return new Response(null, {
    status: 204,
    headers: {
      "Access-Control-Allow-Methods": "GET, POST, DELETE",
      ...(asked === null ? {} : { "Access-Control-Allow-Headers": asked }),
      ...(request.headers.get("access-control-request-private-network") === "true"
        ? { "Access-Control-Allow-Private-Network": "true" }
        : {}),
      "Access-Control-Max-Age": "600"
    }
  })
}

/** The same answer, which the page that asked may read. Its origin was let pass. */
export const shareWithPage = (request: Request, response: Response): Response => {
  const origin = request.headers.get("origin")
  if (origin === null) return response
  const headers = new Headers(response.headers)
  if (!headers.has("access-control-allow-origin")) {
    headers.set("Access-Control-Allow-Origin", origin)
    headers.append("Vary", "Origin")
  }
  headers.set("Access-Control-Expose-Headers", "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After")
  const { body, status, statusText } = response
  return new Response(body, { status, statusText, headers })
}

/** A JSON-RPC error that belongs to no request. */
export const refuse = (status: number, message: string, code = -32000, headers: HeadersInit = {}): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers })

/** The request's body as JSON, or why it is refused. */
export const readBody = async (
  request: Request,
  maxBytes: number
): Promise<{ readonly body: unknown } | { readonly refusal: Response }> => {
  const read = await readJson(request, maxBytes, (text) => Json.parse(text, { decimals: "rounded" }))
  return "body" in read ? read : { refusal: refuse(read.status, read.reason, read.status === 400 ? -32700 : -32000) }
}
