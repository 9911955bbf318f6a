/**
 * The Google GenAI SDK's automatic function calling: a run as a callable tool,
 * and callable tools as a toolset. Nothing of `@google/genai` is loaded.
 */
import type { ToolRunner, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aFunction, aSignal, holds, list } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AskOptions } from "./approval.js"
import { fromFunction } from "@wield/core/Handler"
import { makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, type Read } from "./internal/importAll.js"

interface FunctionCall {
  id?: string
  name?: string
  args?: Record<string, unknown>
}

interface Declaration {
  name?: string
  description?: string
  parametersJsonSchema?: unknown
  parameters?: unknown
}

/** A part of the next message to the model. */
interface Part {
  functionResponse?: {
    id?: string
    name?: string
    response?: Record<string, unknown>
    parts?: Array<{ inlineData?: { mimeType?: string; data?: string } }>
  }
}

/**
 * A callable tool, as `generateContent` takes it in `config.tools`.
 *
 * @category models
 */
export interface CallableTool {
  tool: () => Promise<{ functionDeclarations: Array<Omit<Declaration, "parameters">> }>
  callTool: (calls: Array<FunctionCall>) => Promise<Array<Part>>
}

/**
 * The tools of a run, as they are offered now, as one callable tool. The SDK
 * has no approvals: `ask` answers at once, or the call is refused. It gives a
 * tool no signal; `signal` is that of the request.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>,
  options: AskOptions & { readonly signal?: AbortSignal | undefined } = {}
): Effect.Effect<CallableTool, E, R> =>
  Effect.map(makeHost(run, options, { ask: aFunction, signal: aSignal }), (host) => ({
    tool: async () => ({
      functionDeclarations: host.definitions.map(({ description = "", inputSchema, name }) => ({
        name,
        description,
        parametersJsonSchema: inputSchema
      }))
    }),
    callTool: (calls) =>
      Promise.all(
        calls.map(async ({ args = {}, id, name = "" }) => {
          const call = ToolCall.make(id ?? crypto.randomUUID(), name, args)
          const result = await host.execute(call, options)
          return { functionResponse: { ...(id === undefined ? {} : { id }), name, ...responseOf(result) } }
        })
      )
  }))

const responseOf = (result: ToolResult.ToolResult): NonNullable<Part["functionResponse"]> => {
  if (result.isError) return { response: { error: ToolResult.toText(result) } }
  const files = result.content.flatMap((part) =>
    (part._tag === "Image" || part._tag === "File") && part.source._tag === "Base64"
      ? [{ inlineData: { mimeType: part.mediaType, data: part.source.data } }]
      : []
  )
  if (files.length === 0) return { response: { output: ToolResult.toValue(result) } }
  const others = result.content.filter((part) => !("source" in part && part.source._tag === "Base64"))
  return { response: { output: ToolResult.toText({ ...result, content: others }) }, parts: files }
}

/**
 * Callable tools as a toolset: each holds one tool or many. Fails with
 * `InvalidTool` where a declaration is no JSON Schema.
 *
 * @category conversions
 */
export const toToolset = (
  tools: ReadonlyArray<{
    readonly tool: () => Promise<{ readonly functionDeclarations?: ReadonlyArray<Declaration> }>
    readonly callTool: (calls: Array<FunctionCall>) => Promise<ReadonlyArray<Part>>
  }>,
  options: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    checkImport(tools, list(aTool), options)
    const read = yield* Effect.forEach(tools, (callable) =>
      Effect.map(
        Effect.promise(() => callable.tool()),
        ({ functionDeclarations = [] }) =>
          functionDeclarations.map(({ description, name = "", parameters, parametersJsonSchema }): Read => ({
            tool: {
              name,
              description,
              // Both are JSON Schema by now.
              inputSchema: (parametersJsonSchema ?? withLowerCaseTypes(parameters)) as Json.JsonSchema | undefined,
              execute: fromFunction(
                // The schema has accepted the arguments of an object.
                (args, { id }) => callable.callTool([{ id, name, args: args as Record<string, unknown> }]),
                options.failure,
                // `callTool` gives parts.
                (parts) => exitOf(parts as ReadonlyArray<Part>)
              )
            }
          }))
      )
    )
    return yield* importAll(read.flat())
  })

const aTool = holds(
  "a callable tool",
  (tool) => Json.isObject(tool) && typeof tool["tool"] === "function" && typeof tool["callTool"] === "function"
)

/** Google's own schemas write types in capitals. */
const withLowerCaseTypes = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withLowerCaseTypes)
  if (!Json.isObject(schema)) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === "type" && typeof value === "string" ? value.toLowerCase() : withLowerCaseTypes(value)
    ])
  )
}

const exitOf = ([part]: ReadonlyArray<Part>): Exit.Exit<unknown, unknown> => {
  const response = part?.functionResponse?.response
  if (response?.["error"] !== undefined) return Exit.fail(response["error"])
  return Exit.succeed(response !== undefined && "output" in response ? response["output"] : response)
}
