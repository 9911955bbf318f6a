/** Runs tool calls, from any provider, through one pipeline, and gives one outcome for each. */
import { ToolRunner as ToolRunner3 } from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { Allow } from "./Approval.js"
import { type Values, withoutCallContext } from "./CallContext.js"
import type { JournalError, ResponseError, ToolCallError, ToolsetError } from "./Errors.js"
import type { VisibleParameters } from "./Hidden.js"
import type * as Ai from "./internal/effectAi.js"
import { policyTo3 } from "./internal/policies.js"
import { runnerFrom3 } from "./internal/runners.js"
import { into4 } from "./internal/seam.js"
import { partsOf } from "./internal/toolsets.js"
import type * as Outcome from "./Outcome.js"
import type { Policy } from "./Policy.js"
import type { Response } from "./Response.js"
import type { ToolCall } from "./ToolCall.js"
import type { ToolDefinition } from "./ToolDefinition.js"
import type { ContextOf, DynamicTools, Toolset } from "./Toolset.js"

/**
 * How a call of one of these tools can end. Tools that only the run time knows
 * add outcomes whose values are unknown.
 *
 * @category type-level
 */
export type OutcomeOf<Tools> =
  | Outcome.Of<Tools>
  | (Tools extends DynamicTools ? Outcome.Success | Outcome.Failure | Outcome.Deferred : never)

/**
 * What the tools with failureMode "error" raise.
 *
 * @category type-level
 */
export type RaisedBy<Tools> = { readonly [Name in keyof Tools & string]: Ai.Raised<Tools[Name]> }[keyof Tools & string]

/**
 * What happens to the calls of a turn while they run.
 *
 * @category models
 */
export type RunEvent<Tools = DynamicTools> =
  | { readonly _tag: "Started"; readonly call: ToolCall }
  | { readonly _tag: "Progress"; readonly call: ToolCall; readonly value: unknown }
  | { readonly _tag: "Finished"; readonly call: ToolCall; readonly outcome: OutcomeOf<Tools> }

/**
 * What the calls of one run share.
 *
 * @category models
 */
export interface NestedRunOptions<Tools = unknown> {
  /**
   * Names the run, in the journal and in this runner: all runs of one id are one
   * run, and a call that comes again is not run twice. A random one unless given.
   */
  readonly id?: string | undefined
  /** Names the turn within the run: the same call id in another turn is another call. */
  readonly turn?: string | undefined
  /** The calls were made before the process began. */
  readonly isRecovered?: boolean | undefined
  /** The calls were made in another run, whose journal is not this one's. */
  readonly isCopied?: boolean | undefined
  /** People were asked about the calls: those that were not begun are asked about again. */
  readonly isAsked?: boolean | undefined
  /** The calls were counted when an attempt at them was made. */
  readonly isCounted?: boolean | undefined
  /** The hidden fields of the tools, and whatever else rules read. */
  readonly context?: (Partial<ContextOf<Tools>> & Values) | undefined
  /** The names that are offered in this turn; all unless given. */
  readonly offered?: ReadonlyArray<string> | undefined
}

/**
 * The same, where tools have hidden fields: `context` is required.
 *
 * @category models
 */
export type RunOptions<Tools = unknown> = NestedRunOptions<Tools> &
  ([keyof ContextOf<Tools>] extends [never] ? unknown : { readonly context: ContextOf<Tools> & Values })

/**
 * What a runner and a run can both do with calls.
 *
 * @category models
 */
export interface Operations<Tools, R = never> {
  /** What a model is to be shown, for the current call context. */
  readonly definitions: Effect.Effect<ReadonlyArray<ToolDefinition>, ToolsetError>
  /** Runs one call. Fails only with what a tool of failureMode "error" raises; every mistake of the model is an outcome. */
  readonly run: (call: ToolCall) => Effect.Effect<OutcomeOf<Tools>, RaisedBy<Tools> | ToolsetError, R>
  /** Runs the calls of one turn: one outcome per call, in their order. What is raised comes after all have ended. */
  readonly runAll: (
    calls: ReadonlyArray<ToolCall>
  ) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, RaisedBy<Tools> | ToolsetError, R>
  /** Like `runAll`, but a raised failure is an outcome too. */
  readonly settle: (calls: ReadonlyArray<ToolCall>) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, ToolsetError, R>
  /** Runs the calls and tells what happens meanwhile; handlers wait with their progress for a slow reader. */
  readonly stream: (calls: ReadonlyArray<ToolCall>) => Stream.Stream<RunEvent<Tools>, RaisedBy<Tools> | ToolsetError, R>
  /** Calls a tool from the program, by name and typed parameters, through the same pipeline. */
  readonly call: <Name extends keyof Tools & string>(
    name: Name,
    parameters: VisibleParameters<Tools[Name]>
  ) => Effect.Effect<Ai.Success<Tools[Name]>, Ai.Failure<Tools[Name]> | ToolCallError | ToolsetError, R>
}

/**
 * Runs the calls of a toolset. Where tools have hidden fields, begin with
 * `forRun`, or wrap the effect in `CallContext.provide`.
 *
 * @category models
 */
export interface Runner<Tools, R = never> extends Operations<Tools, R> {
  /** The same runner for one run: with its call context, its id in the journal. */
  readonly forRun: (options: RunOptions<Tools>) => Run<Tools, R>
}

/**
 * What of a deferred call an answer names; all of it is JSON.
 *
 * @category models
 */
export interface Waiting {
  readonly call: ToolCall
  readonly name: string
  readonly digest: string
  readonly requestId?: string
  readonly arguments?: unknown
  readonly input?: unknown
}

/**
 * A runner for one run, which remembers what it has run.
 *
 * @category models
 */
export interface Run<Tools, R = never> extends Operations<Tools, R> {
  /** Goes on with a deferred call: what was approved runs once, what was denied never. The approval rule is asked again. */
  readonly resume: (
    deferred: Waiting,
    response: Response
  ) => Effect.Effect<OutcomeOf<Tools>, RaisedBy<Tools> | ResponseError | ToolsetError, R>
  /** Fails as `resume` would refuse the response, and runs nothing. */
  readonly check: (deferred: Waiting, response: Response) => Effect.Effect<void, ResponseError | ToolsetError, R>
  /** Answers the deferred calls among these outcomes, one after the other, and puts what they come to in their places. */
  readonly resumeAll: <E2 = never, R2 = never>(
    outcomes: ReadonlyArray<OutcomeOf<Tools>>,
    answer: (deferred: Outcome.Deferred) => Response | Effect.Effect<Response, E2, R2>
  ) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, RaisedBy<Tools> | ResponseError | ToolsetError | E2, R | R2>
  /** Tells what `run` would make of a call before it begins it. Nothing is run. */
  readonly preview: (call: ToolCall) => Effect.Effect<Allow | OutcomeOf<Tools>, ToolsetError, R>
  /** The `requestId` of what a person was asked last under this call id. */
  readonly lastAsk: (callId: string) => Effect.Effect<string | undefined, JournalError>
  /** The same run with other names on offer, or more context. */
  readonly forRun: (options: NestedRunOptions<Tools>) => Run<Tools, R>
}

/**
 * A runner for a toolset under a policy.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Approval, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "refund", execute: () => Effect.succeed("refunded") }])
 *   const runner = yield* ToolRunner.make(toolset, { approval: () => Approval.ask("it moves money") })
 *   const run = runner.forRun({ id: "conversation_7" })
 *   const waiting = yield* run.runAll([ToolCall.make("call_1", "refund", "{}")])
 *   return yield* run.resumeAll(waiting, () => Response.approve)
 * })
 * const outcomes = await Effect.runPromise(program)
 * assert.deepStrictEqual(outcomes.map(Outcome.text), ["refunded"])
 * ```
 *
 * @category constructors
 */
export const make = <Tools, R>(
  toolset: Toolset<Tools, R>,
  policy: Policy<NoInfer<Tools>> = {}
): Effect.Effect<Runner<Tools, R>, ToolsetError> => {
  const parts = partsOf(toolset)
  return into4(policyTo3(policy, parts.rules)).pipe(
    Effect.flatMap((policy3) => into4(ToolRunner3.make(parts.toolset, policy3))),
    // `E` of a toolset of this package is that of names that collide.
    Effect.mapError((error) => error as ToolsetError),
    Effect.map((runner) => runnerFrom3<Tools, R>(runner))
  )
}

/**
 * A runner as a service, for code that does not name the toolset's type.
 *
 * @category services
 */
export class ToolRunner extends Context.Service<ToolRunner, Runner<DynamicTools>>()("@wield/effect4/ToolRunner") {}

/**
 * The `ToolRunner` service. What requests need is taken from the Layer's
 * context, under what the request itself has.
 *
 * @category layers
 */
export const layer = <Tools, R, E, R2>(
  toolset: Effect.Effect<Toolset<Tools, R>, E, R2>,
  policy: Policy<NoInfer<Tools>> = {}
): Layer.Layer<ToolRunner, E | ToolsetError, R | R2> =>
  Layer.effect(
    ToolRunner,
    Effect.gen(function* () {
      const context = withoutCallContext(yield* Effect.context<R>())
      const parts = partsOf(yield* toolset)
      const policy3 = yield* into4(policyTo3(policy, parts.rules))
      const runner = yield* Effect.mapError(
        into4(ToolRunner3.make(parts.toolset, policy3)),
        // As above.
        (error) => error as ToolsetError
      )
      return runnerFrom3<DynamicTools, never>(runner, context)
    })
  )
