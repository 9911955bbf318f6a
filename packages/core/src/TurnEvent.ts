/**
 * What a streamed model response tells while it arrives. Every wire format
 * yields the same events; the last one carries the same turn that the
 * non-streaming response would have given.
 */
import type { CallPart, Turn, Usage } from "./Turn.js"

/**
 * One event of a streamed response. Calls that the provider runs itself have no
 * events: they are parts of the turn at the end.
 *
 * - `TextDelta`, `ReasoningDelta`, `RefusalDelta`: more text of that kind.
 * - `CallStarted`: a call begins; `index` tells parallel calls apart.
 * - `ArgumentsDelta`: more argument text of a started call.
 * - `CallComplete`: its arguments are complete: it can be run while the rest
 *   still streams.
 * - `UsageKnown`: token counts so far.
 * - `Finished`: always last, exactly once; `turn.isComplete` is false when the
 *   stream broke off.
 *
 * @category models
 */
export type TurnEvent =
  | { readonly _tag: "TextDelta"; readonly text: string }
  | { readonly _tag: "ReasoningDelta"; readonly text: string }
  | { readonly _tag: "RefusalDelta"; readonly text: string }
  | { readonly _tag: "CallStarted"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly _tag: "ArgumentsDelta"; readonly index: number; readonly text: string }
  | { readonly _tag: "CallComplete"; readonly index: number; readonly part: CallPart }
  | { readonly _tag: "UsageKnown"; readonly usage: Usage }
  | { readonly _tag: "Finished"; readonly turn: Turn }
