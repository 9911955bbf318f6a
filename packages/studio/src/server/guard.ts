/** What is checked of each request, in this order: host, origin, token, role, form and size of the body. */
import * as Json from "@wield/core/Json"
import { isHostAllowed, isSecret, loopback, readJson } from "@wield/http/RequestGuard"
import * as Redacted from "effect/Redacted"
import { roleHeader } from "../handlers/about.js"

export interface Access {
  readonly token: Redacted.Redacted
  readonly readOnlyToken: Redacted.Redacted | undefined
  readonly isReadOnly: boolean
  /** In lower case. */
  readonly hosts: ReadonlySet<string>
}

export const accessOf = (options: {
  readonly token: Redacted.Redacted
  readonly readOnlyToken?: Redacted.Redacted | undefined
  readonly isReadOnly?: boolean | undefined
  readonly hosts?: ReadonlyArray<string> | undefined
}): Access => ({
  token: options.token,
  readOnlyToken: options.readOnlyToken,
  isReadOnly: options.isReadOnly ?? false,
  hosts: new Set((options.hosts ?? loopback).map((host) => host.toLowerCase()))
})

const mebibyte = 1024 * 1024

/** Files of runs, and events of another process, are as large as what a recorder keeps: 20 MB, and more as JSON. */
const isLarge = (path: string): boolean => path === "/api/runs/import" || path === "/api/events"

/** Of requests with a body, those that change nothing. */
const onlyLooks = /^\/api\/(?:tools\/[^/]+\/preview|toolsets\/draft)$/

/** Of all answers. Nothing of the web may frame, read or keep them. */
const common: { readonly [name: string]: string } = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; ")
}

export type Handle = (request: Request) => Promise<Response>

/** The paths of both handlers begin at the studio's own root. */
export const guard =
  (access: Access, { api, page }: { readonly api: Handle; readonly page: Handle }): Handle =>
  async (request) => {
    const response = await answer(access, { api, page }, request)
    const headers = new Headers(response.headers)
    for (const [name, value] of Object.entries(common)) headers.set(name, value)
    if (!headers.has("cache-control")) headers.set("cache-control", "no-store")
    return new Response(response.body, { status: response.status, headers })
  }

const answer = async (
  access: Access,
  { api, page }: { readonly api: Handle; readonly page: Handle },
  request: Request
): Promise<Response> => {
  const host = request.headers.get("host") ?? new URL(request.url).host
  if (!isHostAllowed(access.hosts, host)) return refuse(421, "ForeignHost", "This server does not answer to this Host")
  const origin = request.headers.get("origin")
  if (origin !== null && !isOwn(origin, host)) {
    return refuse(403, "ForeignOrigin", "Pages of other origins may not use this server")
  }
  const path = new URL(request.url).pathname
  if (path !== "/api" && !path.startsWith("/api/")) return page(request)

  const role = roleOf(access, request.headers.get("authorization") ?? "")
  if (role === undefined) {
    return refuse(401, "Unauthorized", "The token is missing or wrong: open the address that the program has printed")
  }
  const headers = new Headers(request.headers)
  headers.set(roleHeader, role)
  if (request.method === "GET") return api(new Request(request, { headers }))
  if (role === "read-only" && !onlyLooks.test(path)) {
    return refuse(403, "ReadOnly", "This studio only shows: it changes and runs nothing")
  }
  if (request.method === "DELETE") return api(new Request(request.url, { method: "DELETE", headers }))
  // A POST without a body has nothing to read.
  if (request.body === null) return api(new Request(request, { headers }))
  const read = await readJson(request, isLarge(path) ? 64 * mebibyte : mebibyte, Json.parse)
  if ("status" in read) return refuse(read.status, bodyTags[read.status], read.reason)
  return api(new Request(request.url, { method: request.method, headers, body: read.text, signal: request.signal }))
}

const bodyTags = { 400: "NotJson", 413: "TooLarge", 415: "NotJson" } as const

/** The scheme may be another one: a proxy can stand before. */
const isOwn = (origin: string, host: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === new URL(`http://${host}`).host

const roleOf = (access: Access, authorization: string): "full" | "read-only" | undefined => {
  const { isReadOnly, readOnlyToken, token } = access
  // Both are compared each time, so that the time says nothing.
  const isFull = isSecret(authorization, `Bearer ${Redacted.value(token)}`)
  const isViewer = readOnlyToken !== undefined && isSecret(authorization, `Bearer ${Redacted.value(readOnlyToken)}`)
  if (isFull) return isReadOnly ? "read-only" : "full"
  return isViewer ? "read-only" : undefined
}

const refuse = (status: number, tag: string, message: string): Response =>
  Response.json({ _tag: tag, message }, { status })
