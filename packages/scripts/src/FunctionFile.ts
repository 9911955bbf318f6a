/**
 * A file of Python functions as Sapphire has them: `TOOLS` describes the
 * functions in the schema of OpenAI, `AVAILABLE_FUNCTIONS` names those that are
 * on offer, `ENABLED` turns the file on and off, and
 * `execute(function_name, arguments, config)` runs them and returns
 * `(text, success)`.
 */
import type { Facts, InvalidTool, Json, ToolNameCollision } from "@wield/core"
import * as Toolset from "@wield/core/Toolset"
import { anything, type Checks, fields, orThrow } from "@wield/core/Options"
import type { Place, Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import { anExecutor } from "./folder/options.js"
import { withImages } from "./function-file/images.js"
import { reader } from "./function-file/read.js"
import type { InvalidScript } from "./ScriptError.js"
import type { ScriptExecutor } from "./ScriptExecutor.js"
import { withDoubtOf } from "./worker/result.js"

/**
 * A function file as it was read.
 *
 * @category models
 */
export interface FunctionFile {
  /** The path it was read from. */
  readonly file: string
  /** The name of its module: the file's stem. */
  readonly module: string
  /** The source, as it was read: it is what runs. */
  readonly text: string
  /** `ENABLED`. A file that is off has no tools, and nothing more was looked at. */
  readonly isEnabled: boolean
  /** What the file makes available, in the order of its `TOOLS`. */
  readonly tools: ReadonlyArray<FunctionTool>
  /** Warnings, and errors of tools that were left out for them. */
  readonly problems: ReadonlyArray<Problem>
  /** Whether the file had to be run to know its tools. */
  readonly isRun: boolean
}

/**
 * One function of a file.
 *
 * @category models
 */
export interface FunctionTool {
  readonly name: string
  /** Absent where the file has none: the model then has the name alone. */
  readonly description: string | undefined
  readonly inputSchema: Json.JsonSchema
  /** What the file states: `network` is the fact `isOpenWorld`, `is_local` the fact `disclosure`. */
  readonly facts: Partial<Facts.Facts>
  /** The entry of `TOOLS` as the file has it, `strict` and further keys included. */
  readonly entry: Json.JsonObject
  /** Absent where the file had to be run to know the tool, and where it came from nowhere. */
  readonly place: Place | undefined
}

/**
 * A file to read.
 *
 * @category models
 */
export interface Source {
  /** Its path: the stem is the module's name, and problems name it. Nothing is read from it. */
  readonly file: string
  readonly text: string
}

/**
 * What a function file says of its tools, read from its source and never run.
 * Besides literals, names of constants, `+`, `*BASE`, `{**BASE}`, `BASE["key"]`
 * and `[tool["function"]["name"] for tool in TOOLS]` are understood.
 *
 * Fails where no tool can be offered: with a syntax error, without `execute` or
 * `TOOLS`, where what the file says can only be known by running it. What costs
 * one function only is among the file's `problems`.
 *
 * @category constructors
 */
export const introspect = (source: Source): Effect.Effect<FunctionFile, InvalidScript> =>
  Effect.flatMap(reader, (read) => read(source, undefined))

/**
 * What tools of function files are made with.
 *
 * @category models
 */
export interface ToolOptions {
  /** Runs the files. */
  readonly executor: Pick<ScriptExecutor, "runFunctionFile">
  /** What `execute` is given as `config`, whose entries are attributes too. An empty object unless given. */
  readonly config?: Json.Json | undefined
}

/**
 * As `introspect`; where the source does not say all, the file is run to know
 * the rest, as it would be for a call.
 *
 * @category constructors
 */
export const load = (source: Source, options: ToolOptions): Effect.Effect<FunctionFile, InvalidScript> =>
  Effect.flatMap(reader, (read) => read(source, runningOf(options)))

const runningOf = (options: ToolOptions) => {
  orThrow(checkOptions(options), "What function files are run with")
  const { config = {}, executor } = options
  return { config, executor }
}

const checkOptions = fields({ executor: anExecutor, config: anything } satisfies Checks<ToolOptions>, ["executor"])

/**
 * The tools of function files, for a toolset of one's own. Arguments are
 * validated before anything runs; `return text, False` is a failure that the
 * model reads as one.
 *
 * @category conversions
 */
export const toTools = (
  files: ReadonlyArray<FunctionFile>,
  options: ToolOptions
): ReadonlyArray<Toolset.DynamicTool> => {
  const { config, executor } = runningOf(options)
  return files.flatMap(({ file, text, tools }) =>
    tools.map(({ description, facts, inputSchema, name }) => ({
      name,
      description,
      inputSchema,
      facts,
      // The input schema has accepted them, and they came as JSON.
      execute: (parameters) =>
        Effect.map(
          withDoubtOf(facts, executor.runFunctionFile({ file, text }, name, parameters as Json.JsonObject, config)),
          withImages
        )
    }))
  )
}

/**
 * A toolset of function files. Fails where two of them have a function of the
 * same name: `FunctionFolder` tells of such, and keeps the first.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolRunner } from "@wield/core"
 * import { FunctionFile, ScriptExecutor } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const text = `
 * TOOLS = [{"type": "function", "function": {"name": "roll_dice", "description": "Rolls a die"}}]
 *
 * def execute(function_name, arguments, config):
 *     return "4", True
 * `
 *
 * const program = Effect.gen(function* () {
 *   const executor = yield* ScriptExecutor.make({ cache: "node_modules/.cache/tools" })
 *   const file = yield* FunctionFile.introspect({ file: "functions/games.py", text })
 *   const runner = yield* ToolRunner.make(yield* FunctionFile.toToolset([file], { executor }))
 *   return (yield* runner.definitions).length
 * })
 * Effect.runPromise(Effect.scoped(program)).then((count) => assert.strictEqual(count, 1))
 * ```
 *
 * @category conversions
 */
export const toToolset = (
  files: ReadonlyArray<FunctionFile>,
  options: ToolOptions
): Effect.Effect<Toolset.Toolset<Toolset.DynamicTools>, ToolNameCollision | InvalidTool> =>
  Effect.suspend(() => Toolset.constant(toTools(files, options)))
