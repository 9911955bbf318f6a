/**
 * Code mode: one tool that runs a program which a model has written, and which calls other tools. Each of its calls is
 * a call like any other; the model reads what the program returns.
 */
import type { Policy, ToolDefinition, ToolRunner as ToolRunners } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Issue from "@wield/core/Issue"
import * as Journal from "@wield/core/Journal"
import * as Json from "@wield/core/Json"
import { aName, aText, type Checks, fields, holds, oneOf } from "@wield/core/Options"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as ToolSearch from "@wield/core/ToolSearch"
import * as Toolset from "@wield/core/Toolset"
import type { ToolsetError } from "@wield/core/ToolsetError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { InvalidOption } from "./CodeModeError.js"
import { render } from "./Declarations.js"
import { boundsOf, checkLimits, type LimitName, type Limits } from "./engine/limits.js"
import { threadsOf } from "./ProgramThreads.js"
import { type AnyRun, type Plan, runProgram } from "./program/run.js"

export type { LimitName, Limits }

/**
 * What the model is shown of the tools: everything, each with the first sentence of its description, or nothing but a
 * second tool that finds them.
 *
 * @category models
 */
export type Shown = "full" | "brief" | "search"

/**
 * How programs are run. Everything is optional.
 *
 * @category models
 */
export interface Options<Tools = unknown> {
  /**
   * Of the calls that programs make. With a journal, a program goes on after the end of its process; give it the one of
   * the runner, or agent, that runs this toolset.
   */
  readonly policy?: Policy.Policy<Tools> | undefined
  readonly limits?: { readonly [Name in LimitName]?: Limits[Name] | undefined } | undefined
  /** "full" unless given. What may be called is the same. */
  readonly shown?: Shown | undefined
  /** The name of the tool, `run_program` unless given. */
  readonly name?: string | undefined
  /** What else the tool's description says to the model. */
  readonly instructions?: string | undefined
}

/** The tool that finds others, where programs are shown none. */
export const searchTool = "find_tools"

/**
 * A toolset of one tool, by which a model calls these tools in programs of TypeScript. A program's types are checked
 * before anything runs. A call that asks a person makes the program wait: its request is given out within the
 * program's call, and the program goes on once it is answered.
 *
 * Fails with `InvalidOption`, and as `ToolRunner.make` does. Threads that run programs live as long as the scope.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CodeMode } from "@wield/code-mode"
 * import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const stock = yield* Toolset.dynamic([{ name: "count", execute: () => Effect.succeed(20) }])
 *   const runner = yield* ToolRunner.make(yield* CodeMode.make(stock))
 *   const code = "const [a, b] = await Promise.all([tools.count(), tools.count()]); return a + b"
 *   return yield* runner.run(ToolCall.make("call_1", "run_program", { code }))
 * })
 * Effect.runPromise(Effect.scoped(program)).then((outcome) => assert.strictEqual(Outcome.text(outcome), "40"))
 * ```
 *
 * @category constructors
 */
export const make = <Tools, R = never, E = never>(
  toolset: Toolset.Toolset<Tools, R, E>,
  options: Options<NoInfer<Tools>> = {}
): Effect.Effect<Toolset.Toolset<Toolset.DynamicTools>, InvalidOption | ToolsetError | E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const problem = checkOptions(options)
    if (problem !== undefined) return yield* new InvalidOption(problem)
    const { instructions, name = "run_program", policy = {}, shown = "full" } = options
    // So may it give a promise, or tools.
    const given: Partial<typeof toolset> | null | undefined = toolset
    if (!Effect.isEffect(given?.offer)) {
      const expected = "a toolset, such as `yield* Toolset.fromToolkit(…)` gives"
      return yield* new InvalidOption({ path: ["the toolset"], expected, received: Issue.show(toolset) })
    }
    const bounds = boundsOf(options.limits ?? {})
    const context = CallContext.withoutCallContext(yield* Effect.context<R>())
    // In a loop, the same call again is no mistake.
    const runner = yield* ToolRunner.make(toolset, { ...policy, repeatGuard: false })
    // The types of its tools are those of the toolset; programs know them by name.
    const erased = runner as unknown as ToolRunners.Runner<Toolset.DynamicTools, never, unknown>
    const isJournalOwn = policy.journal === undefined
    const { check, sandboxes } = yield* threadsOf
    const plan: Plan = {
      name,
      bounds,
      threads: sandboxes,
      check: (code, definitions) => check(code, definitions, bounds.checkTime),
      runOf: (of): AnyRun => erased.forRun(of),
      journal: policy.journal ?? Journal.unsafeMemory(),
      isJournalOwn
    }
    // Programs are run with what the tools require, and with what the request provides laid over it.
    const provide = <A, Failure>(effect: Effect.Effect<A, Failure>) =>
      Effect.mapInputContext(effect, (input: Context.Context<never>) => Context.merge(context, input))
    const definitions = provide(
      Effect.catchAllCause(erased.definitions, () => Effect.succeed<ReadonlyArray<ToolDefinition.ToolDefinition>>([]))
    )
    const program = (all: ReadonlyArray<ToolDefinition.ToolDefinition>): Toolset.DynamicTool => ({
      name,
      description: [about, shown === "search" ? finding : render(all, shown), instructions]
        .filter((part) => part !== undefined)
        .join("\n\n"),
      inputSchema: {
        type: "object",
        properties: { code: { type: "string", description: "The program: statements of TypeScript" } },
        required: ["code"],
        additionalProperties: false
      },
      // What its calls have done, their journal knows: with one, a program that was begun goes on.
      facts: { isReadOnly: false, isIdempotent: !isJournalOwn, isDestructive: false, isOpenWorld: false },
      execute: (given) => {
        // As its schema says.
        const { code } = given as { readonly code: string }
        return provide(Effect.scoped(runProgram(plan, code)))
      }
    })
    const found = shown === "search" ? [yield* makeSearch(erased, provide)] : []
    const tools = yield* Toolset.dynamic([program(yield* definitions), ...found])
    yield* toolset.changes.pipe(
      Stream.runForEach(() => Effect.flatMap(definitions, (all) => Effect.orDie(tools.put(program(all))))),
      Effect.forkScoped
    )
    return tools
  })

const about = `Runs a program in TypeScript that calls tools, and gives what the program returns. Write statements; await and return stand at the top level. Call a tool as tools.name({ … }): what it gives is a promise of its result. Calls that do not need each other's results belong into Promise.all. A call that comes to no result throws a ToolError with outcome, tool and data; catch it where you can go on without. Return only what you need. There are no modules, no network, no files, no timers and no console.`

const finding = `Find what may be called with ${searchTool}.`

const makeSearch = (
  runner: ToolRunners.Runner<Toolset.DynamicTools, never, unknown>,
  provide: <A, Failure>(effect: Effect.Effect<A, Failure>) => Effect.Effect<A, Failure>
): Effect.Effect<Toolset.DynamicTool> =>
  Effect.map(ToolSearch.make(), (index): Toolset.DynamicTool => {
    let indexed: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
    return {
      name: searchTool,
      description: "Finds tools that programs can call, and gives their types.",
      inputSchema: {
        type: "object",
        properties: { query: { type: "string", description: "What the tools should do, in a few words" } },
        required: ["query"],
        additionalProperties: false
      },
      facts: { isReadOnly: true, isIdempotent: true, isDestructive: false, isOpenWorld: false },
      isFresh: true,
      execute: (given) =>
        Effect.gen(function* () {
          // As its schema says.
          const { query } = given as { readonly query: string }
          const all = yield* provide(Effect.orDie(runner.definitions))
          if (indexed !== all) {
            indexed = all
            yield* index.replace(all)
          }
          const byName = new Map(all.map((definition) => [definition.name, definition]))
          // Another request, to which other tools are offered, may have searched meanwhile.
          const hits = (yield* index.search(query)).flatMap(({ id }) => byName.get(id) ?? [])
          return hits.length === 0 ? "No tool fits these words. Search again with other ones." : render(hits, "full")
        })
    }
  })

/** A program in JavaScript may give anything, and what has a wrong name would limit nothing. */
const checkOptions = fields({
  // Spread, anything but an object would be an empty policy, which allows everything. The runner looks at what is in it.
  policy: holds("an object", Json.isPlain),
  limits: checkLimits,
  shown: oneOf("full", "brief", "search"),
  name: aName,
  instructions: aText
} satisfies Checks<Options>)
