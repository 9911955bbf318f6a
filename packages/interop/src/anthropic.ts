/**
 * The tool runner of the Anthropic SDK (`beta.messages.toolRunner`): a run as
 * its tools, and runnable tools as a toolset. Nothing of the SDK is loaded.
 */
import type { Loss, ToolRunner, ToolsetError } from "@wield/core"
import * as Content from "@wield/core/Content"
import * as Json from "@wield/core/Json"
import { aFunction, holds, list } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { AskOptions } from "./approval.js"
import { fromFunction } from "@wield/core/Handler"
import { makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, fromParse, importAll, loss } from "./internal/importAll.js"

type Block =
  | { type: "text"; text: string }
  | {
      type: "image"
      source:
        | { type: "base64"; data: string; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp" }
        | { type: "url"; url: string }
    }

/** What the runner says about a call. */
interface RunContext {
  readonly toolUse?: { readonly id: string }
  readonly signal?: AbortSignal | null | undefined
}

/**
 * A tool as `toolRunner` takes it.
 *
 * @category models
 */
export interface RunnableTool {
  readonly type: "custom"
  name: string
  description: string
  input_schema: { type: "object" } & Record<string, unknown>
  parse: (input: unknown) => unknown
  run: (input: unknown, context?: RunContext) => Promise<string | Array<Block>>
}

/**
 * The tools of a run, as they are offered now. The runner has no approvals:
 * `ask` answers at once, or the call is refused. What went wrong is sent with
 * `is_error`.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>,
  options: AskOptions = {}
): Effect.Effect<Array<RunnableTool>, E, R> =>
  Effect.map(makeHost(run, options, { ask: aFunction }), (host) =>
    host.definitions.map(({ description = "", inputSchema, name }) => ({
      type: "custom",
      name,
      description,
      input_schema: { ...inputSchema, type: "object" },
      parse: (input) => input,
      run: async (input, context = {}) => {
        const call = ToolCall.make(context.toolUse?.id ?? crypto.randomUUID(), name, input)
        const result = await host.execute(call, { ...options, signal: context.signal ?? undefined })
        // The runner marks what is thrown, and writes its message.
        if (result.isError) throw new Error(ToolResult.toText(result))
        return contentOf(result)
      }
    }))
  )

const contentOf = (result: ToolResult.ToolResult): string | Array<Block> =>
  result.content.some(isSendable)
    ? result.content.map((part) =>
        isSendable(part)
          ? { type: "image", source: sourceOf(part) }
          : { type: "text", text: ToolResult.toText({ ...result, content: [part] }) }
      )
    : ToolResult.toText(result)

const isSendable = (part: Content.Part): part is Content.Image => part._tag === "Image"

const sourceOf = ({ mediaType, source }: Content.Image): Extract<Block, { type: "image" }>["source"] =>
  source._tag === "Url"
    ? { type: "url", url: source.url }
    : // The API refuses other types, and says so.
      { type: "base64", data: source.data, media_type: mediaType as "image/png" }

/** What is read of a runnable tool. */
interface ForeignTool {
  readonly name?: string
  readonly type?: string | null
  readonly description?: string
  readonly input_schema?: unknown
  readonly cache_control?: unknown
  readonly parse?: unknown
  readonly run?: unknown
}

/**
 * Runnable tools as a toolset. Server tools and `cache_control` are losses.
 *
 * @category conversions
 */
export const toToolset = (
  tools: ReadonlyArray<ForeignTool>,
  options: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.suspend(() => {
    checkImport(tools, list(aTool), options)
    const losses: Array<Loss.Loss> = []
    const read = tools.flatMap((tool) => {
      const { name = String(tool.type), parse, run } = tool
      if (tool.cache_control) losses.push(loss(name, "cache_control", "set isCached where the tools are encoded"))
      if (typeof run !== "function" || tool.input_schema === undefined) {
        losses.push(loss(name, String(tool.type), "the model's own API executes it; give it to the model"))
        return []
      }
      return {
        tool: {
          name,
          description: tool.description,
          // The API takes nothing else.
          inputSchema: tool.input_schema as Json.JsonSchema,
          ...(typeof parse === "function" ? { validate: fromParse((given) => parse(given)) } : {}),
          execute: fromFunction(
            (given, { id, signal }) => {
              const toolUse = { type: "tool_use", id, name, input: given }
              return run(given, { toolUse, toolUseBlock: toolUse, signal })
            },
            options.failure,
            (output) => Exit.succeed(Array.isArray(output) ? new Content.Answer({ parts: output.map(partOf) }) : output)
          )
        }
      }
    })
    return importAll(read, losses)
  })

/** Without a type, or with that of a custom tool, the program executes it. */
const aTool = holds("a runnable tool, with `run` and `input_schema`, or a tool of the API", (tool) => {
  if (!Json.isObject(tool)) return false
  const isRunnable = typeof tool["run"] === "function" && tool["input_schema"] !== undefined
  return isRunnable || (typeof tool["type"] === "string" && tool["type"] !== "custom")
})

const partOf = (block: Block): Content.Part => {
  if (block.type === "text") return Content.text(block.text)
  if (block.type !== "image") return Content.json(block)
  const { source } = block
  return source.type === "url"
    ? new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url: source.url } })
    : Content.image(source.media_type, source.data)
}
