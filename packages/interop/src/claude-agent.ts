/**
 * The Claude Agent SDK: a run as an MCP server in the same process. Nothing of
 * the SDK is loaded.
 */
import type { ToolRunner } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import { aFunction, aName } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import type { AskOptions } from "./approval.js"
import { type Host, makeHost } from "./internal/host.js"

/** A line to the SDK, as `@modelcontextprotocol` has it. */
interface Transport {
  onmessage?: ((message: never) => void) | undefined
  onclose?: (() => void) | undefined
  start: () => Promise<void>
  // The messages are JSON-RPC; their types belong to the SDK.
  // oxlint-disable-next-line typescript/no-explicit-any
  send: (message: any) => Promise<void>
  close: () => Promise<void>
}

/**
 * A server as the option `mcpServers` takes it.
 *
 * @category models
 */
export interface Server {
  readonly type: "sdk"
  readonly name: string
  readonly instance: { connect: (transport: Transport) => Promise<void>; close: () => Promise<void> }
}

/**
 * The tools of a run, as they are offered now:
 * `query({ prompt, options: { mcpServers: { shop } } })`. The model knows them
 * as `mcp__shop__<tool>`. `canUseTool` of the SDK sees no digest, so approvals
 * of Wield's rules are answered by `ask`, or refused.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>,
  options: AskOptions & { readonly name: string }
): Effect.Effect<Server, E, R> =>
  Effect.map(makeHost(run, options, { ask: aFunction, name: aName }, ["name"]), (host) => {
    const { ask, name } = options
    let transport: Transport | undefined
    return {
      type: "sdk",
      name,
      instance: {
        connect: async (given) => {
          transport = given
          serve(host, given, name, ask)
          await given.start()
        },
        close: async () => transport?.close()
      }
    }
  })

const serve = (host: Host, transport: Transport, name: string, ask: AskOptions["ask"]): void => {
  const running = new Map<unknown, AbortController>()
  transport.onclose = () => running.forEach((controller) => controller.abort())

  const answer = async (method: unknown, params: Json.JsonObject, signal: AbortSignal): Promise<object> => {
    switch (method) {
      case "initialize":
        return {
          protocolVersion: params["protocolVersion"] ?? "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name, version: "0.1.0" }
        }
      case "ping":
        return {}
      case "tools/list":
        return { tools: host.definitions.map(definitionOf) }
      case "tools/call": {
        const call = ToolCall.make(crypto.randomUUID(), String(params["name"]), params["arguments"] ?? {})
        return resultOf(await host.execute(call, { ask, signal }))
      }
      default:
        throw new Error(`There is no method ${String(method)}`)
    }
  }

  transport.onmessage = (message: Json.JsonObject) => {
    const { id, method } = message
    // The message was parsed from JSON.
    const params = Json.isObject(message["params"]) ? (message["params"] as Json.JsonObject) : {}
    if (method === "notifications/cancelled") running.get(params["requestId"])?.abort()
    if (id === undefined || method === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    running.set(id, controller)
    answer(method, params, signal)
      .then(
        (result) => ({ result }),
        (error: unknown) => ({ error: { code: -32601, message: error instanceof Error ? error.message : "aborted" } })
      )
      // No one waits for the end of what was cancelled, or reads it where the line is closed.
      .then((end) => (signal.aborted ? undefined : transport.send({ jsonrpc: "2.0", id, ...end })))
      .catch(() => undefined)
      .finally(() => running.delete(id))
  }
}

const definitionOf = ({ description, facts, inputSchema, name }: Host["definitions"][number]) => ({
  name,
  ...(description === undefined ? {} : { description }),
  inputSchema: { ...inputSchema, type: "object" },
  annotations: Facts.toAnnotations(facts)
})

const resultOf = (result: ToolResult.ToolResult) => ({
  isError: result.isError,
  content: result.content.map((part) =>
    part._tag === "Image" && part.source._tag === "Base64"
      ? { type: "image", data: part.source.data, mimeType: part.mediaType }
      : { type: "text", text: ToolResult.toText({ ...result, content: [part] }) }
  )
})
