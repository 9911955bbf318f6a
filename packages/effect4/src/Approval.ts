/**
 * Whether a call may run, decided by the application from the decoded
 * arguments, the tool's facts and the call context. Rules may be effects.
 */
import type * as Effect from "effect/Effect"
import type { Values } from "./CallContext.js"
import type { Facts } from "./Facts.js"
import type * as Ai from "./internal/effectAi.js"
import type { ToolCall } from "./ToolCall.js"
import type { DynamicTools } from "./Toolset.js"

/**
 * `Allow`; `Deny` with a reason that the model reads; or `Ask` a person. A
 * `subject` is what exactly may run, where the arguments do not say it all: it
 * is part of what a person approves.
 *
 * @category models
 */
export type Decision =
  | Allow
  | { readonly _tag: "Deny"; readonly reason: string }
  | { readonly _tag: "Ask"; readonly why: string | undefined; readonly subject?: string | undefined }

/**
 * The call may run.
 *
 * @category models
 */
export interface Allow {
  readonly _tag: "Allow"
  readonly subject?: string | undefined
}

/**
 * What a rule decides on.
 *
 * @category models
 */
export interface Request<Name extends string = string, Parameters = unknown> {
  readonly name: Name
  /** Decoded, hidden fields included. */
  readonly parameters: Parameters
  readonly facts: Facts
  readonly context: Values
  readonly call: ToolCall
  /** Given when a person has approved the call and the rule is asked once more. */
  readonly approved?: { readonly isOf: (subject: string | undefined) => boolean } | undefined
}

/**
 * A rule for the calls of any tool.
 *
 * @category models
 */
export type Rule = (request: Request) => Decision | Effect.Effect<Decision>

/**
 * A rule for the calls of one tool.
 *
 * @category models
 */
export type RuleFor<Name extends string, Parameters> = (
  request: Request<Name, Parameters>
) => Decision | Effect.Effect<Decision>

/**
 * A rule for each tool by name. Tools without a rule follow the one under
 * `"*"`; without that one, they are allowed.
 *
 * @category models
 */
export type Rules<Tools> = {
  readonly [Name in keyof Tools & string]?: RuleFor<Name, Ai.Parameters<Tools[Name]>>
} & { readonly "*"?: Rule } & (Tools extends DynamicTools ? { readonly [name: string]: Rule } : unknown)

/**
 * The call may run.
 *
 * @category decisions
 */
export const allow: Allow = { _tag: "Allow" }

/**
 * The call may run, for this subject: the handler gets it by `CurrentCall`.
 *
 * @category decisions
 */
export const allowOnly = (subject: string): Allow => ({ _tag: "Allow", subject })

/**
 * The call may not run; the model reads the reason.
 *
 * @category decisions
 */
export const deny = (reason: string): Decision => ({ _tag: "Deny", reason })

/**
 * A person is asked: the call ends as `Deferred`.
 *
 * @category decisions
 */
export const ask = (why?: string, about: { readonly subject?: string | undefined } = {}): Decision => ({
  _tag: "Ask",
  why,
  ...(about.subject === undefined ? {} : { subject: about.subject })
})
