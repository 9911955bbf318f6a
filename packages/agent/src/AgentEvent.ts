/** What a run tells while it goes on. */
import type { ToolCall, ToolRunner, Toolset, Turn } from "@wield/core"
import type { AgentResult } from "./AgentResult.js"
import type { ModelError } from "./ModelError.js"

/**
 * What a run tells while it goes on.
 *
 * - `TurnStarted`: the model is asked. `entry` is the id that its message will have.
 * - `TextDelta`, `ReasoningDelta`, `RefusalDelta`: more text of that kind.
 * - `CallAnnounced`: the model begins to write a call.
 * - `ArgumentsDelta`: more argument text of an announced call.
 * - `CallStarted`, `CallProgress`, `CallFinished`: a call on its way through the
 *   runner; calls run side by side, so that their events interleave. A call that
 *   waits for a person finishes as `Deferred`, and again when it was answered.
 * - `TurnBroken`: the model's response broke off; `isRetried` says whether it is
 *   asked again. Text that came before is not part of the conversation.
 * - `TurnFinished`: the turn and the outcomes of its calls are recorded.
 * - `MessageTaken`: a message of the inbox is recorded, as the entry of this id.
 * - `UsageKnown`: what the turn took, and the total of the run, sub-agents included.
 * - `Done`: always last, unless the run fails.
 *
 * @category models
 */
export type AgentEvent<Tools = Toolset.DynamicTools, Output = unknown, CE = unknown> =
  | { readonly _tag: "TurnStarted"; readonly step: number; readonly entry: string; readonly model: string }
  | { readonly _tag: "TextDelta"; readonly text: string }
  | { readonly _tag: "ReasoningDelta"; readonly text: string }
  | { readonly _tag: "RefusalDelta"; readonly text: string }
  | { readonly _tag: "CallAnnounced"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly _tag: "ArgumentsDelta"; readonly index: number; readonly text: string }
  | { readonly _tag: "CallStarted"; readonly call: ToolCall.ToolCall }
  | { readonly _tag: "CallProgress"; readonly call: ToolCall.ToolCall; readonly value: unknown }
  | {
      readonly _tag: "CallFinished"
      readonly call: ToolCall.ToolCall
      readonly outcome: ToolRunner.OutcomeOf<Tools>
    }
  | { readonly _tag: "TurnBroken"; readonly step: number; readonly error: ModelError; readonly isRetried: boolean }
  | {
      readonly _tag: "TurnFinished"
      readonly step: number
      readonly entry: string
      readonly turn: Turn.Turn
      readonly outcomes: ReadonlyArray<ToolRunner.OutcomeOf<Tools>>
    }
  | { readonly _tag: "MessageTaken"; readonly entry: string }
  | { readonly _tag: "UsageKnown"; readonly usage: Turn.Usage; readonly total: Turn.Usage }
  | { readonly _tag: "Done"; readonly result: AgentResult<Output, CE> }
