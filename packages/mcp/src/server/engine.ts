/**
 * The official SDK as the server's protocol engine. This file and `sessions.ts`
 * alone import it, and are loaded when the first connection is made.
 */
import {
  type McpRequestContext,
  McpServer as SdkServer,
  type ServerContext,
  type Transport,
  type jsonSchemaValidator
} from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Caller, Principal } from "../McpRequest.js"
import { type Changed, type Core, isModern } from "./core.js"
import type { Incoming } from "./incoming.js"
import { RpcError } from "./rpc.js"

const envelope = (name: string): string => `io.modelcontextprotocol/${name}`

/** Results are made here, and the runner validates arguments: the SDK has nothing to validate. */
const validator: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined })
}

export const serverFor = (core: Core, transport: Caller["transport"], request?: McpRequestContext): SdkServer => {
  const { options } = core
  const sdk = new SdkServer(options.info as never, {
    jsonSchemaValidator: validator,
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    cacheHints: {
      "server/discover": options.cache,
      "tools/list": options.cache,
      "prompts/list": options.cache,
      "resources/list": options.cache,
      "resources/templates/list": options.cache
    }
  })
  const { server } = sdk
  server.registerCapabilities(core.capabilities)
  const callerOf = (context: ServerContext): Caller => {
    const claimed = context.mcpReq.envelope as { readonly [key: string]: unknown } | undefined
    const revision = claimed?.[envelope("protocolVersion")] ?? server.getNegotiatedProtocolVersion()
    const client = claimed?.[envelope("clientInfo")] ?? server.getClientVersion()
    const headers = context.http?.req?.headers
    return {
      transport,
      revision: typeof revision === "string" ? revision : (headers?.get("mcp-protocol-version") ?? "2025-03-26"),
      principal: principalOf(context.http?.authInfo ?? request?.authInfo),
      client: Json.isObject(client) ? { name: String(client["name"]), version: String(client["version"]) } : undefined,
      headers
    }
  }
  const incomingOf = (context: ServerContext): Incoming => {
    const { mcpReq } = context
    const claimed = mcpReq.envelope as { readonly [key: string]: unknown } | undefined
    const capabilities = claimed?.[envelope("clientCapabilities")] ?? server.getClientCapabilities()
    const state: unknown = mcpReq.requestState()
    return {
      caller: callerOf(context),
      capabilities: Json.isObject(capabilities) ? capabilities : {},
      meta: mcpReq._meta,
      answers: mcpReq.inputResponses,
      state: typeof state === "string" ? state : undefined,
      notify: (method, params) => quietly(() => mcpReq.notify({ method, params })),
      log: (level, data, logger) => quietly(() => mcpReq.log(level, data, logger)),
      request: (method, params) =>
        Effect.tryPromise({
          // Only the three requests that `McpRequest` makes come here.
          try: (signal) =>
            mcpReq.send({ method: method as "elicitation/create", params }, { signal, timeout: humanPace }),
          catch: () => new RpcError({ code: -32603, message: `The client did not answer ${method}` })
        })
    }
  }
  const execute = <A>(effect: Effect.Effect<A, RpcError>, context: ServerContext): Promise<A> =>
    core.execute(effect, context.mcpReq.signal)
  if (options.runner !== undefined) {
    server.setRequestHandler(
      "tools/list",
      (list, context) => execute(core.listTools(callerOf(context), list.params?.cursor), context) as never
    )
    server.setRequestHandler(
      "tools/call",
      (call, context) => execute(core.callTool(call.params as never, incomingOf(context)), context) as never
    )
  }
  if (core.capabilities.resources !== undefined) {
    server.setRequestHandler(
      "resources/list",
      (list, context) => execute(core.listResources(list.params?.cursor), context) as never
    )
    server.setRequestHandler(
      "resources/templates/list",
      (list, context) => execute(core.listTemplates(list.params?.cursor), context) as never
    )
    server.setRequestHandler(
      "resources/read",
      (read, context) => execute(core.readResource(read.params.uri, incomingOf(context)), context) as never
    )
  }
  if (core.capabilities.prompts !== undefined) {
    server.setRequestHandler(
      "prompts/list",
      (list, context) => execute(core.listPrompts(list.params?.cursor), context) as never
    )
    server.setRequestHandler(
      "prompts/get",
      (get, context) => execute(core.getPrompt(get.params as never, incomingOf(context)), context) as never
    )
  }
  if (core.capabilities.completions !== undefined) {
    server.setRequestHandler(
      "completion/complete",
      (complete, context) => execute(core.complete(complete.params as never), context) as never
    )
  }
  return sdk
}

/** A person answers at their own pace: half an hour. */
const humanPace = 1_800_000

/** A request that has ended has no reader for its notifications. */
const quietly = (send: () => Promise<void>): Effect.Effect<void> => Effect.promise(() => send().catch(() => undefined))

/** The SDK carries the principal beside its own fields. */
export const principalOf = (info: { readonly extra?: Record<string, unknown> } | undefined): Principal | undefined =>
  info?.extra?.["principal"] as Principal | undefined

/** A server that hears of changes until its connection closes. */
export const connectedServer = (core: Core, transport: Caller["transport"], request?: McpRequestContext): SdkServer => {
  const sdk = serverFor(core, transport, request)
  const { server } = sdk
  const subscribed = new Set<string>()
  if (core.capabilities.resources?.subscribe === true) {
    server.setRequestHandler("resources/subscribe", ({ params }) => {
      if (subscribed.size < maxSubscriptions) subscribed.add(params.uri)
      return {}
    })
    server.setRequestHandler("resources/unsubscribe", ({ params }) => {
      subscribed.delete(params.uri)
      return {}
    })
  }
  const listener = (changed: Changed): void => {
    // Since 2026-07-28 the SDK keeps the subscriptions.
    const isLegacy = !isModern(server.getNegotiatedProtocolVersion() ?? "")
    if (changed.kind === "resource" && isLegacy && !subscribed.has(changed.uri)) return
    sendChange(sdk, changed).catch(() => undefined)
  }
  core.listeners.add(listener)
  server.onclose = () => core.listeners.delete(listener)
  return sdk
}

const maxSubscriptions = 10_000

const sendChange = ({ server }: SdkServer, changed: Changed): Promise<void> => {
  switch (changed.kind) {
    case "tools":
      return server.sendToolListChanged()
    case "prompts":
      return server.sendPromptListChanged()
    case "resources":
      return server.sendResourceListChanged()
    case "resource":
      return server.sendResourceUpdated({ uri: changed.uri })
  }
}

/** Serves one connection, be it standard input and output or memory, until it or the server closes. */
export const serveConnection = (core: Core, kind: "stdio" | "memory", transport: Transport): Promise<void> =>
  new Promise((resolve) => {
    const handle = serveStdio(() => connectedServer(core, kind), { transport, onerror: core.report })
    const forget = core.onClose(() => handle.close())
    const before = transport.onclose
    transport.onclose = () => {
      forget()
      before?.()
      resolve()
    }
  })

export const serveStandardStreams = (core: Core): Promise<void> =>
  serveConnection(core, "stdio", new StdioServerTransport())
