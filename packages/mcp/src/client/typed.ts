/** Calls of a known server with the types of a toolkit. */
import type * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Json from "@wield/core/Json"
import type * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import type { McpTool } from "../internal/content.js"
import type { CallResult, Client, Progress } from "./model.js"
import { Mismatched, type McpError, ProtocolViolation, ToolFailed } from "../McpError.js"
import { checkTyped } from "./options.js"
import { findMismatches, type Mismatch } from "./compatibility.js"

/**
 * The tools of a server as functions, by the names that the toolkit has.
 *
 * @category models
 */
export type Typed<Tools> = {
  readonly [Name in keyof Tools]: (
    parameters: Tool.Parameters<Tools[Name]>,
    options?: { readonly onProgress?: ((progress: Progress) => void) | undefined }
  ) => Effect.Effect<
    Tool.Success<Tools[Name]>,
    McpError | ToolFailed | SchemaTree.DecodeError,
    Tool.Requirements<Tools[Name]>
  >
}

/**
 * Typed calls of a server that you know: `toolkit` declares its tools, or some of them. What the server offers is
 * compared with it at once: a tool that is missing, or takes or gives another kind of value, fails with `Mismatched`.
 * Tools have the server's names, or those that a model knows, as a module of `wield generate types` has them.
 *
 * The calls are those of `callTool`, past every policy. A result is decoded from its structured content, or from its
 * text.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tool, Toolkit } from "@effect/ai"
 * import { McpClient } from "@wield/mcp"
 * import { Effect, Schema } from "effect"
 *
 * // A server in a few lines; yours is `npx some-server`.
 * const server = `
 *   const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
 *   const results = {
 *     initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }),
 *     "tools/list": () => ({ tools: [{ name: "double", inputSchema }] }),
 *     "tools/call": (params) => ({ content: [{ type: "text", text: String(params.arguments.n * 2) }] })
 *   }
 *   require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
 *     const { id, method, params } = JSON.parse(line)
 *     const answer = results[method] ? { result: results[method](params) } : { error: { code: -32601, message: "?" } }
 *     if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
 *   })`
 * class MathTools extends Toolkit.make(Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number })) {}
 *
 * const program = Effect.gen(function* () {
 *   const client = yield* McpClient.connect("math", McpClient.stdio(process.execPath, ["-e", server]))
 *   const math = yield* McpClient.typed(client, MathTools)
 *   return yield* math.double({ n: 21 })
 * })
 * assert.strictEqual(await Effect.runPromise(Effect.scoped(program)), 42)
 * ```
 *
 * @category constructors
 */
export const typed = <Tools extends { readonly [name: string]: Tool.Any }>(
  client: Client,
  toolkit: Toolkit.Toolkit<Tools>
): Effect.Effect<Typed<Tools>, McpError | Mismatched> =>
  Effect.gen(function* () {
    checkTyped(client, toolkit)
    const offered = yield* offeredTools(client)
    const withheld = new Map((yield* client.withheld).map(({ problem, tool }) => [tool, problem]))
    const declared = Object.values<Tool.Any>(toolkit.tools)
    const problems = declared.flatMap((tool) => {
      const found = offered.get(tool.name)
      const problem = withheld.get(tool.name)
      const absent = problem === undefined ? "the server has no such tool" : `it is withheld: ${problem}`
      const all = found === undefined ? [{ path: "", problem: absent }] : mismatchesOf(tool, found)
      return all.map((mismatch) => ({ tool: tool.name, ...mismatch }))
    })
    if (problems.length > 0) return yield* new Mismatched({ server: client.name, problems })
    const calls = declared.map((tool) => [tool.name, callOf(client, tool, offered.get(tool.name)?.name ?? tool.name)])
    // Each is made with the schemas of the tool of its name.
    return Object.fromEntries(calls) as Typed<Tools>
  })

/** By the names that the server gives them, and by those that a model knows, which generated modules have. */
const offeredTools = (client: Client): Effect.Effect<ReadonlyMap<string, McpTool>, McpError> =>
  Effect.gen(function* () {
    const tools = new Map((yield* client.listTools).map((tool) => [tool.name, tool]))
    const { entries } = yield* client.toolset.offer
    for (const [name, { definition }] of entries) {
      const { json } = definition.native ?? {}
      const tool = Json.isObject(json) ? tools.get(String(json["name"])) : undefined
      if (tool !== undefined) tools.set(name, tool)
    }
    return tools
  })

const mismatchesOf = (declared: Tool.Any, { inputSchema, outputSchema }: McpTool): ReadonlyArray<Mismatch> => [
  ...compareAt("parameters", declared.parametersSchema, (schema) =>
    findMismatches(schema, inputSchema, { ignoresUnknown: false })
  ),
  ...compareAt("result", declared.successSchema, (schema) =>
    outputSchema === undefined ? [] : findMismatches(outputSchema, schema, { ignoresUnknown: true })
  )
]

const compareAt = (
  place: string,
  schema: { readonly ast: Schema.Schema.Any["ast"] },
  find: (schema: Json.JsonSchema) => ReadonlyArray<Mismatch>
): ReadonlyArray<Mismatch> => {
  let json: Json.JsonSchema
  try {
    json = Json.fromObject(JSONSchema.make(Schema.make(schema.ast)))
  } catch {
    // A schema without one, such as that of a class, is checked when a call decodes by it.
    return []
  }
  return find(json).map(({ path, problem }) => ({ path: `${place}${path}`, problem }))
}

const callOf = (client: Client, { name, parametersSchema, successSchema }: Tool.Any, called: string) => {
  // What the schemas require is in the type of the call.
  const encode = Schema.encode(Schema.make<unknown, Json.JsonObject>(parametersSchema.ast))
  const decode = Schema.decodeUnknown(Schema.make<unknown>(successSchema.ast))
  return (parameters: unknown, options?: Parameters<Client["callTool"]>[2]) =>
    Effect.gen(function* () {
      const result = yield* client.callTool(called, yield* encode(parameters), options)
      const values = valuesOf(result)
      if (result.isError === true) return yield* new ToolFailed({ server: client.name, tool: name, failure: values[0] })
      return yield* Effect.mapError(
        Effect.firstSuccessOf(values.map((value) => decode(value))),
        ({ message }) =>
          new ProtocolViolation({ server: client.name, problem: `the result of ${name} is another one: ${message}` })
      )
    })
}

/** What a result may stand for: its structured content, or else its text, or the JSON that the text is. */
const valuesOf = ({ content, structuredContent }: CallResult): readonly [unknown, ...Array<unknown>] => {
  if (structuredContent !== undefined) return [structuredContent]
  if (content.some(({ type }) => type !== "text")) return [content]
  const text = content.map((block) => block.text ?? "").join("\n")
  try {
    return [text, Json.parse(text, { numbers: "rounded" })]
  } catch {
    return [text]
  }
}
