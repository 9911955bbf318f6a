/**
 * An agent as the loop needs it: everything decided, types erased. The type of
 * the agent, which the caller checked them by, puts them on again.
 */
import type { Json, Response, ToolCall, ToolRunner, Toolset, Turn } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { AgentEvent } from "../AgentEvent.js"
import type { ContextWindow } from "../ContextWindow.js"
import type { Entry } from "../Conversation.js"
import type { DeferredCall } from "../DeferredCall.js"
import type { Model } from "../Model.js"
import type { Stop } from "../Stop.js"
import type { OneAtATime } from "../conversation/oneAtATime.js"
import type { EndsJournal } from "./ends.js"

export type Run = ToolRunner.Run<Toolset.DynamicTools, never, unknown>

/** What the next turn is asked with. */
export interface Step {
  /** 1 for the first turn of the run. */
  readonly number: number
  readonly model: Model
  readonly instructions: string | undefined
  readonly entries: ReadonlyArray<Entry>
  readonly usage: Turn.Usage
}

/** What `prepare` changes of a step. */
export interface Changes {
  readonly model?: Model | undefined
  readonly instructions?: string | undefined
  readonly offered?: ReadonlyArray<string> | undefined
  readonly options?: WireFormat.ToolsOptions | undefined
  readonly settings?: Json.JsonObject | undefined
}

/** How calls that wait are signed. */
export interface Signing {
  /** The first signs; all verify, so that a secret can be changed while calls wait. */
  readonly secrets: readonly [Redacted.Redacted, ...ReadonlyArray<Redacted.Redacted>]
  /** Milliseconds. */
  readonly timeToLive: number | undefined
}

/** The tool by which a model gives its final output. */
export interface FinalOutput {
  readonly tool: string
  /** The output of what the tool answered. */
  readonly valueOf: (result: unknown) => unknown
  /** The output that a call of it gave before; none where the schema is another one now. */
  readonly read: (call: ToolCall.ToolCall) => Effect.Effect<Option.Option<unknown>>
}

export interface Plan {
  readonly name: string
  readonly model: Model
  readonly forRun: (options: { readonly id: string; readonly context: unknown }) => Run
  readonly oneAtATime: OneAtATime
  /** What the runner writes to, where the policy has a journal. */
  readonly journal: EndsJournal | undefined
  readonly instructions: Effect.Effect<string | undefined, unknown> | undefined
  readonly stop: Stop
  readonly mistakes: { readonly perTool: number; readonly total: number }
  readonly prepare: ((step: Step) => Effect.Effect<Changes, unknown>) | undefined
  readonly output: FinalOutput | undefined
  readonly window: ContextWindow
  readonly answer: ((request: DeferredCall) => Effect.Effect<Response.Response | undefined, unknown>) | undefined
  readonly signing: Signing | undefined
  readonly startEarly: "always" | "safe" | "never" | undefined
  readonly options: WireFormat.ToolsOptions | undefined
  readonly settings: Json.JsonObject | undefined
  /** How often a turn that broke off is asked for again, in a row. */
  readonly retries: number
}

/** Gives an event to the reader of a run; an effect where the run has to wait for the reader. */
export type Emit = (event: AgentEvent) => Effect.Effect<void> | undefined

/** A run without a reader. Known by identity. */
export const silent: Emit = () => undefined

export const emitLater = (emit: Emit, event: AgentEvent): Effect.Effect<void> =>
  emit === silent ? Effect.void : Effect.suspend(() => emit(event) ?? Effect.void)
