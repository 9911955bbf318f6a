/**
 * What a run hands down to the runs within it: where usage is counted, and whom
 * to ask about calls that wait.
 */
import type { Response, Turn } from "@wield/core"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { DeferredCall } from "../DeferredCall.js"

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
