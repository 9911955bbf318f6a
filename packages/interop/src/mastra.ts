/**
 * Mastra: a run as the tools of an `Agent`, and its tools as a toolset.
 * Nothing of `@mastra/core` is loaded.
 */
import type { ToolRunner, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aFunction, holds, record } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { fromFunction } from "@wield/core/Handler"
import { isResumed, makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, loss, needsOf, parametersOf, type Read } from "./internal/importAll.js"
import { fromJsonSchema, type WithJsonSchema } from "./standard.js"

/** What an agent tells a tool about its call. */
interface Context {
  readonly abortSignal?: AbortSignal
  readonly agent?: {
    readonly toolCallId?: string
    readonly resumeData?: unknown
    readonly suspend?: (payload: unknown) => Promise<unknown>
  }
}

/**
 * What Mastra's `createTool` takes: `createTool(options)` for each.
 *
 * @category models
 */
export interface ToolOptions {
  readonly id: string
  readonly description: string
  readonly inputSchema: WithJsonSchema<unknown>
  readonly execute: (input: unknown, context: Context) => Promise<unknown>
}

/**
 * The tools of a run, as they are offered now, for `createTool`:
 * `Record.map(tools, createTool)`. A call that waits for approval is suspended
 * with a `Waiting`; resume it with an `Answer`; a yes without its id is refused.
 * What goes wrong is thrown, for that is how Mastra tells a model of an error.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>
): Effect.Effect<{ readonly [name: string]: ToolOptions }, E, R> =>
  Effect.map(makeHost(run), (host) =>
    Object.fromEntries(
      host.definitions.map(({ description = "", inputSchema, name }) => [
        name,
        {
          id: name,
          description,
          inputSchema: fromJsonSchema(inputSchema),
          execute: async (input: unknown, { abortSignal, agent }: Context) => {
            let isSuspended = false
            const result = await host.execute(ToolCall.make(agent?.toolCallId ?? crypto.randomUUID(), name, input), {
              signal: abortSignal,
              isAsked: agent?.resumeData !== undefined,
              isLater: true,
              ask: async (waiting) => {
                const { resumeData } = agent ?? {}
                if (resumeData !== undefined && isResumed(resumeData, waiting)) return resumeData
                isSuspended = agent?.suspend !== undefined
                return void (await agent?.suspend?.(waiting))
              }
            })
            if (isSuspended) return undefined
            if (result.isError) throw new Error(ToolResult.toText(result))
            return ToolResult.toValue(result)
          }
        }
      ])
    )
  )

/** What is read of a tool. */
interface ForeignTool {
  readonly id?: string
  readonly description?: string
  readonly inputSchema?: object | undefined
  readonly outputSchema?: unknown
  readonly execute?: unknown
  readonly requireApproval?: unknown
  readonly suspendSchema?: unknown
}

/**
 * Tools of Mastra as a toolset, with their approvals. Suspending is a loss: a
 * call that suspends fails, and says so.
 *
 * @category conversions
 */
export const toToolset = (
  tools: { readonly [name: string]: object },
  options: ImportOptions & {
    /** Makes what the tools get as their request context. */
    readonly requestContext?: ((context: object) => unknown) | undefined
  } = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    checkImport(tools, record(aTool), options, { requestContext: aFunction })
    const { failure, requestContext } = options
    const all = Object.entries(tools).filter(([, tool]) => tool !== undefined)
    const read = yield* Effect.forEach(all, ([name, given]) => {
      const tool: ForeignTool = given
      // Mastra's tools have this form, whatever they take.
      const execute = tool.execute as ((input: unknown, context: object) => unknown) | undefined
      return Effect.map(parametersOf(name, tool.inputSchema), (schema): Read => ({
        tool: {
          name,
          description: tool.description,
          ...schema,
          facts: execute === undefined ? { kind: "client" } : {},
          execute: fromFunction(
            (args, { context, id, signal }) =>
              execute?.(args, {
                abortSignal: signal,
                requestContext: requestContext?.(context),
                agent: { toolCallId: id, messages: [], suspend: async () => suspended }
              }),
            failure,
            exitOf
          )
        },
        needsApproval: needsOf(tool.requireApproval, (input) => [input]),
        losses: tool.suspendSchema === undefined ? [] : [loss(name, "suspend", suspended)]
      }))
    })
    return yield* importAll(read)
  })

const aTool = holds(
  "a tool of Mastra",
  (tool) => Json.isObject(tool) && (tool["execute"] === undefined || typeof tool["execute"] === "function")
)

const suspended = "the tool waits for an answer, which it cannot get here; have an approval rule ask instead"

/** Mastra hands over a mistake in the arguments or the result as a value. */
const exitOf = (value: unknown): Exit.Exit<unknown, unknown> =>
  Json.isObject(value) && value["error"] === true && typeof value["message"] === "string"
    ? Exit.fail(value["message"])
    : Exit.succeed(value)
