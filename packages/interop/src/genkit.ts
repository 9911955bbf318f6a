/**
 * Genkit: a run as the tools of `generate`, and its tools as a toolset. Nothing
 * of `genkit` is loaded: `ai` is yours.
 */
import { type Json, ToolCall, ToolResult, type ToolRunner, type ToolsetError } from "@wield/core"
import * as Effect from "effect/Effect"
import { fromFunction } from "./handler.js"
import { makeHost } from "./internal/host.js"
import { type Imported, importAll, type ImportOptions, parametersOf } from "./internal/imported.js"

export type { Imported, ImportOptions } from "./internal/imported.js"

/** What Genkit says about a call. */
interface ToolOptions {
  readonly abortSignal?: AbortSignal
  readonly toolRequest?: { readonly ref?: string }
  readonly resumed?: unknown
  readonly interrupt?: (metadata: Record<string, unknown>) => never
}

/** What is used of `genkit()`. */
interface Ai<Action> {
  readonly dynamicTool: (
    config: { name: string; description: string; inputJsonSchema: Record<string, unknown> },
    execute: (input: unknown, options: ToolOptions) => Promise<unknown>
  ) => Action
}

/**
 * The tools of a run, as they are offered now, for `ai.generate({ tools })`. A
 * call that waits for approval interrupts `generate`, with a `Waiting` as
 * `metadata.interrupt.waiting`; restart it with an `Answer` as `resumed`.
 *
 * Genkit checks arguments itself and then rejects the whole of `generate`, so
 * it is shown a schema that takes any object, with the real one as text in the
 * description. A call of an unknown tool rejects `generate`; nothing here can
 * help that.
 *
 * @category conversions
 */
export const fromRun = <Action, Tools, R, E>(
  ai: Ai<Action>,
  run: ToolRunner.Run<Tools, R, E>
): Effect.Effect<Array<Action>, E, R> =>
  Effect.map(makeHost(run), (host) =>
    host.definitions.map(({ description = "", inputSchema, name }) =>
      ai.dynamicTool(
        { name, description, inputJsonSchema: withoutChecks(inputSchema) },
        async (input, { abortSignal, interrupt, resumed, toolRequest }) => {
          const id = toolRequest?.ref ?? crypto.randomUUID()
          const ask = (waiting: object) => resumed ?? interrupt?.({ waiting })
          const result = await host.execute(ToolCall.make(id, name, input), { signal: abortSignal, ask })
          return result.isError ? { error: ToolResult.toText(result) } : ToolResult.toValue(result)
        }
      )
    )
  )

/** The schema for the model's eyes: annotations that no validator checks. */
const withoutChecks = (schema: Json.JsonSchema): Record<string, unknown> => schema as Record<string, unknown>

/** What is read of a tool. */
interface ForeignTool {
  readonly __action: {
    readonly name: string
    readonly description?: string | undefined
    readonly inputJsonSchema?: unknown
    readonly inputSchema?: unknown
  }
  readonly run: unknown
}

/**
 * Tools of Genkit as a toolset. A tool that interrupts ends as an internal
 * error: have an approval rule ask instead.
 *
 * @category conversions
 */
export const toToolset = (
  tools: ReadonlyArray<ForeignTool>,
  { failure }: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    const read = yield* Effect.forEach(tools, ({ __action, run }) => {
      const name = __action.name.split("/").at(-1) ?? __action.name
      const execute = run as (input: unknown, options: object) => Promise<{ readonly result: unknown }>
      return Effect.map(parametersOf(name, schemaOf(__action)), (parameters) => ({
        tool: {
          name,
          description: __action.description,
          ...parameters,
          execute: fromFunction(
            async (input, { context, signal }) => (await execute(input, { context, abortSignal: signal })).result,
            failure
          )
        }
      }))
    })
    return yield* importAll(read)
  })

const schemaOf = ({ inputJsonSchema, inputSchema }: ForeignTool["__action"]): object | undefined =>
  (inputJsonSchema ?? inputSchema) as object | undefined
