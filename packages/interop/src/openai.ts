/**
 * The runner of the OpenAI SDK (`chat.completions.runTools`): a run as its
 * tools, and runnable functions as a toolset. Nothing of `openai` is loaded.
 */
import type { ToolRunner, ToolsetError } from "@wield/core"
import * as Json from "@wield/core/Json"
import { aFunction, holds, list } from "@wield/core/Options"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolResult from "@wield/core/ToolResult"
import * as Effect from "effect/Effect"
import type { AskOptions } from "./approval.js"
import { fromFunction } from "@wield/core/Handler"
import { makeHost } from "./internal/host.js"
import type { Imported, ImportOptions } from "./imported.js"
import { checkImport, fromParse, importAll } from "./internal/importAll.js"

/**
 * A tool as `runTools` takes it.
 *
 * @category models
 */
export interface RunnableTool {
  readonly type: "function"
  readonly function: {
    name: string
    description: string
    parameters: Record<string, unknown>
    /** Gets the arguments as the model wrote them. */
    function: (input: string, runner: { readonly controller?: AbortController }) => Promise<string>
  }
}

/**
 * The tools of a run, as they are offered now. `runTools` has no approvals:
 * `ask` answers at once, or the call is refused. It names no call to a tool, so
 * each call has an id of its own, and none is known again after a restart.
 *
 * @category conversions
 */
export const fromRun = <Tools, R, E>(
  run: ToolRunner.Run<Tools, R, E>,
  options: AskOptions = {}
): Effect.Effect<Array<RunnableTool>, E, R> =>
  Effect.map(makeHost(run, options, { ask: aFunction }), (host) =>
    host.definitions.map(({ description = "", inputSchema, name }) => ({
      type: "function",
      function: {
        name,
        description,
        // JSON Schema is such a record, which the SDK wants to be mutable.
        parameters: inputSchema as Record<string, unknown>,
        // It never throws: that would reject the whole run.
        function: async (input, runner) => {
          const call = ToolCall.make(crypto.randomUUID(), name, input)
          return ToolResult.toText(await host.execute(call, { ...options, signal: runner.controller?.signal }))
        }
      }
    }))
  )

/** What is read of a runnable tool. */
interface ForeignTool {
  readonly type: string
  readonly function: {
    readonly name?: string | undefined
    readonly description?: string
    readonly parameters?: unknown
    readonly parse?: unknown
    readonly function?: unknown
  }
  /** Of a tool that `zodFunction` has made. */
  readonly $parseRaw?: unknown
  readonly $callback?: unknown
}

/**
 * Runnable tools as a toolset, `zodFunction`'s too. A tool without `parse` gets the arguments as
 * text, as it does from the SDK.
 *
 * @category conversions
 */
export const toToolset = (
  tools: ReadonlyArray<ForeignTool>,
  options: ImportOptions = {}
): Effect.Effect<Imported, ToolsetError> =>
  Effect.suspend(() => {
    checkImport(tools, list(aTool), options)
    return importAll(
      tools.map(({ $callback, $parseRaw, function: foreign }) => {
        // The SDK's runnable tools have these; it gives them the type of no one tool.
        const callback = ($callback ?? foreign.function) as Callback
        // As above.
        const parse = ($parseRaw ?? foreign.parse) as ((text: string) => unknown) | undefined
        return {
          tool: {
            name: foreign.name ?? callback.name,
            description: foreign.description,
            // The API takes nothing else.
            inputSchema: foreign.parameters as Json.JsonSchema | undefined,
            ...(parse === undefined ? {} : { validate: fromParse((input) => parse(JSON.stringify(input))) }),
            execute: fromFunction(
              (input, { signal }) =>
                callback(parse === undefined ? JSON.stringify(input) : input, { controller: { signal } }),
              options.failure
            )
          }
        }
      })
    )
  })

const aTool = holds("a runnable tool, whose `function` has a `function`", (tool) => {
  const { $callback, function: foreign } = Json.isObject(tool) ? tool : {}
  return Json.isObject(foreign) && typeof ($callback ?? foreign["function"]) === "function"
})

type Callback = ((input: unknown, runner: object) => unknown) & { readonly name: string }
