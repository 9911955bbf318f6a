/**
 * The service that runs tool calls, from any provider, through one pipeline,
 * and gives one outcome for each.
 *
 * The file is long by its types and their documentation; the pipeline is under
 * `runner/`.
 */
import type * as Tool from "@effect/ai/Tool"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RuntimeFiber } from "effect/Fiber"
import type * as Stream from "effect/Stream"
import type { Allow } from "./Approval.js"
import { type Values, withoutCallContext } from "./CallContext.js"
import type { VisibleParameters } from "./Hidden.js"
import type { JournalError } from "./JournalError.js"
import { holds, orThrow } from "./Options.js"
import type * as Outcome from "./Outcome.js"
import type { Policy } from "./Policy.js"
import type * as Response from "./Response.js"
import type { ResponseError } from "./ResponseError.js"
import { makeRunner, runByPromise } from "./runner/makeRunner.js"
import { RaisedFailure, type ToolCallError } from "./ToolCallError.js"
import type { ToolCall } from "./ToolCall.js"
import type { ToolDefinition } from "./ToolDefinition.js"
import type { ToolsetError } from "./ToolsetError.js"
import type { ContextOf, DynamicTools, NeededContext, Toolset } from "./toolset/model.js"

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
export type RaisedBy<Tools> = {
  readonly [Name in keyof Tools & string]: Tool.HandlerError<Tools[Name]>
}[keyof Tools & string]

/**
 * What happens to the calls of a batch while they run.
 *
 * @category models
 */
export type RunEvent<Tools = DynamicTools> =
  | { readonly _tag: "Started"; readonly call: ToolCall }
  | { readonly _tag: "Progress"; readonly call: ToolCall; readonly value: unknown }
  | { readonly _tag: "Finished"; readonly call: ToolCall; readonly outcome: OutcomeOf<Tools> }

/**
 * Watches calls while they run. An effect holds up its call until it is done;
 * `undefined` does not. `finished` hears of an interrupted call only where its
 * handler came to an end all the same, because it could not be interrupted.
 *
 * @category models
 */
export type Watcher<Tools = DynamicTools> = OutcomeWatcher<OutcomeOf<Tools>>

/**
 * A watcher by the outcomes it takes: one that takes any outcome watches the
 * calls of any tools.
 *
 * @category models
 */
export interface OutcomeWatcher<in Outcome> {
  /** The runner looks at the call, which may end, or wait for a person, before it begins. */
  readonly entered?: ((call: ToolCall) => void) | undefined
  /** The handler begins. A call that ends before it could begin, begins and ends at once. */
  readonly started: (call: ToolCall) => Effect.Effect<void> | undefined
  readonly progress: (call: ToolCall) => (value: unknown) => Effect.Effect<void>
  readonly finished: (call: ToolCall, outcome: Outcome) => Effect.Effect<void> | undefined
}

/**
 * What the calls of one run share. `context` is required where tools have
 * hidden fields.
 *
 * @category models
 */
export type RunOptions<Tools = unknown> = NestedRunOptions<Tools> &
  ([keyof ContextOf<Tools>] extends [never] ? unknown : { readonly context: ContextOf<Tools> & Values })

/**
 * What a run within a run changes.
 *
 * @category models
 */
export interface NestedRunOptions<Tools = unknown> {
  /**
   * Names the run, in the journal and in this runner: all runs of one id are one
   * run, and a call that comes again is not run twice. Without a journal, the
   * 10,000 ids that were used last are remembered, with 64 Mi characters of
   * arguments and results at most, until the process ends.
   * Unless given, a random one.
   */
  readonly id?: string | undefined
  /**
   * Names the turn within the run: the same call id in another turn is another
   * call, for some servers number their calls from the start in every turn. What a turn has
   * run, it has run whenever the turn of this name comes again; context and
   * repeat guard belong to the run as a whole.
   */
  readonly turn?: string | undefined
  /**
   * The calls were made before the process began. Where there is no journal,
   * it is unknown which of them were begun: those of tools that are neither
   * read-only nor idempotent are `Uncertain`, and not run.
   */
  readonly isRecovered?: boolean | undefined
  /** The calls were made in another run, whose journal is not this one's: recovered, they are as without a journal. */
  readonly isCopied?: boolean | undefined
  /**
   * People were asked about the calls. Those that were not begun are asked about
   * again, also where their rule allows them by now.
   */
  readonly isAsked?: boolean | undefined
  /** The calls were counted when an attempt at them was made: neither rates nor quotas of calls refuse them. */
  readonly isCounted?: boolean | undefined
  /**
   * The hidden fields of the tools, and whatever else filters and rules read.
   * Laid over what `CallContext.provide` gives.
   */
  readonly context?: (Partial<ContextOf<Tools>> & Values) | undefined
  /** The names that are offered in this turn; all unless given. Others cannot be run. */
  readonly offered?: ReadonlyArray<OfferedName<Tools>> | undefined
}

/** Any name, where only the run time knows them all. */
type OfferedName<Tools> = Tools extends DynamicTools ? string : (keyof Tools & string) | "read_result"

/**
 * What a runner and a run can both do with calls.
 *
 * @category models
 */
export interface Operations<Tools, R = never, E = never> {
  /** What a model is to be shown, for the current call context. */
  readonly definitions: Effect.Effect<ReadonlyArray<ToolDefinition>, E>
  /**
   * Runs one call. Fails only with what a tool of failureMode "error" raises;
   * every mistake of the model is an outcome.
   */
  readonly run: (call: ToolCall) => Effect.Effect<OutcomeOf<Tools>, RaisedBy<Tools> | E, R>
  /**
   * Runs the calls of one turn: one outcome per call, in their order. A raised
   * failure comes after the other calls have settled; `settle` hands it over
   * together with their outcomes.
   */
  readonly runAll: (
    calls: ReadonlyArray<ToolCall>
  ) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, RaisedBy<Tools> | E, R>
  /** Like `runAll`, but a raised failure is an outcome too (`Failure` with `isRaised`). */
  readonly settle: (
    calls: ReadonlyArray<ToolCall>,
    watcher?: Watcher<Tools>
  ) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, E, R>
  /**
   * Runs the calls and tells what happens meanwhile. Holds at most 16 events:
   * handlers wait with their progress for a slow reader. Ends with what was
   * raised, after all calls have finished; interrupting it interrupts them.
   */
  readonly stream: (calls: ReadonlyArray<ToolCall>) => Stream.Stream<RunEvent<Tools>, RaisedBy<Tools> | E, R>
  /**
   * Calls a tool from the program, by name and typed parameters, through the
   * same pipeline. Gives the handler's value; fails with the tool's failure, or
   * with `ToolCallError` when the call ended otherwise.
   */
  readonly call: <Name extends keyof Tools & string>(
    name: Name,
    parameters: VisibleParameters<Tools[Name]>
  ) => Effect.Effect<Tool.Success<Tools[Name]>, Tool.Failure<Tools[Name]> | ToolCallError | E, R>
}

/**
 * Runs the calls of a toolset. Where tools have hidden fields, its operations
 * require a `CallContext` with their values: begin with `forRun`, or wrap the effect
 * in `CallContext.provide`.
 *
 * @category models
 */
export interface Runner<Tools, R = never, E = never> extends Operations<Tools, R | NeededContext<Tools>, E> {
  /**
   * The same runner for one run: with its call context, its names on offer, its
   * id in the journal. It remembers what it has run, so a call that comes again
   * is replayed and not run twice.
   */
  readonly forRun: (options: RunOptions<Tools>) => Run<Tools, R, E>
}

/**
 * What of a deferred call an answer names; all of it is JSON. The arguments are
 * needed only where a person changed them before a client was asked.
 *
 * @category models
 */
export interface Waiting<Name extends string = string> extends Pick<
  Outcome.Deferred<Name>,
  "call" | "name" | "digest"
> {
  /** The request that is answered: a run that was given an id takes no other's. Unless given, the caller vouches for it. */
  readonly requestId?: string
  readonly arguments?: unknown
  /** What was asked for as input. Without a journal, nothing else says it in another process. */
  readonly input?: unknown
}

/** What may answer a deferred call of one of these tools. */
type Answer<Tools> = Tools extends DynamicTools ? Response.Response : Response.To<Tools, keyof Tools & string>

/**
 * The calls of one turn, added one by one while a model still streams them.
 * They run side by side and wait for sequential tools as those of `runAll` do.
 *
 * @category models
 */
export interface Batch<Tools, R = never, E = never> {
  /** Begins a call as soon as it may begin; does not wait for its end. */
  readonly add: (call: ToolCall) => Effect.Effect<void, never, R>
  /** Waits until all calls that were added have ended. */
  readonly settled: Effect.Effect<void, E>
  /** Interrupts the calls that still run, and gives one outcome for each call, in the order they were added. */
  readonly close: Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>>
}

/**
 * A runner for one run, which remembers what it has run.
 *
 * @category models
 */
export interface Run<Tools, R = never, E = never> extends Operations<Tools, R, E> {
  /**
   * Goes on with a deferred call: what was approved runs once, however often it
   * is resumed; what was denied never runs. The approval rule is asked again,
   * and what it denies by now is `Denied`. A response that does not answer what
   * waits is a `ResponseError`, and changes nothing; no watcher hears of it.
   */
  readonly resume: <Name extends string>(
    deferred: Waiting<Name>,
    response: Response.To<Tools, Name>,
    watcher?: Watcher<Tools>
  ) => Effect.Effect<OutcomeOf<Tools>, RaisedBy<Tools> | ResponseError | E, R>
  /**
   * Fails as `resume` would refuse the response, and does nothing else: nothing
   * is run, recorded, measured or traced. So a program can refuse a set of
   * responses as a whole before it resumes with the first. The approval rule is
   * asked. What `resume` would give an outcome for (a tool that is no longer
   * offered, a rule that denies) is no refusal.
   */
  readonly check: <Name extends string>(
    deferred: Waiting<Name>,
    response: Response.To<Tools, Name>
  ) => Effect.Effect<void, ResponseError | E, R>
  /**
   * Tells what `run` would make of a call before it begins it: `Allow` where it
   * would begin (or replay) it, `Deferred` where a person or a client is asked,
   * else the outcome that the call would end as. Nothing is run, recorded,
   * measured or traced, and no limit is looked at. The approval
   * rule is asked.
   *
   * A `Deferred` can be given to `resume` as if `run` had ended with it.
   */
  readonly preview: (call: ToolCall) => Effect.Effect<Allow | OutcomeOf<Tools>, E, R>
  /**
   * Tells what a call of this run asks now, where it waits for input: `undefined`
   * where it asks nothing. Nothing is run.
   */
  readonly asks: (call: ToolCall) => Effect.Effect<Outcome.Deferred | undefined, JournalError | E, R>
  /**
   * As `preview`, and keeps the id of the request that a person is asked: in the
   * policy's journal, or else in this runner. It is for a host
   * whose answer names nothing but the call's id; `lastAsk` tells what such an
   * answer is an answer to.
   */
  readonly ask: (call: ToolCall) => Effect.Effect<Allow | OutcomeOf<Tools>, E, R>
  /**
   * The `requestId` of what a person was asked last, by `ask`, under this call id
   * in a run of this id. Give it to `resume`, which refuses it for other arguments
   * or other hidden values. `undefined`: no one was asked, so nothing is approved.
   */
  readonly lastAsk: (callId: string) => Effect.Effect<string | undefined, JournalError>
  /**
   * Answers the deferred calls among these outcomes, one after the other in
   * their order, and puts the outcomes they come to in their places. Ends with
   * the first response that is refused; what was answered before it stands, and
   * is replayed when it is answered again.
   */
  readonly resumeAll: <E2 = never, R2 = never>(
    outcomes: ReadonlyArray<OutcomeOf<Tools>>,
    answer: (
      deferred: Extract<OutcomeOf<Tools>, { readonly _tag: "Deferred" }>
    ) => Answer<Tools> | Effect.Effect<Answer<Tools>, E2, R2>
  ) => Effect.Effect<ReadonlyArray<OutcomeOf<Tools>>, RaisedBy<Tools> | ResponseError | E | E2, R | R2>
  /**
   * Opens a batch for calls that come one by one, as `settle` runs those that
   * come together. Close it: its calls live until then.
   */
  readonly openBatch: (watcher?: Watcher<Tools>) => Effect.Effect<Batch<Tools, R, E>, E, R>
  /** The same run with other names on offer, or more context. */
  readonly forRun: (options: NestedRunOptions<Tools>) => Run<Tools, R, E>
}

/**
 * A runner as a service, for code that does not name the toolset's type: its
 * tools are dynamic to it, a raised failure is wrapped.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const RunnerLive = ToolRunner.layer(Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }]))
 * const program = Effect.flatMap(ToolRunner.ToolRunner, (runner) => runner.run(ToolCall.make("call_1", "greet", {})))
 * Effect.runPromise(Effect.provide(program, RunnerLive)).then((outcome) => assert.strictEqual(Outcome.text(outcome), "Hello"))
 * ```
 *
 * @category services
 */
export class ToolRunner extends Context.Tag("@wield/core/ToolRunner")<
  ToolRunner,
  Runner<DynamicTools, never, RaisedFailure | ToolsetError>
>() {}

/**
 * A runner for a toolset under a policy. Fails with `ToolNameCollision` when two
 * tools have one name, one of yours and `read_result` of a result bound among
 * them, and with `InvalidPolicy` when a limit, a bound or a rule is invalid.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Approval, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "refund", execute: () => Effect.succeed("refunded") }])
 *   const runner = yield* ToolRunner.make(toolset, { approval: () => Approval.ask("it moves money") })
 *   const run = runner.forRun({ id: "conversation_7" })
 *   const waiting = yield* run.runAll([ToolCall.make("call_1", "refund", '{"order":"A1"}')])
 *   return yield* run.resumeAll(waiting, () => Response.approve)
 * })
 * Effect.runPromise(program).then((outcomes) => assert.deepStrictEqual(outcomes.map(Outcome.text), ["refunded"]))
 * ```
 *
 * @category constructors
 */
export const make = <Tools, R, E>(
  toolset: Toolset<Tools, R, E>,
  policy: Policy<NoInfer<Tools>> = {}
): Effect.Effect<Runner<Tools, R, E>, E | ToolsetError> => makeRunner(toolset, policy)

/**
 * The `ToolRunner` service from an effect that makes a toolset, under a policy
 * or an effect that makes one. What requests need is taken from the Layer's
 * context; handlers live as long as the Layer. The class `ToolRunner` shows how
 * it is used.
 *
 * @category layers
 */
export const layer = <Tools, R, E, E2, R2, E3 = never, R3 = never>(
  toolset: Effect.Effect<Toolset<Tools, R, E>, E2, R2>,
  policy: Policy<NoInfer<Tools>> | Effect.Effect<Policy<NoInfer<Tools>>, E3, R3> = {}
): Layer.Layer<ToolRunner, E | E2 | E3 | ToolsetError, R | R2 | R3> =>
  Layer.effect(
    ToolRunner,
    Effect.gen(function* () {
      const context = withoutCallContext(yield* Effect.context<R>())
      orThrow(anEffect(toolset), "What `ToolRunner.layer` is made of")
      const decided = Effect.isEffect(policy) ? yield* policy : policy
      const runner = yield* makeRunner(yield* toolset, decided, {
        wrap: (failure) => new RaisedFailure({ failure }),
        // The request's services are laid over those that the Layer captured.
        provide: (effect) => Effect.mapInputContext(effect, (input) => Context.merge(context, input))
      })
      // What it requires is provided and what it raises is wrapped; its outcomes are outcomes whatever their types.
      return runner as unknown as ToolRunner["Type"]
    })
  )

const anEffect = holds("an effect of a toolset, such as `Toolset.fromToolkit(…)`", Effect.isEffect)

/**
 * A program that knows promises, as it runs calls.
 *
 * @category models
 */
export interface PromiseHost {
  /** Has the services, the clock, the logger and the tracer, and does not end before its calls. */
  readonly fiber: RuntimeFiber<unknown, unknown>
  readonly run: <A>(effect: Effect.Effect<A, unknown>) => Promise<A>
  /** Hears once that what runs is to end, and with what to reject; at once where that is so already. Gives what forgets it. */
  readonly onInterrupt: (interrupt: (reason: unknown) => void) => () => void
}

/**
 * What a program that knows promises asks of a run.
 *
 * @category models
 */
export interface ByPromise {
  /** As `settle` of the run. */
  readonly settle: (calls: ReadonlyArray<ToolCall>, watcher?: Watcher) => Promise<ReadonlyArray<Outcome.Outcome>>
  /** As `call` of the run. Rejects with the failure itself. */
  readonly call: (name: string, parameters: unknown) => Promise<unknown>
}

/**
 * A run for a program that knows promises. Calls of ordinary functions
 * (`Handler.fromFunction`) take no fiber there, unless a part of the policy or
 * of the toolset is an effect: a tracer, a journal elsewhere, tools that
 * change. What they come to is the same.
 *
 * @category conversions
 */
export const byPromise = (run: Run<DynamicTools, never, unknown>, host: PromiseHost): ByPromise =>
  runByPromise(run, host)
