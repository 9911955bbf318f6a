/**
 * The official SDK as the server's protocol engine. This file and `sessions.ts`
 * alone import it, and are loaded when the first connection is made.
 */
import { once } from "node:events"
import { Transform, type Writable } from "node:stream"
import { setImmediate as nextTurn } from "node:timers/promises"
import {
  type McpRequestContext,
  McpServer as SdkServer,
  type ServerContext,
  type Transport,
  type jsonSchemaValidator
} from "@modelcontextprotocol/server"
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio"
import * as Json from "@wield/core/Json"
import * as Lines from "@wield/process/Lines"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller, Principal } from "../McpRequest.js"
import type { CallParams } from "./call.js"
import type { Changed, Core } from "./core.js"
import type { Incoming } from "./incoming.js"
import { isModern } from "./revision.js"
import { RpcError } from "./rpc.js"

const envelope = (name: string): string => `io.modelcontextprotocol/${name}`

/** Results are made here, and the runner validates arguments: the SDK has nothing to validate. */
const validator: jsonSchemaValidator = {
  // The SDK asks for the type that its caller wants; nothing is checked here.
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined })
}

export const serverFor = (core: Core, transport: Caller["transport"], request?: McpRequestContext): SdkServer => {
  const { options } = core
  // The SDK wants lists that can be changed, and changes none.
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
    // It was parsed from JSON.
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
    // As above.
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
            // The SDK has a type for each method; this is one of those that servers ask.
            mcpReq.send({ method: method as "elicitation/create", params }, { signal, timeout: humanPace }),
          catch: () => new RpcError({ code: -32603, message: `The client did not answer ${method}` })
        })
    }
  }
  const execute = <A>(effect: Effect.Effect<A, RpcError>, context: ServerContext): Promise<A> =>
    core.execute(effect, context.mcpReq.signal)
  /** An answer to one method. The SDK answers parameters of another shape with -32602. */
  const answer = <A, I>(
    method: string,
    params: Schema.Schema<A, I>,
    handle: (params: A, context: ServerContext) => Effect.Effect<object, RpcError>
  ): void => {
    const schemas = { params: Schema.standardSchemaV1(params) }
    // `handle` answers what the method asks for; the SDK's types are by method.
    server.setRequestHandler(method, schemas, (given, context) => execute(handle(given, context), context) as never)
  }
  if (options.runner !== undefined) {
    answer("tools/list", Listed, ({ cursor }, context) => core.listTools(callerOf(context), cursor))
    // The schema of the method has accepted them.
    answer("tools/call", Called, (params, context) => core.callTool(params as CallParams, incomingOf(context)))
  }
  const { tasks } = options
  if (tasks !== undefined) {
    for (const method of ["get", "update", "cancel"] as const) {
      answer(`tasks/${method}`, OfTask, ({ taskId }, context) => tasks.answer(method, taskId, incomingOf(context)))
    }
  }
  if (core.capabilities.resources !== undefined) {
    answer("resources/list", Listed, ({ cursor }) => core.listResources(cursor))
    answer("resources/templates/list", Listed, ({ cursor }) => core.listTemplates(cursor))
    answer("resources/read", Read, ({ uri }, context) => core.readResource(uri, incomingOf(context)))
  }
  if (core.capabilities.prompts !== undefined) {
    answer("prompts/list", Listed, ({ cursor }) => core.listPrompts(cursor))
    answer("prompts/get", Got, (params, context) => core.getPrompt(params, incomingOf(context)))
  }
  if (core.capabilities.completions !== undefined) {
    answer("completion/complete", Completed, (params) => core.complete(params))
  }
  return sdk
}

const Listed = Schema.Struct({ cursor: Schema.optionalWith(Schema.String, { exact: true }) })
const Called = Schema.Struct({
  name: Schema.String,
  arguments: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.Unknown }), { exact: true })
})
/** The SDK takes the answers out of the parameters. */
const OfTask = Schema.Struct({ taskId: Schema.String })
const Read = Schema.Struct({ uri: Schema.String })
const Got = Schema.Struct({
  name: Schema.String,
  arguments: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { exact: true })
})
const Completed = Schema.Struct({
  ref: Schema.Union(
    Schema.Struct({ type: Schema.Literal("ref/prompt"), name: Schema.String }),
    Schema.Struct({ type: Schema.Literal("ref/resource"), uri: Schema.String })
  ),
  argument: Schema.Struct({ name: Schema.String, value: Schema.String })
})

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
  let characters = 0
  if (core.capabilities.resources?.subscribe === true) {
    server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
      if (subscribed.has(uri)) return {}
      if (subscribed.size === mostSubscribed.resources || characters + uri.length > mostSubscribed.characters) {
        throw new RpcError({
          code: -32600,
          message: `A session is subscribed to ${mostSubscribed.resources} resources at most, whose addresses have ${mostSubscribed.characters} characters together: unsubscribe from others first`
        })
      }
      subscribed.add(uri)
      characters += uri.length
      return {}
    })
    server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      if (subscribed.delete(uri)) characters -= uri.length
      return {}
    })
  }
  /** What is being sent, and whether it has changed again since: a client that does not read hears of many changes once. */
  const sending = new Map<string, boolean>()
  const tell = async (changed: Changed): Promise<void> => {
    const what = changed.kind === "resource" ? `resource ${changed.uri}` : changed.kind
    if (sending.has(what)) return void sending.set(what, true)
    do {
      sending.set(what, false)
      await sendChange(sdk, changed).catch(() => undefined)
    } while (sending.get(what) === true)
    sending.delete(what)
  }
  const listener = (changed: Changed): void => {
    // Since 2026-07-28 the SDK keeps the subscriptions.
    const isLegacy = !isModern(server.getNegotiatedProtocolVersion() ?? "")
    if (changed.kind === "resource" && isLegacy && !subscribed.has(changed.uri)) return
    void tell(changed)
  }
  core.listeners.add(listener)
  server.onclose = () => core.listeners.delete(listener)
  return sdk
}

const mostSubscribed = { resources: 10_000, characters: 500_000 }

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

export const serveStandardStreams = async (core: Core, output: Writable): Promise<void> => {
  // The SDK listens to it once for each message that is not taken yet.
  output.setMaxListeners(0)
  const input = process.stdin.pipe(withExactNumbers(output))
  input.on("error", ({ message }) => core.say(`The connection over standard input ended: ${message}`))
  await serveConnection(core, "stdio", new StdioServerTransport(input, output))
  // What the client may still write must not keep the process.
  process.stdin.unpipe(input).pause()
}

/**
 * Lines in which a number that JavaScript would change is the text of its digits: the SDK reads with `JSON.parse`. One
 * that nests too deeply to be read is reported as one that is no JSON. No line is taken while the client does not read
 * what it has asked for.
 */
const withExactNumbers = (output: Writable): Transform => {
  let complete: Array<string> = []
  const lines = Lines.make((line) => complete.push(line))
  const take = async (chunk: Buffer): Promise<void> => {
    lines.push(chunk)
    const taken = complete
    complete = []
    for (const given of taken) {
      if (output.writableLength > mostUnread) await once(output, "drain")
      // Some programs begin with a mark of the order of bytes.
      const line = given.replace(/^\uFEFF/, "")
      stream.push(`${Json.isDeep(line) ? "{" : mayBeRounded.test(line) ? rewrite(line) : line}\n`)
      // Its answer may be more than the client reads.
      await nextTurn()
    }
    if (lines.bytes() > lineLimit) throw new Error(`A message has more than ${lineLimit} bytes`)
  }
  const stream = new Transform({
    transform: (chunk: Buffer, _, done) => void take(chunk).then(() => done(), done)
  })
  return stream
}

/** In bytes. */
const mostUnread = 1024 * 1024
const mayBeRounded = /\d{16}|\d[eE]\+?\d{3}/
const lineLimit = 10 * 1024 * 1024

/** The SDK reports a line that is not JSON, and reads on. */
const rewrite = (line: string): string => {
  try {
    return JSON.stringify(Json.parse(line, { decimals: "rounded" }))
  } catch {
    return line
  }
}
