/**
 * Guards look at what goes into a model, what comes out of it, and at results
 * before it reads them. They let it pass, report it, or block it. A policy has
 * them.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Values } from "./CallContext.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * What a guard looks at: what a user says (`input`), what the model says
 * (`output`), and what a tool gave (`result`).
 *
 * @category models
 */
export type Place = "input" | "output" | "result"

/**
 * What a guard decides. The reason of a block is read: of a result by the model,
 * else by the program.
 *
 * @category models
 */
export type Decision =
  | { readonly _tag: "Pass" }
  | { readonly _tag: "Report"; readonly reason: string }
  | { readonly _tag: "Block"; readonly reason: string }

/**
 * What a guard may look at beside the text.
 *
 * @category models
 */
export interface About {
  readonly on: Place
  readonly context: Values
  /** The call whose result it is. */
  readonly call: ToolCall | undefined
}

/**
 * A guard. One that fails, throws, gives no decision or takes too long blocks.
 *
 * @category models
 */
export interface Guard {
  /** It stands in errors, logs and spans. */
  readonly name: string
  /** Everything unless given. */
  readonly on?: ReadonlyArray<Place> | undefined
  readonly check: (text: string, about: About) => Decision | Effect.Effect<Decision, unknown>
  /** `report` lets pass what it would block, and reports it: to try a guard out. `block` unless given. */
  readonly mode?: "block" | "report" | undefined
  /** How long it may take: 30 seconds unless given. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * @category decisions
 */
export const pass: Decision = { _tag: "Pass" }

/**
 * Lets it pass, and tells the log and the trace.
 *
 * @category decisions
 */
export const report = (reason: string): Decision => ({ _tag: "Report", reason })

/**
 * Keeps it from where it goes.
 *
 * @category decisions
 */
export const block = (reason: string): Decision => ({ _tag: "Block", reason })
