/**
 * An agent as the loop needs it: everything decided, types erased. The type of
 * the agent, which the caller checked them by, puts them on again.
 */
import type { Json, Policy, Quota, Response, ToolCall, ToolRunner, Toolset, Turn } from "@wield/core"
import type { WireFormat } from "@wield/providers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import type { Changes, Step } from "./input.js"
import type { AgentEvent } from "../AgentEvent.js"
import type { ContextWindow } from "../ContextWindow.js"
import type { DeferredCall } from "../DeferredCall.js"
import type { Model } from "../Model.js"
import type { Stop } from "../Stop.js"
import type { OneAtATime } from "../conversation/oneAtATime.js"
import type { Discovery } from "./discovery.js"
import type { HoldingJournal } from "./heldWrites.js"

export type Run = ToolRunner.Run<Toolset.DynamicTools, never, unknown>

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

/** What spans say of an agent beside its name. */
export interface About {
  readonly id?: string | undefined
  readonly description?: string | undefined
  readonly version?: string | undefined
}

export interface Plan {
  readonly name: string
  readonly about: About | undefined
  readonly observe: Policy.Policy["observe"]
  readonly guards: Policy.Policy["guards"]
  readonly quotas: Policy.Policy["quotas"]
  /** Where quotas are counted. */
  readonly counts: Quota.Counts
  readonly model: Model
  readonly forRun: (options: { readonly id: string; readonly context: unknown }) => Run
  readonly oneAtATime: OneAtATime
  /** What the runner writes to, where the policy has a journal. */
  readonly journal: HoldingJournal | undefined
  readonly instructions: Effect.Effect<string | undefined, unknown> | undefined
  readonly stop: Stop
  readonly mistakes: { readonly perTool: number; readonly total: number }
  readonly prepare: ((step: Step) => Effect.Effect<Changes, unknown>) | undefined
  readonly output: FinalOutput | undefined
  /** Where the model is shown a part of the tools and finds the others. */
  readonly discovery: Discovery | undefined
  readonly window: ContextWindow
  readonly answer: ((request: DeferredCall) => Effect.Effect<Response.Response | undefined, unknown>) | undefined
  readonly signing: Signing | undefined
  readonly whenInterrupted: "forget" | "keep"
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

/** What a run hands down to the runs within it: where usage is counted, and whom to ask about calls that wait. */
export interface Inherited {
  readonly isWithin: boolean
  /** The ids of the conversations that the runs around this one are of. */
  readonly conversations: ReadonlySet<string>
  readonly use: (model: string, usage: Turn.Usage) => void
  readonly answer: ((request: DeferredCall) => Effect.Effect<Response.Response | undefined, unknown>) | undefined
}

const nothing: Inherited = { isWithin: false, conversations: new Set(), use: () => {}, answer: undefined }

export class Outer extends Context.Reference<Outer>()("@wield/agent/Outer", {
  defaultValue: (): Inherited => nothing
}) {}
