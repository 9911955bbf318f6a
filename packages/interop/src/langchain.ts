/**
 * LangChain: a run as tools for `bindTools`, `ToolNode` and `createAgent`, and
 * its tools as a toolset.
 */
import { ToolMessage } from "@langchain/core/messages"
import { DynamicStructuredTool, type StructuredToolInterface } from "@langchain/core/tools"
import { toJsonSchema } from "@langchain/core/utils/json_schema"
import type { ToolRunner, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aFunction, holds, list } from "@wield/core/Options"
import * as Content from "@wield/core/Content"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type { AskLater } from "./approval.js"
import { fromFunction } from "@wield/core/Handler"
import { type Host, isToAnother, makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, loss, parametersOf, type Read } from "./internal/importAll.js"
import { fromJsonSchema, isStandard } from "./standard.js"

/** What LangChain says about a call. */
interface Config {
  readonly toolCall?: { readonly id?: string }
  readonly signal?: AbortSignal
}

/**
 * The tools of a run, as they are offered now. Each gives a `ToolMessage`, with
 * the status `error` where something went wrong; its artifact is the value.
 *
 * For calls that wait for approval, give `interrupt` of `@langchain/langgraph`
 * as `ask`, and a checkpointer to the graph: the graph stops with a `Waiting`,
 * and `new Command({ resume })` goes on with an `Answer`, in any process. A yes
 * without the id of what was asked is refused.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>,
  options: { readonly ask?: AskLater | undefined } = {}
): Effect.Effect<Array<StructuredToolInterface>, E, R> =>
  Effect.map(makeHost(run, options, { ask: aFunction }), (host) => {
    const ask = options.ask && inOrder(options.ask)
    return host.definitions.map((definition) => toolOf(host, definition, ask))
  })

/**
 * LangGraph gives a node that goes on all its answers again, in the order in which they came: those to other calls of
 * the turn, and to what this call has asked before, are passed over until it has the right one, or stops to ask.
 */
const inOrder =
  (ask: AskLater): AskLater =>
  async (waiting) => {
    let answer = await ask(waiting)
    for (let passed = 0; passed < mostAnswers && isToAnother(answer, waiting); passed++) answer = await ask(waiting)
    return answer
  }

/** As `interrupt` does, and whatever else of LangGraph goes up to the graph. */
const isStop = (thrown: unknown): boolean =>
  Predicate.hasProperty(thrown, "is_bubble_up") && thrown.is_bubble_up === true

/** Any other `ask` may give the same answer each time. */
const mostAnswers = 1_000

const toolOf = (
  host: Host,
  { description = "", inputSchema, name }: Host["definitions"][number],
  ask: AskLater | undefined
): StructuredToolInterface => {
  const tool = new DynamicStructuredTool({
    name,
    description,
    // LangChain would check a JSON Schema itself, and its message does not say where the mistake is.
    schema: fromJsonSchema<Record<string, unknown>>(inputSchema),
    func: async (input: unknown, _: unknown, config: Config = {}) => {
      const id = config.toolCall?.id ?? crypto.randomUUID()
      const options = { ask, isStop, isLater: true, signal: config.signal }
      const result = await host.execute(ToolCall.make(id, name, input), options)
      return new ToolMessage({
        tool_call_id: id,
        name,
        status: result.isError ? "error" : "success",
        content: contentOf(result),
        artifact: result.structured
      })
    }
  })
  // Its type leaves out schemas of Standard Schema, which its constructor takes.
  return tool as unknown as StructuredToolInterface
}

const contentOf = (result: ToolResult.ToolResult) =>
  result.content.every(({ _tag }) => _tag === "Text" || _tag === "JsonValue")
    ? ToolResult.toText(result)
    : result.content.map((part) => {
        if (part._tag === "Text" || part._tag === "JsonValue") {
          return { type: "text" as const, text: ToolResult.toText({ ...result, content: [part] }) }
        }
        const { mediaType: mimeType, source } = part
        const bytes = source._tag === "Url" ? { url: source.url } : { data: source.data, mimeType }
        return part._tag === "Image" ? { type: "image" as const, ...bytes } : { type: "file" as const, ...bytes }
      })

/** What is read of a tool. */
interface ForeignTool {
  readonly name: string
  readonly description?: string
  readonly schema?: unknown
  readonly returnDirect?: boolean | undefined
  readonly callbacks?: unknown
  // A LangChain tool's own type differs by its schema; `invoke` takes a call whatever it is.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly invoke: (call: any, config?: any) => Promise<any>
}

/**
 * Tools of LangChain as a toolset. The call context is their `configurable`. A
 * message of the status `error` is a failure. `returnDirect`, callbacks and
 * commands to the graph are losses.
 *
 * @category conversions
 */
export const toToolset = (
  tools: ReadonlyArray<ForeignTool>,
  options: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    checkImport(tools, list(aTool), options)
    const read = yield* Effect.forEach(tools, (tool) => {
      const { description, name, schema } = tool
      const lost = (["returnDirect", "callbacks"] as const).filter((key) => Boolean(tool[key]))
      // Other schemas than standard ones are of those that LangChain converts.
      const given = isStandard(schema) ? schema : (toJsonSchema(schema as Parameters<typeof toJsonSchema>[0]) as object)
      return Effect.map(parametersOf(name, given), (parameters): Read => ({
        tool: {
          name,
          description,
          ...parameters,
          execute: fromFunction(
            (args, { context, id, signal }) =>
              tool.invoke({ type: "tool_call", id, name, args }, { signal, configurable: context }),
            options.failure,
            exitOf
          )
        },
        losses: lost.map((key) => loss(name, key, "it belongs to LangChain's own loop"))
      }))
    })
    return yield* importAll(read)
  })

const aTool = holds("a tool of LangChain", (tool) => Json.isObject(tool) && typeof tool["invoke"] === "function")

const exitOf = (output: unknown): Exit.Exit<unknown, unknown> => {
  if (!ToolMessage.isInstance(output)) return Exit.succeed(output)
  const { content, status } = output
  if (status === "error") return Exit.fail(content)
  if (typeof content === "string") return Exit.succeed(jsonOf(content))
  // A message's content that is no text is a list of parts.
  return Exit.succeed(new Content.Answer({ parts: content.map((part) => partOf(part as ForeignPart)) }))
}

/** A value that is no text was written as JSON. */
const jsonOf = (text: string): Json.Json => {
  try {
    return Json.parse(text, { decimals: "rounded" })
  } catch {
    return text
  }
}

interface ForeignPart {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly url?: string
  readonly mimeType?: string
}

const partOf = ({ data, mimeType = "image/png", text, type, url }: ForeignPart): Content.Part => {
  if (type === "text") return Content.text(text ?? "")
  const source = data === undefined ? { _tag: "Url" as const, url: url ?? "" } : { _tag: "Base64" as const, data }
  return type === "image"
    ? new Content.Image({ mediaType: mimeType, source })
    : new Content.File({ mediaType: mimeType, source })
}
