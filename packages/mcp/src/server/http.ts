/** A server as a handler of web requests, for clients of every revision at one address. */
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpRequestContext,
  type McpServer
} from "@modelcontextprotocol/server"
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Principal } from "../McpRequest.js"
import type { Changed, Core } from "./core.js"
import { principalOf, serverFor } from "./engine.js"
import { type Guard, readBody } from "./guard.js"
import { modern } from "./revision.js"
import { type SessionLimits, Sessions } from "./sessions.js"

export interface HttpOptions {
  readonly guard: Guard
  readonly legacy: "sessions" | "stateless" | "reject"
  readonly sessions: SessionLimits
  readonly maxSubscriptions: number
}

export type Handle = (request: Request, principal: Principal | undefined) => Promise<Response>

export const handlerOf = (core: Core, options: HttpOptions): Handle => {
  const handler = createMcpHandler((context) => requestServer(core, context), {
    legacy: options.legacy === "stateless" ? "stateless" : "reject",
    maxSubscriptions: options.maxSubscriptions,
    onerror: core.report
  })
  const sessions = options.legacy === "sessions" ? new Sessions(core, options.sessions) : undefined
  const listener = (changed: Changed): void => {
    const { notify } = handler
    if (changed.kind === "resource") notify.resourceUpdated(changed.uri)
    else if (changed.kind === "tools") notify.toolsChanged()
    else if (changed.kind === "prompts") notify.promptsChanged()
    else notify.resourcesChanged()
  }
  core.listeners.add(listener)
  core.onClose(async () => {
    core.listeners.delete(listener)
    await Promise.all([handler.close(), sessions?.close()])
  })
  return async (request, principal) => {
    const authInfo = principal === undefined ? undefined : authInfoOf(principal)
    const auth = authInfo === undefined ? {} : { authInfo }
    if (request.method !== "POST") {
      return sessions === undefined
        ? handler.fetch(request, auth)
        : sessions.handle(request, undefined, principal, authInfo)
    }
    const read = await readBody(request, options.guard.maxBodyBytes)
    if ("refusal" in read) return read.refusal
    const { body } = read
    return sessions !== undefined && (await isLegacyRequest(request, body))
      ? sessions.handle(request, body, principal, authInfo)
      : handler.fetch(request, { ...auth, parsedBody: body })
  }
}

/** A server for one request. The SDK compares headers with the arguments that they repeat before it calls a tool. */
const requestServer = async (core: Core, context: McpRequestContext): Promise<McpServer> => {
  const sdk = serverFor(core, "http", context)
  const headers = context.requestInfo?.headers
  if (context.era === "modern" && headers?.get("mcp-method") === "tools/call") {
    const caller = {
      transport: "http",
      revision: modern,
      principal: principalOf(context.authInfo),
      client: undefined,
      headers
    } as const
    const schemas = await core.settle(
      Effect.orElseSucceed(core.mirrored(caller), () => new Map<string, Json.JsonSchema>())
    )
    Object.assign(sdk, { toolInputSchemaJson: (name: string) => schemas.get(name) })
  }
  return sdk
}

/** The SDK carries the principal; it reads the other fields only in what is not used here. */
const authInfoOf = (principal: Principal): AuthInfo => ({
  token: "",
  clientId: principal.id,
  scopes: [...principal.scopes],
  extra: { principal }
})
