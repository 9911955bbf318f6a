/**
 * The loop around a model: it is asked, its calls are run, their results go
 * back, until it has answered, a person has to be asked, or a limit is reached.
 *
 * Most of the file is types and their documentation; what they stand for is
 * made under `loop/`.
 */
import * as Tool from "@effect/ai/Tool"
import * as Toolkit from "@effect/ai/Toolkit"
import type { Policy, Response, ToolsetError } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import type { NeedsInput } from "@wield/core/NeedsInput"
import { CurrentCounts } from "@wield/core/Quota"
import * as ToolRunner from "@wield/core/ToolRunner"
import * as Toolset from "@wield/core/Toolset"
import type { WireFormat } from "@wield/providers"
import * as Context from "effect/Context"
import type { Redacted, Types } from "effect"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Mailbox from "effect/Mailbox"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { AgentError, InvalidAgent } from "./AgentError.js"
import type { AgentEvent } from "./AgentEvent.js"
import type { AgentResult } from "./AgentResult.js"
import type { AnswerError } from "./AnswerError.js"
import * as ContextWindow from "./ContextWindow.js"
import { makeOneAtATime } from "./conversation/oneAtATime.js"
import type { AppendConflict, EntryIdTaken } from "./ConversationError.js"
import type { Conversation } from "./Conversation.js"
import type { Answer, DeferredCall } from "./DeferredCall.js"
import { checkAnswers } from "./loop/answers.js"
import { checkInput, checkRunOptions, checkToolNames, checkToolOptions, invalidConfig } from "./loop/config.js"
import { callTool, makeDiscovery, type SearchForm, type SearchOptions, searchTool } from "./loop/discovery.js"
import { HoldingJournal } from "./loop/heldWrites.js"
import {
  type Changes,
  type InboxMessage,
  type Input,
  type NeedsNoContext,
  type Step,
  type ToolName
} from "./loop/input.js"
import * as AcrossProcesses from "./loop/acrossProcesses.js"
import { loop } from "./loop/loop.js"
import { outputTool, withoutApproval } from "./loop/outputTool.js"
import { type Emit, type Plan, type Run, silent } from "./loop/plan.js"
import type { Result } from "./loop/result.js"
import { runWithin, SubAgentFailed } from "./loop/subAgent.js"
import type { Model } from "./Model.js"
import type { ModelError } from "./ModelError.js"
import * as Stop from "./Stop.js"

/**
 * @category type ids
 */
export const TypeId: unique symbol = Symbol.for("@wield/agent/Agent")

/**
 * An agent: a model, a toolset, and what is decided about both. `Tools` are its
 * tools, `Output` is what it answers with, `R` what a run must provide, `E` how a
 * run can fail beyond what every run can.
 *
 * @category models
 */
export interface Agent<out Tools, out Output = string, out R = never, out E = never> {
  readonly [TypeId]: {
    readonly _Tools: Types.Covariant<Tools>
    readonly _R: Types.Covariant<R>
    readonly _E: Types.Covariant<E>
    readonly _Output: Types.Covariant<Output>
    readonly plan: Plan
    /** Of the final output; absent where that is text. */
    readonly outputSchema: Schema.Schema.All | undefined
  }
  readonly name: string
}

export {
  /**
   * What `prepare` knows of the next step.
   *
   * @category models
   */
  type Step,
  /**
   * What `prepare` changes, for one step.
   *
   * @category models
   */
  type Changes,
  /**
   * What a user says while a run goes on.
   *
   * @category models
   */
  type InboxMessage,
  /**
   * What a run is given. `context` is required where tools have hidden fields.
   * Without a prompt the conversation goes on where it is: with calls that a
   * process did not live to finish, with the model's next turn.
   *
   * @category models
   */
  type Input,
  /**
   * How an agent's tools are found.
   *
   * @category models
   */
  type SearchOptions,
  /**
   * How a model is shown what a search has found.
   *
   * @category models
   */
  type SearchForm,
  /**
   * Why a sub-agent gave no answer, as the model that called it reads it. What kind
   * of error it was is in the log.
   *
   * @category errors
   */
  SubAgentFailed
}

/**
 * How an agent is made.
 *
 * @category models
 */
export interface Config<
  Tools,
  R,
  E,
  Output,
  Encoded,
  InstructionsE,
  InstructionsR,
  PrepareE,
  PrepareR,
  AnswerE,
  AnswerR
> {
  readonly model: Model
  /** Names the agent in traces. `agent` unless given. */
  readonly name?: string | undefined
  /** What traces say of it as well: `gen_ai.agent.id`, `gen_ai.agent.description`, `gen_ai.agent.version`. */
  readonly about?:
    | {
        readonly id?: string | undefined
        readonly description?: string | undefined
        readonly version?: string | undefined
      }
    | undefined
  /** None unless given. */
  readonly toolset?: Toolset.Toolset<Tools, R, E> | undefined
  readonly policy?: Policy.Policy<NoInfer<Tools>> | undefined
  /** The system text; an Effect runs before each step, with the call context of the run. */
  readonly instructions?: string | Effect.Effect<string, InstructionsE, InstructionsR> | undefined
  /**
   * Shows the model the `pinned` tools and one that searches all others, instead of all: for agents of many tools. What
   * was found can be called for the rest of the conversation, directly where the API takes found tools (`form`), elsewhere
   * by the tool `call_tool`; either way it is the found tool's call. What was sent before stays, so that a provider's cache holds.
   */
  readonly search?: SearchOptions<NoInfer<ToolName<Tools>>> | undefined
  /** When to stop before the model has answered. `Stop.steps(20)` unless given. */
  readonly stop?: Stop.Stop<NoInfer<ToolName<Tools>>> | undefined
  /**
   * How many mistakes (invalid arguments, unknown tools) the model may make: with
   * one tool in a row (3 unless given), and in a run (10 unless given). With one
   * more the run fails with `TooManyMistakes`.
   */
  readonly mistakes?: { readonly perTool?: number | undefined; readonly total?: number | undefined } | undefined
  /** Changes the step to come: its model, instructions, tools, choice, settings. It has the call context of the run. */
  readonly prepare?: ((step: Step) => Effect.Effect<Changes<NoInfer<Tools>>, PrepareE, PrepareR>) | undefined
  /**
   * What the model must answer with. It is given a tool for it, whose call ends
   * the run; text is not an answer then.
   */
  readonly output?: Schema.Schema<Output, Encoded> | undefined
  /** Names and describes the tool for the final output; `final_answer` unless given. */
  readonly outputTool?: { readonly name?: string | undefined; readonly description?: string | undefined } | undefined
  /** What of a long conversation the model is shown. Everything unless given. */
  readonly window?: ContextWindow.ContextWindow | undefined
  /**
   * Whom to ask at once about a call that waits, such as the person at the
   * terminal. `undefined` leaves it waiting: the run pauses. Sub-agents ask the
   * same unless they have their own.
   */
  readonly answer?:
    | ((request: DeferredCall) => Effect.Effect<Response.Response | undefined, AnswerE, AnswerR>)
    | undefined
  /**
   * Signs the requests of a paused run, and takes answers only to those it has
   * signed: for requests, or whole conversations, that pass through a client.
   */
  readonly signing?:
    | {
        /** The first signs, all verify, so that a secret can be changed while calls wait. */
        readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
        /** How long a request can be answered. Without end unless given. */
        readonly timeToLive?: Duration.DurationInput | undefined
      }
    | undefined
  /**
   * Whether a call begins while the model still streams: `always`; `safe`, only
   * calls of read-only tools; or `never`. Unless given, `safe` where the
   * conversation outlives the process, `always` otherwise: a turn that was lost
   * with its process comes again as another one, its calls under other
   * idempotency keys.
   */
  readonly startEarly?: "always" | "safe" | "never" | undefined
  /**
   * What becomes of the words of an answer that an interruption ends, as when a
   * person stops it or leaves. `keep`: they stay in the conversation, marked
   * (`turn.isStopped`), and the model is shown that it was stopped there. `forget` unless given.
   */
  readonly whenInterrupted?: "forget" | "keep" | undefined
  /** How the tools are offered: choice, parallel calls, strictness, caching. */
  readonly options?: WireFormat.ToolsOptions | undefined
  /** Keys of the provider's request body (temperature, …), as its API spells them. */
  readonly settings?: Json.JsonObject | undefined
  /** How often in a row a response that broke off is asked for again. 2 unless given. */
  readonly retries?: number | undefined
}

/** A prompt alone, where nothing else is needed. */
type Prompt<Tools> = NeedsNoContext<Tools> extends true ? string : never

/**
 * How a run can fail: the model, the conversation and its store, an answer that
 * answers nothing, too many mistakes, and what tools of failureMode "error"
 * raise.
 *
 * @category errors
 */
export type RunError<Tools, E = never, CE = never> =
  | AgentError
  | AnswerError
  | AppendConflict
  | EntryIdTaken
  | ModelError
  | ToolRunner.RaisedBy<Tools>
  | E
  | CE

/**
 * Makes an agent. Fails as `ToolRunner.make` does, and with `ToolNameCollision`
 * when a tool has the name of the tool for the final output.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent } from "@wield/agent"
 * import { Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("now"), ScriptedModel.text("Noon."), ScriptedModel.text("Bye.")])
 *   const toolset = yield* Toolset.dynamic([{ name: "now", execute: () => Effect.succeed("12:00") }])
 *   const agent = yield* Agent.make({ model, toolset, instructions: "Be brief." })
 *   const first = yield* Agent.run(agent, "What time is it?")
 *   return (yield* Agent.run(agent, { conversation: first.conversation, prompt: "Thank you." })).entries.length
 * })
 * Effect.runPromise(program).then((entries) => assert.strictEqual(entries, 6))
 * ```
 *
 * @category constructors
 */
export const make = <
  Tools = {},
  R = never,
  E = never,
  Output = string,
  Encoded = Output,
  InstructionsE = never,
  InstructionsR = never,
  PrepareE = never,
  PrepareR = never,
  AnswerE = never,
  AnswerR = never
>(
  config: Config<Tools, R, E, Output, Encoded, InstructionsE, InstructionsR, PrepareE, PrepareR, AnswerE, AnswerR>
): Effect.Effect<
  Agent<Tools, Output, R | InstructionsR | PrepareR | AnswerR, E | InstructionsE | PrepareE | AnswerE>,
  E | ToolsetError | InvalidAgent
> =>
  Effect.gen(function* () {
    const invalid = invalidConfig(config)
    if (invalid !== undefined) return yield* invalid
    const limits = {
      stop: config.stop ?? Stop.steps(20),
      mistakes: { perTool: config.mistakes?.perTool ?? 3, total: config.mistakes?.total ?? 10 },
      retries: config.retries === undefined ? 2 : config.retries
    }
    // Inside, types are erased; the agent's own type has them.
    const schema = config.output as Schema.Schema<unknown, unknown> | undefined
    const name = config.outputTool?.name ?? "final_answer"
    const description = config.outputTool?.description ?? "Gives the final answer. Call it once, at the end."
    const final = schema === undefined ? undefined : yield* outputTool(schema, name, description)
    const tools: Toolset.Any = config.toolset ?? (yield* Toolset.fromToolkit(Toolkit.empty))
    // Inside, types are erased; the agent's own type has them.
    const own = tools as Toolset.Toolset<Toolset.DynamicTools, never, E>
    // Names of typed tools are texts.
    const search = config.search as SearchOptions | undefined
    const discovery = search === undefined ? undefined : yield* makeDiscovery(search, final === undefined ? [] : [name])
    const added = [final?.toolset, discovery?.toolset].filter((one) => one !== undefined)
    const toolset = added.length === 0 ? own : Toolset.combine(own, ...added)
    // A policy of typed tools is one of tools by name.
    const given = (config.policy === undefined ? {} : config.policy) as Policy.Policy
    const free = [...(final === undefined ? [] : [name]), ...(discovery === undefined ? [] : [searchTool, callTool])]
    const isPolicy = Json.isPlain(given)
    const policy = isPolicy ? free.reduce(withoutApproval, given) : {}
    const journal = policy.journal === undefined ? undefined : new HoldingJournal(policy.journal)
    // Anything else than a policy, the runner refuses.
    const runner = yield* ToolRunner.make(toolset, isPolicy ? { ...policy, journal: journal?.service } : given)
    yield* checkToolNames(["stop"], limits.stop.tools, toolset)
    yield* checkToolNames(["search", "pinned"], search?.pinned ?? [], own)
    yield* checkToolNames(["search", "requests"], Object.keys(search?.requests ?? {}), own)
    const { instructions, signing } = config
    const plan: Plan = {
      name: config.name ?? "agent",
      about: config.about,
      observe: policy.observe,
      guards: policy.guards,
      quotas: policy.quotas,
      counts: yield* CurrentCounts,
      model: config.model,
      // The runner was made of the erased toolset.
      forRun: (options) => runner.forRun(options as { readonly id: string }) as Run,
      oneAtATime: makeOneAtATime(),
      journal,
      // What instructions, `prepare` and `answer` require and fail with stands in the type of the agent.
      instructions: (typeof instructions === "string"
        ? Effect.succeed(instructions)
        : instructions) as Plan["instructions"],
      // As above.
      prepare: config.prepare as Plan["prepare"],
      output: final?.output,
      discovery,
      window: config.window ?? ContextWindow.everything,
      // As above.
      answer: config.answer as Plan["answer"],
      signing:
        signing === undefined
          ? undefined
          : {
              secrets: signing.secrets,
              timeToLive: signing.timeToLive === undefined ? undefined : Duration.toMillis(signing.timeToLive)
            },
      whenInterrupted: config.whenInterrupted ?? "forget",
      startEarly: config.startEarly,
      options: config.options,
      settings: config.settings,
      ...limits
    }
    return {
      [TypeId]: { ...variance, plan, outputSchema: config.output },
      name: plan.name
    }
  })

const variance = {
  _Tools: (_: never) => _,
  _Output: (_: never) => _,
  _R: (_: never) => _,
  _E: (_: never) => _
}

/**
 * Runs an agent until it has answered, waits for a person, or stops.
 *
 * Interrupting it interrupts the model and the tools, and leaves a conversation
 * that can be gone on with: every call that was begun has a result in it, unless
 * the run was being handed over.
 *
 * @category running
 */
export const run = <Tools, Output, R, E, CE = never>(
  agent: Agent<Tools, Output, R, E>,
  input: Input<Tools, CE> | Prompt<Tools>,
  options?: {
    /**
     * Called with each event that `stream` has, within the run and at less cost. The run waits for an effect that it
     * returns.
     */
    readonly onEvent?: ((event: AgentEvent<Tools, Output, CE>) => Effect.Effect<void> | void) | undefined
  }
): Effect.Effect<AgentResult<Output, CE>, RunError<Tools, E, CE>, R> =>
  Effect.suspend(() => {
    checkRunOptions(options ?? {})
    // Types are erased inside.
    return runErased(agent, input, emitTo(options?.onEvent as ((event: AgentEvent) => unknown) | undefined))
    // Those of what comes out are the agent's own.
  }) as Effect.Effect<AgentResult<Output, CE>, RunError<Tools, E, CE>, R>

/** A function that returns `void` to its types may return anything. */
const emitTo = (onEvent: ((event: AgentEvent) => unknown) | undefined): Emit =>
  onEvent === undefined
    ? silent
    : (event) => {
        const waits = onEvent(event)
        // `isEffect` tells no types, and those of `onEvent` let an effect be nothing else.
        return Effect.isEffect(waits) ? (waits as Effect.Effect<void>) : undefined
      }

/**
 * The same as a stream of what happens; its last event is `Done` with the
 * result. Holds at most 64 events: the run waits for a slow reader, and is
 * interrupted when the reader leaves.
 *
 * @example
 * ```ts
 * import { Agent } from "@wield/agent"
 * import { ScriptedModel } from "@wield/testing"
 * import { Console, Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("Good morning.")]) })
 *   yield* Stream.runForEach(Agent.stream(agent, "Hello?"), ({ _tag }) => Console.log(_tag))
 * })
 * Effect.runPromise(program)
 * ```
 *
 * @category running
 */
export const stream = <Tools, Output, R, E, CE = never>(
  agent: Agent<Tools, Output, R, E>,
  input: Input<Tools, CE> | Prompt<Tools>
): Stream.Stream<AgentEvent<Tools, Output, CE>, RunError<Tools, E, CE>, R> =>
  streamOf((emit) => runErased(agent, input, emit)) as Stream.Stream<
    AgentEvent<Tools, Output, CE>,
    RunError<Tools, E, CE>,
    R
  >

/**
 * Whether a run would take these answers: it fails as the run would, and changes
 * nothing. For a handler that has to say so before a stream begins, by status
 * 409. An answer that was taken before is fine.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, DeferredCall } from "@wield/agent"
 * import { Approval, Toolset } from "@wield/core"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Paid.")])
 *   const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
 *   const paused = yield* Agent.run(agent, "Pay")
 *   if (paused._tag !== "Paused") return "nothing waits"
 *   const { conversation, requests } = paused
 *   const answers = requests.map((request) => DeferredCall.approve({ ...request, digest: "of another call" }))
 *   return (yield* Effect.flip(Agent.check(agent, { conversation, answers })))._tag
 * })
 * Effect.runPromise(program).then((tag) => assert.strictEqual(tag, "StaleResponse"))
 * ```
 *
 * @category running
 */
export const check = <Tools, Output, R, E, CE>(
  agent: Agent<Tools, Output, R, E>,
  input: Pick<Input<Tools, CE>, "context"> & {
    readonly conversation: Conversation<CE>
    readonly answers: ReadonlyArray<Answer>
  }
): Effect.Effect<void, AnswerError | E | CE, R> =>
  Effect.gen(function* () {
    const { plan } = partsOf(agent)
    checkInput(input, ["conversation", "answers"])
    const { answers, context, conversation } = input
    const entries = yield* conversation.entries
    const run = plan.forRun({ id: conversation.id, context })
    yield* checkAnswers({ conversation, entries, plan, run }, answers)
    // As for `run`: inside, types are erased.
  }) as Effect.Effect<void, AnswerError | E | CE, R>

/**
 * Whether another process is at a run of the conversation, as the journal of the agent's policy knows it: a prompt would
 * wait for its end. Without a journal, nothing is known of other processes.
 *
 * @category running
 */
export const isRunElsewhere = <Tools, Output, R, E, CE>(
  agent: Agent<Tools, Output, R, E>,
  conversation: Conversation<CE>
): Effect.Effect<boolean> => Effect.suspend(() => AcrossProcesses.isRunElsewhere(partsOf(agent).plan, conversation))

/** The types of what goes in were checked where `run` and `stream` were called. */
const runErased = (
  agent: Agent<unknown, unknown, unknown, unknown>,
  given: unknown,
  emit: Emit
): Effect.Effect<Result, unknown> =>
  Effect.suspend(() => {
    const input = typeof given === "string" ? { prompt: given } : given
    checkInput(input)
    // What `run` and `stream` take was checked there.
    return loop(partsOf(agent).plan, input as Input<{}, unknown>, emit)
  })

/** An effect of an agent is given easily in its place. */
const partsOf = <Tools, Output, R, E>(agent: Agent<Tools, Output, R, E>): Agent<Tools, Output, R, E>[typeof TypeId] => {
  if (Predicate.hasProperty(agent, TypeId)) return agent[TypeId]
  throw new TypeError(`An agent must be what \`yield* Agent.make(…)\` gives, but is ${Issue.show(agent)}`)
}

/**
 * A toolset of one tool, by which another agent's model gives this one a task.
 * Each call is a conversation of its own, with this agent's tools and limits;
 * what it uses counts in the run that calls it, and its events are the progress
 * of the call. It answers with the agent's output, or fails with
 * `SubAgentFailed`, which the calling model reads.
 *
 * Calls that wait are answered by the agent's own `answer` or that of the agent
 * that calls it. Without one the whole run pauses: its requests have
 * those of the sub-agent, `within` the call that runs it, and the answers lead
 * back into it, in another process too, where both have one journal.
 *
 * What the agent requires is taken from where the toolset is made; hidden fields
 * are those of the call context of the run that calls it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent } from "@wield/agent"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const reader = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("It is about tea.")]) })
 *   const toolset = yield* Agent.toToolset(reader, { name: "read", description: "Reads a page for you" })
 *   const model = yield* ScriptedModel.make([ScriptedModel.call("read", { task: "Page 3?" }), ScriptedModel.text("Tea.")])
 *   return yield* Agent.run(yield* Agent.make({ model, toolset }), "What is it about?")
 * })
 * Effect.runPromise(program).then(({ text }) => assert.strictEqual(text, "Tea."))
 * ```
 *
 * @category combinators
 */
export const toToolset = <const Name extends string, Tools, Output, R, E>(
  agent: Agent<Tools, Output, R, E>,
  options: {
    readonly name: Name
    readonly description: string
    /** What the task is called, and what a good one says. */
    readonly task?: string | undefined
  }
): Effect.Effect<Toolset.Toolset<{ readonly [K in Name]: SubAgent<Name, Output> }>, ToolsetError, R> =>
  Effect.gen(function* () {
    checkToolOptions(options)
    // The name's own type stands in what is returned.
    const name: string = options.name
    const { outputSchema, plan } = partsOf(agent)
    const requirements = yield* Effect.context<R>()
    const tool = Tool.make(name, {
      description: options.description,
      parameters: {
        task: Schema.String.annotations({
          description: options.task ?? "The whole task: the agent knows nothing else of this conversation."
        })
      },
      // Either text or what the agent's own schema says.
      success: (outputSchema ?? Schema.String) as Schema.Schema<Output>,
      failure: SubAgentFailed,
      failureMode: "return"
    })
    const toolkit = Toolkit.make(tool)
    const answer = ({ task }: { readonly task: string }) =>
      Effect.flatMap(CallContext.CallContext, (context) =>
        Effect.mapInputContext(
          // The plan has no types: they are those of the agent.
          runWithin(plan, name, task, context) as Effect.Effect<Output, SubAgentFailed | NeedsInput, R>,
          (input: Context.Context<never>) => Context.merge(requirements, input)
        )
      )
    // One tool, one handler of its name.
    const handlers = toolkit.toLayer({ [name]: answer } as never)
    const toolset = yield* Effect.provide(Toolset.fromToolkit(toolkit), handlers)
    // The tool was made under this name, whose own type was put aside.
    return toolset as unknown as Toolset.Toolset<{ readonly [K in Name]: SubAgent<Name, Output> }>
  })

/**
 * The tool that an agent becomes.
 *
 * @category models
 */
export type SubAgent<Name extends string, Output> = Tool.Tool<
  Name,
  {
    readonly parameters: Schema.Struct<{ task: typeof Schema.String }>
    readonly success: Schema.Schema<Output>
    readonly failure: typeof SubAgentFailed
    readonly failureMode: "return"
  }
>

/**
 * The reader takes all that waits as one chunk, since a chunk costs it more than
 * an event. With as many that wait meanwhile these are the 64 events that are held.
 */
const capacity = 32

const streamOf = (run: (emit: Emit) => Effect.Effect<unknown, unknown>): Stream.Stream<AgentEvent, unknown> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make<AgentEvent, unknown>(capacity)
      const emit: Emit = (event) => (mailbox.unsafeOffer(event) ? undefined : Effect.asVoid(mailbox.offer(event)))
      // Ends with the stream: a reader that leaves interrupts the run.
      yield* Effect.forkScoped(Mailbox.into(run(emit), mailbox))
      // Before the run is interrupted: a call that cannot be would wait for the reader without end.
      yield* Effect.addFinalizer(() => mailbox.shutdown)
      return Mailbox.toStream(mailbox)
    })
  )
