/** Whether an answer fits the call that waits. */
import type { ToolCall } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as DeferredCall from "../DeferredCall.js"
import type { Run } from "./plan.js"

export const checked = (
  _run: Run,
  _call: ToolCall.ToolCall,
  _answer: DeferredCall.Answer
): Effect.Effect<void, unknown> => Effect.void
