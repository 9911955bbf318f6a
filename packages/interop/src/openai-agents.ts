/**
 * OpenAI Agents: a run as the tools of an `Agent`, and function tools as a
 * toolset. Nothing of `@openai/agents` is loaded.
 */
import type { ToolDefinition, ToolRunner, ToolsetError } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import { aFunction, holds, list } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import { fromFunction } from "@wield/core/Handler"
import { type Host, makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, issuesOf, loss, needsOf, type Read } from "./internal/importAll.js"

/** What the tools read of a `RunContext`. */
interface Context {
  readonly context: unknown
  readonly isToolApproved: (approval: { readonly toolName: string; readonly callId: string }) => boolean | undefined
}

/** What the runner says about a call. */
interface Details {
  readonly toolCall?: { readonly callId?: string } | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * A tool as an `Agent` takes it.
 *
 * @category models
 */
export interface FunctionTool {
  readonly type: "function"
  name: string
  description: string
  // The SDK's own type is that of a schema it has validated itself; this one stands as the model reads it.
  // oxlint-disable-next-line typescript/no-explicit-any
  parameters: any
  strict: boolean
  invoke: (context: Context, input: string, details?: Details) => Promise<string | Array<OutputPart>>
  needsApproval: (context: Context, input: unknown, callId?: string) => Promise<boolean>
  isEnabled: () => Promise<boolean>
}

/** Part of a result with more than text. */
type OutputPart =
  | { type: "text"; text: string }
  | { type: "image"; image: string | { data: string; mediaType: string } }
  | { type: "file"; file: string | { data: string; mediaType: string; filename: string } }

/**
 * A run as the tools of an agent and options of `run`.
 *
 * @category models
 */
export interface Exported {
  readonly tools: Array<FunctionTool>
  /** Give them to `run(agent, input, { ...runOptions })`: without them a call of an unknown tool ends the run. */
  readonly runOptions: { readonly toolNotFoundBehavior: "return_error_to_model" }
}

/**
 * The tools of a run, as they are offered now. A call that waits for approval
 * is an interruption of the agent's run: approve or reject it there. The state
 * goes to another process as `state.toString()`; what the person was asked about
 * stays with the run, so it needs the same id and a journal there. A call whose
 * arguments or hidden values are others by then is refused.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(run: ToolRunner.Run<Tools, R, E>): Effect.Effect<Exported, E, R> =>
  Effect.map(makeHost(run), (host) => ({
    tools: host.definitions.map((definition) => toolOf(host, definition)),
    runOptions: { toolNotFoundBehavior: "return_error_to_model" }
  }))

const toolOf = (host: Host, { description, inputSchema, name }: ToolDefinition.ToolDefinition): FunctionTool => ({
  type: "function",
  name,
  description: description ?? "",
  parameters: inputSchema,
  strict: false,
  isEnabled: async () => true,
  // Broken JSON comes as text: it is not to be approved, and `invoke` says what is wrong with it.
  needsApproval: async (context, input, callId = "") => {
    // A resumed state asks once more, and its arguments may have been altered since the person answered.
    const isApproved = context.isToolApproved({ toolName: name, callId })
    // The SDK runs what needs no approval, also where a person has rejected it.
    if (isApproved === false) return true
    const isAnswered = isApproved !== undefined
    return Json.isObject(input) && (await host.waiting(ToolCall.make(callId, name, input), isAnswered)) !== undefined
  },
  invoke: async (context, input, details) => {
    const callId = details?.toolCall?.callId ?? crypto.randomUUID()
    const said = context.isToolApproved({ toolName: name, callId })
    const options = { signal: details?.signal, isAsked: said === false, isApproved: () => said === true }
    return outputOf(await host.execute(ToolCall.make(callId, name, input), options))
  }
})

const outputOf = (result: ToolResult.ToolResult): string | Array<OutputPart> =>
  result.isError || result.content.every(({ _tag }) => _tag === "Text" || _tag === "JsonValue")
    ? ToolResult.toText(result)
    : result.content.map((part) => {
        if (part._tag === "Text" || part._tag === "JsonValue") {
          return { type: "text", text: ToolResult.toText({ ...result, content: [part] }) }
        }
        const { mediaType, source } = part
        if (part._tag === "Image") {
          const image = source._tag === "Url" ? source.url : { data: source.data, mediaType }
          return { type: "image", image }
        }
        const filename = part.filename ?? "file"
        return { type: "file", file: source._tag === "Url" ? source.url : { data: source.data, mediaType, filename } }
      })

/**
 * How function tools are read.
 *
 * @category models
 */
export interface Options extends ImportOptions {
  /** Makes what the tools get as their run context: `(context) => new RunContext(context)`. */
  readonly runContext: (context: object) => unknown
}

/** What is read of a function tool. */
interface ForeignTool {
  readonly type: string
  readonly name: string
  readonly description?: string
  readonly parameters?: unknown
  readonly invoke?: unknown
  readonly needsApproval?: unknown
  readonly inputGuardrails?: ReadonlyArray<unknown>
  readonly outputGuardrails?: ReadonlyArray<unknown>
  readonly timeoutMs?: number
}

type Invoke = (context: unknown, input: string, details: object) => unknown

/**
 * Function tools as a toolset, with their approvals. A tool made by `tool()`
 * turns its failures into text that reads like a success: give it
 * `errorFunction: null`. A refinement that refuses is a failure then. Hosted tools,
 * guardrails and time limits are losses.
 *
 * @category conversions
 */
export const toToolset = (tools: ReadonlyArray<ForeignTool>, options: Options): Effect.Effect<Imported, ToolsetError> =>
  Effect.suspend(() => {
    checkImport(tools, list(aTool), options, { runContext: aFunction }, ["runContext"])
    const { failure, runContext } = options
    const hosted = tools.filter(({ type }) => type !== "function")
    return importAll(
      tools
        .filter(({ type }) => type === "function")
        .map((tool): Read => {
          const { description, invoke, name, needsApproval, parameters } = tool
          const lost = (["inputGuardrails", "outputGuardrails", "timeoutMs"] as const).filter((key) => {
            const stated = tool[key]
            return Array.isArray(stated) ? stated.length > 0 : stated !== undefined
          })
          return {
            tool: {
              name,
              description,
              // The SDK has made it JSON Schema.
              inputSchema: parameters as Json.JsonSchema | undefined,
              execute: fromFunction(
                (input, { context, id, signal }) => {
                  const toolCall = { type: "function_call", callId: id, name, arguments: JSON.stringify(input) }
                  // A function tool of the SDK has these two, whatever its context.
                  return (invoke as Invoke)(runContext(context), toolCall.arguments, { toolCall, signal })
                },
                (thrown) => failure?.(thrown) ?? refusalOf(thrown)
              )
            },
            needsApproval: needsOf(needsApproval, (input, id, context) => [runContext(context), input, id]),
            losses: lost.map((key) =>
              loss(name, key, "the SDK's runner applies it; set limits and rules of the policy")
            )
          }
        }),
      hosted.map(({ name, type }) => loss(name, type, "only a function tool can be called from outside its SDK"))
    )
  })

const aTool = holds("a tool of OpenAI Agents", (tool) => {
  const { invoke, type } = Json.isObject(tool) ? tool : {}
  return type === "function" ? typeof invoke === "function" : typeof type === "string"
})

/** The SDK checks refinements within the call, and says so by an error of its own, which may leave out the reason. */
const refusalOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && thrown.name === "InvalidToolInputError"
    ? [
        "The arguments are invalid. Correct them and call it again.",
        ...issuesOf("originalError" in thrown ? thrown.originalError : thrown).map(
          (issue) => `- ${Issue.toText(issue)}`
        )
      ].join("\n")
    : undefined
