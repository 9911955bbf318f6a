/**
 * Genkit: a run as the tools of `generate`, and its tools as a toolset. Nothing
 * of `genkit` is loaded: `ai` is yours.
 */
import type { ToolRunner, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aSignal, holds, list, orThrow } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { fromFunction } from "@wield/core/Handler"
import { isResumed, makeHost } from "./internal/host.js"
import type { Waiting } from "./approval.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, importAll, parametersOf } from "./internal/importAll.js"

/** What Genkit says about a call. */
interface ToolOptions {
  readonly toolRequest?: { readonly ref?: string }
  readonly resumed?: unknown
  /** Of the part that is run; of one that is restarted, with what it was interrupted by. */
  readonly metadata?: unknown
  readonly interrupt?: (metadata: Record<string, unknown>) => never
}

interface Declared {
  readonly __action: { inputJsonSchema?: unknown }
}

/** What is used of `genkit()`. */
interface Ai<Action extends Declared> {
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
 * Genkit rejects the whole of `generate` where arguments do not fit, so it
 * checks none here: the runner does. A call of an unknown tool rejects
 * `generate`, too; a tool cannot help that. Genkit gives a tool no signal;
 * `signal` is that of the request.
 *
 * @category conversions
 */
export const fromRun = <Action extends Declared, Tools, R, E>(
  ai: Ai<Action>,
  run: ToolRunner.Run<Tools, R, E>,
  given: { readonly signal?: AbortSignal | undefined } = {}
): Effect.Effect<Array<Action>, E, R> => {
  orThrow(aGenkit(ai), "The first that `fromRun` takes")
  return Effect.map(makeHost(run, given, { signal: aSignal }), (host) =>
    host.definitions.map(({ description = "", inputSchema, name }) => {
      const action = ai.dynamicTool({ name, description, inputJsonSchema: anything }, async (input, options) => {
        const { interrupt, resumed, toolRequest } = options
        const id = toolRequest?.ref ?? callIdOf(options) ?? crypto.randomUUID()
        const ask = (waiting: Waiting) =>
          Json.isObject(resumed) && isResumed(resumed, waiting) ? resumed : interrupt?.({ waiting })
        const isAsked = resumed !== undefined
        const result = await host.execute(ToolCall.make(id, name, input), {
          ...given,
          ask,
          isAsked,
          isLater: true,
          isStop: () => true
        })
        return result.isError ? { error: ToolResult.toText(result) } : ToolResult.toValue(result)
      })
      // What the model is shown, and what Genkit does not check.
      action.__action.inputJsonSchema = inputSchema
      return action
    })
  )
}

const aGenkit = holds("what `genkit()` gives", (ai) => Predicate.hasProperty(ai, "dynamicTool"))

/** A call that is restarted is the one that was interrupted. Genkit tells a tool no id of its own. */
const callIdOf = ({ metadata }: ToolOptions): string | undefined => {
  const { interrupt } = Json.isObject(metadata) ? metadata : {}
  const { waiting } = Json.isObject(interrupt) ? interrupt : {}
  const { call } = Json.isObject(waiting) ? waiting : {}
  return Json.isObject(call) && typeof call["id"] === "string" ? call["id"] : undefined
}

const anything = { type: "object" }

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
  options: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.gen(function* () {
    checkImport(tools, list(aTool), options)
    const read = yield* Effect.forEach(tools, ({ __action, run }) => {
      const name = __action.name.split("/").at(-1) ?? __action.name
      // Genkit's actions have this form, whatever they take.
      const execute = run as (input: unknown, options: object) => Promise<{ readonly result: unknown }>
      return Effect.map(parametersOf(name, schemaOf(__action)), (parameters) => ({
        tool: {
          name,
          description: __action.description,
          ...parameters,
          execute: fromFunction(
            async (input, { context, signal }) => (await execute(input, { context, abortSignal: signal })).result,
            options.failure
          )
        }
      }))
    })
    return yield* importAll(read)
  })

/** An action is a function that has these. */
const aTool = holds(
  "a tool of Genkit",
  (tool) =>
    Predicate.hasProperty(tool, "__action") &&
    Predicate.hasProperty(tool.__action, "name") &&
    typeof tool.__action.name === "string" &&
    Predicate.hasProperty(tool, "run")
)

const schemaOf = ({ inputJsonSchema, inputSchema }: ForeignTool["__action"]): object | undefined =>
  // Schemas are objects, of JSON or of Zod.
  (inputJsonSchema ?? inputSchema) as object | undefined
