/**
 * Tools as typed functions from the arguments that a model sends to the outcome.
 * Every call runs the whole pipeline.
 */
import type { Hidden, Outcome, Policy, Toolset, ToolsetError } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as CallContext from "@wield/core/CallContext"
import { aContext, anything, type Checks, fields, orThrow } from "@wield/core/Options"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"

/**
 * The arguments of a tool as a model sends them. You can omit them if all are
 * optional.
 *
 * @category type-level
 */
export type Arguments<T> =
  {} extends Hidden.VisibleArguments<T>
    ? readonly [args?: Hidden.VisibleArguments<T>]
    : readonly [args: Hidden.VisibleArguments<T>]

/**
 * One function for each tool. The failure of a tool with failureMode "error" is
 * an outcome, too (`Failure` with `isRaised`).
 *
 * @category models
 */
export type ToolCalls<Tools, R = never, E = never> = {
  readonly [Name in keyof Tools & string]: (
    ...args: Arguments<Tools[Name]>
  ) => Effect.Effect<Outcome.Handled<Name, Tools[Name]> | Outcome.Unhandled, E, R>
} & (Tools extends Toolset.DynamicTools ? DynamicToolCalls<R, E> : unknown)

/**
 * The tools of a dynamic toolset.
 *
 * @category models
 */
export interface DynamicToolCalls<R = never, E = never> {
  readonly [name: string]: (args?: unknown) => Effect.Effect<Outcome.Outcome, E, R>
}

/**
 * The policy and the call context. `context` is required if tools have hidden
 * fields.
 *
 * @category models
 */
export type Options<Tools> = { readonly policy?: Policy.Policy<NoInfer<Tools>> | undefined } & Pick<
  ToolRunner.RunOptions<NoInfer<Tools>>,
  "context"
>

/**
 * Makes functions of the tools of a toolset. Also returns their run, for calls
 * that no type allows. The calls have the ids `call_1`, `call_2`, and so on.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tool, Toolkit } from "@effect/ai"
 * import { Toolset } from "@wield/core"
 * import { OutcomeAssertions, ToolCalls } from "@wield/testing"
 * import { Effect, Schema } from "effect"
 *
 * const Double = Tool.make("double", { parameters: { n: Schema.NumberFromString }, success: Schema.Number })
 * class Sums extends Toolkit.make(Double) {}
 * const SumsLive = Sums.toLayer({ double: ({ n }) => Effect.succeed(n * 2) })
 *
 * const program = Effect.gen(function* () {
 *   const { tools } = yield* ToolCalls.make(yield* Toolset.fromToolkit(Sums), {})
 *   const outcome = yield* tools.double({ n: "21" })
 *   return OutcomeAssertions.expectSuccess(outcome).result
 * })
 * assert.strictEqual(Effect.runSync(program.pipe(Effect.provide(SumsLive))), 42)
 * ```
 *
 * @category constructors
 */
export const make = <Tools, R, E>(
  toolset: Toolset.Toolset<Tools, R, E>,
  options: Options<Tools>
): Effect.Effect<
  { readonly tools: ToolCalls<Tools, R, E>; readonly run: ToolRunner.Run<Tools, R, E> },
  E | ToolsetError
> =>
  Effect.gen(function* () {
    // Of a policy that is misspelt, a test would see no refusal.
    orThrow(checkOptions(options), "What tools are called with")
    const context: CallContext.Values = options.context ?? {}
    const runner = yield* ToolRunner.make(toolset, options.policy ?? {}).pipe(CallContext.provide(context))
    // `Options` has the context that `RunOptions` demands.
    const run = runner.forRun({ context } as ToolRunner.RunOptions<Tools>)
    const { entries } = yield* toolset.offer.pipe(CallContext.provide(context))
    const count = yield* Ref.make(0)
    const call =
      (name: string) =>
      (args: unknown = {}) =>
        Effect.gen(function* () {
          const number = yield* Ref.updateAndGet(count, (before) => before + 1)
          const [outcome] = yield* run.settle([ToolCall.make(`call_${number}`, name, JSON.stringify(args))])
          // Each call has one outcome.
          return outcome as ToolRunner.OutcomeOf<Tools>
        })
    // The names are those of `Tools`, and `settle` types the outcome of each.
    const tools = Object.fromEntries(Array.from(entries.keys(), (name) => [name, call(name)])) as unknown as ToolCalls<
      Tools,
      R,
      E
    >
    return { tools, run }
  })

const checks = {
  policy: anything,
  context: aContext
} satisfies Checks<Options<unknown>>

const checkOptions = fields({
  ...checks,
  // What `it.tools` has read.
  toolset: anything,
  layer: anything
})
