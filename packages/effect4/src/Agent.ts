/**
 * The loop around a model: it is asked, its calls are run, their results go
 * back, until it has answered, a person has to be asked, or a limit is reached.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Types from "effect/Types"
import type { Values } from "./CallContext.js"
import type { ContextWindow } from "./ContextWindow.js"
import type { Conversation, Entry, StoreError } from "./Conversation.js"
import type { Answer, DeferredCall } from "./DeferredCall.js"
import type { AgentError, AnswerError, JournalError, ModelError, Tagged, ToolsetError } from "./Errors.js"
import type * as Ai from "./internal/effectAi.js"
import { agentToolset, checkAgent, makeAgent, runAgent, streamAgent } from "./internal/agents.js"
import type { Model } from "./Model.js"
import type { Policy } from "./Policy.js"
import type { Response } from "./Response.js"
import type { Stop } from "./Stop.js"
import type { ToolCall } from "./ToolCall.js"
import type { OutcomeOf, RaisedBy } from "./ToolRunner.js"
import type { ContextOf, DynamicTools, Toolset } from "./Toolset.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * An agent: a model, a toolset, and what is decided about both.
 *
 * @category models
 */
export interface Agent<out Tools, out Output = string, out R = never> {
  readonly [TypeId]: {
    readonly _Tools: Types.Covariant<Tools>
    readonly _Output: Types.Covariant<Output>
    readonly _R: Types.Covariant<R>
  }
  readonly name: string
}

/**
 * What `prepare` knows of the next step.
 *
 * @category models
 */
export interface Step {
  /** 1 for the first turn of the run. */
  readonly number: number
  readonly model: Model
  readonly instructions: string | undefined
  readonly entries: ReadonlyArray<Entry>
  readonly usage: Usage
}

/** Any name, where only the run time knows them all. */
type ToolName<Tools> = Tools extends DynamicTools ? string : keyof Tools & string

/**
 * What `prepare` changes, for one step.
 *
 * @category models
 */
export interface Changes<Name extends string = string> {
  readonly model?: Model | undefined
  readonly instructions?: string | undefined
  /**
   * The tools on offer; others cannot be called in this step. Write `as const`
   * behind names that the compiler takes for any string.
   */
  readonly offered?: ReadonlyArray<Name> | undefined
}

/**
 * How an agent is made.
 *
 * @category models
 */
export interface Config<Tools, R, Output, InstructionsR, PrepareR, AnswerR> {
  readonly model: Model
  /** Names the agent in traces. */
  readonly name?: string | undefined
  /** None unless given. */
  readonly toolset?: Toolset<Tools, R> | undefined
  readonly policy?: Policy<NoInfer<Tools>> | undefined
  /**
   * Shows the model the `pinned` tools and one that searches all others, instead of all: for agents of many tools. What
   * was found can be called for the rest of the conversation: by the tool `call_tool`, or as further tools (`activation`).
   */
  readonly search?:
    | {
        /** The tools that the model is always shown. None unless given. */
        readonly pinned?: ReadonlyArray<NoInfer<ToolName<Tools>>> | undefined
        /** How many a search finds at most. 5 unless given. */
        readonly limit?: number | undefined
        /** Requests in a user's words, by the tool that is right for them: nothing helps more. */
        readonly requests?: { readonly [Tool in NoInfer<ToolName<Tools>>]?: ReadonlyArray<string> } | undefined
        /** How the model is shown what was found. `call-through` unless given. */
        readonly form?: "call-through" | "activation" | undefined
      }
    | undefined
  /** The system text; an Effect runs before each step, with the call context of the run. */
  readonly instructions?: string | Effect.Effect<string, never, InstructionsR> | undefined
  /** When to stop before the model has answered: `Stop.steps(20)` unless given. */
  readonly stop?: Stop<NoInfer<ToolName<Tools>>> | undefined
  /** Changes the step to come: its model, instructions, tools. It has the call context of the run. */
  readonly prepare?: ((step: Step) => Effect.Effect<Changes<NoInfer<ToolName<Tools>>>, never, PrepareR>) | undefined
  /** What of a long conversation the model is shown. Everything unless given. */
  readonly window?: ContextWindow | undefined
  /** How many mistakes the model may make: with one tool in a row (3 unless given), and in a run (10 unless given). */
  readonly mistakes?: { readonly perTool?: number | undefined; readonly total?: number | undefined } | undefined
  /** What the model must answer with. It is given a tool for it, whose call ends the run. */
  readonly output?: Schema.Codec<Output, unknown> | undefined
  /** Whom to ask at once about a call that waits. `undefined` leaves it waiting: the run pauses. */
  readonly answer?: ((request: DeferredCall) => Effect.Effect<Response | undefined, never, AnswerR>) | undefined
  /** Signs the requests of a paused run, and takes answers only to those it has signed. */
  readonly signing?:
    | {
        readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
        readonly timeToLive?: Duration.Input | undefined
      }
    | undefined
  /** Whether a call begins while the model still streams. */
  readonly startEarly?: "always" | "safe" | "never" | undefined
  /** How often in a row a response that broke off is asked for again. 2 unless given. */
  readonly retries?: number | undefined
}

/**
 * What a run is given. Without a prompt the conversation goes on where it is.
 *
 * @category models
 */
export type Input<Tools, CE = never> = {
  readonly prompt?: string | undefined
  /** Names the prompt's entry: given again, after a crash, it is not added again. */
  readonly promptId?: string | undefined
  /** A new one in memory unless given. */
  readonly conversation?: Conversation<CE> | undefined
  /** Answers to the requests of a paused run. */
  readonly answers?: ReadonlyArray<Answer> | undefined
  /**
   * Asked between the steps for messages that have come meanwhile, for the
   * model's next turn. A message is taken once: it may give all of them each time.
   */
  readonly inbox?: Effect.Effect<ReadonlyArray<{ readonly id: string; readonly content: string }>> | undefined
} & ([keyof ContextOf<Tools>] extends [never]
  ? { readonly context?: Values | undefined }
  : { readonly context: ContextOf<Tools> & Values })

/** A prompt alone, where nothing else is needed. */
type Prompt<Tools> = [keyof ContextOf<Tools>] extends [never] ? string : never

/**
 * Tokens, where the model tells.
 *
 * @category models
 */
export interface Usage {
  readonly input: number | undefined
  readonly output: number | undefined
  readonly reasoning: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
}

interface Ended<CE> {
  readonly conversation: Conversation<CE>
  readonly entries: ReadonlyArray<Entry>
  /** The text of the model's last turn. */
  readonly text: string
  /** How many turns the model took in this run. */
  readonly steps: number
  readonly usage: Usage
}

/**
 * How a run ended: the model has answered; calls wait, as JSON, for answers
 * that the next run is given; or a limit was reached.
 *
 * @category models
 */
export type AgentResult<Output = string, CE = never> =
  | (Ended<CE> & { readonly _tag: "Finished"; readonly output: Output })
  | (Ended<CE> & { readonly _tag: "Paused"; readonly requests: ReadonlyArray<DeferredCall> })
  | (Ended<CE> & { readonly _tag: "Stopped"; readonly by: string })

/**
 * What a run tells while it goes on.
 *
 * @category models
 */
export type AgentEvent<Tools = DynamicTools, Output = unknown, CE = unknown> =
  | { readonly _tag: "TurnStarted"; readonly step: number; readonly entry: string; readonly model: string }
  | { readonly _tag: "TextDelta" | "ReasoningDelta" | "RefusalDelta"; readonly text: string }
  | { readonly _tag: "CallAnnounced"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly _tag: "ArgumentsDelta"; readonly index: number; readonly text: string }
  | { readonly _tag: "CallStarted"; readonly call: ToolCall }
  | { readonly _tag: "CallProgress"; readonly call: ToolCall; readonly value: unknown }
  | { readonly _tag: "CallFinished"; readonly call: ToolCall; readonly outcome: OutcomeOf<Tools> }
  | {
      readonly _tag: "TurnBroken"
      readonly step: number
      readonly entry: string
      readonly error: Error
      readonly isRetried: boolean
    }
  | { readonly _tag: "TurnFinished"; readonly step: number; readonly entry: string }
  | { readonly _tag: "MessageTaken"; readonly entry: string }
  | { readonly _tag: "UsageKnown"; readonly usage: Usage; readonly total: Usage }
  | { readonly _tag: "Done"; readonly result: AgentResult<Output, CE> }

/**
 * How a run can fail.
 *
 * @category errors
 */
export type RunError<Tools, CE = never> =
  | AgentError
  | AnswerError
  | ModelError
  | JournalError
  | StoreError
  | ToolsetError
  | Tagged<"AppendConflict">
  | Tagged<"EntryIdTaken">
  | RaisedBy<Tools>
  | CE

/**
 * Makes an agent.
 *
 * @category constructors
 */
export const make = <Tools = {}, R = never, Output = string, InstructionsR = never, PrepareR = never, AnswerR = never>(
  config: Config<Tools, R, Output, InstructionsR, PrepareR, AnswerR>
): Effect.Effect<Agent<Tools, Output, R | InstructionsR | PrepareR | AnswerR>, ToolsetError | Tagged<"InvalidAgent">> =>
  makeAgent(config)

/**
 * Whether a run would take these answers: it fails as the run would, and changes
 * nothing. For a handler that has to say so before a stream begins, by status
 * 409. An answer that was taken before is fine.
 *
 * @category running
 */
export const check = <Tools, Output, R, CE = never>(
  agent: Agent<Tools, Output, R>,
  input: {
    readonly conversation: Conversation<CE>
    readonly answers: ReadonlyArray<Answer>
    readonly context?: Values | undefined
  }
): Effect.Effect<void, AnswerError | CE, R> => checkAgent(agent, input)

/**
 * Why a sub-agent gave no answer, as the model that called it reads it.
 *
 * @category errors
 */
export interface SubAgentFailed extends Tagged<"SubAgentFailed"> {
  readonly agent: string
  readonly reason: string
}

/**
 * A toolset of one tool, by which another agent's model gives this one a task.
 * Each call is a conversation of its own, with this agent's tools and limits.
 * It answers with the agent's output, or fails with `SubAgentFailed`.
 *
 * Calls that wait are answered by the agent's own `answer` or that of the agent
 * that calls it. Without one the whole run pauses: its requests have those of
 * the sub-agent, `within` the call that runs it, and the answers lead back into
 * it, in another process too, where both have one journal.
 *
 * What the agent requires, each call of the tool does.
 *
 * @category combinators
 */
export const toToolset = <const Name extends string, Tools, Output, R>(
  agent: Agent<Tools, Output, R>,
  options: {
    readonly name: Name
    readonly description: string
    /** What the task is called, and what a good one says. */
    readonly task?: string | undefined
  }
): Effect.Effect<Toolset<{ readonly [K in Name]: Ai.AgentTool<K, Output, SubAgentFailed> }, R>, ToolsetError> =>
  agentToolset(agent, options)

/**
 * Runs an agent until it has answered, waits for a person, or stops.
 * Interrupting it interrupts the model and the tools, and leaves a conversation
 * that can be gone on with.
 *
 * @category running
 */
export const run = <Tools, Output, R, CE = never>(
  agent: Agent<Tools, Output, R>,
  input: Input<Tools, CE> | Prompt<Tools>
): Effect.Effect<AgentResult<Output, CE>, RunError<Tools, CE>, R> => runAgent(agent, input)

/**
 * The same as a stream of what happens; its last event is `Done` with the
 * result. The run waits for a slow reader, and is interrupted when it leaves.
 *
 * @category running
 */
export const stream = <Tools, Output, R, CE = never>(
  agent: Agent<Tools, Output, R>,
  input: Input<Tools, CE> | Prompt<Tools>
): Stream.Stream<AgentEvent<Tools, Output, CE>, RunError<Tools, CE>, R> => streamAgent(agent, input)
