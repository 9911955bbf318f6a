/**
 * Whether a call may run, decided by the application from the decoded
 * arguments, the tool's facts and the call context. By default what an
 * application puts in its own toolset may run.
 *
 * @since 0.1.0
 */
import type * as Tool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import type { Values } from "./CallContext.js"
import type { Facts } from "./Facts.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * Whether a call may run: `Allow`, `Deny` with a reason that the model is
 * told, or `Ask` a person, with a text that says why.
 *
 * @since 0.1.0
 * @category models
 */
export type Decision =
  | { readonly _tag: "Allow" }
  | { readonly _tag: "Deny"; readonly reason: string }
  | { readonly _tag: "Ask"; readonly why: string | undefined }

/**
 * What a rule decides on.
 *
 * @since 0.1.0
 * @category models
 */
export interface Request<Name extends string = string, Parameters = unknown> {
  readonly name: Name
  /** Decoded, hidden fields included. */
  readonly parameters: Parameters
  readonly facts: Facts
  readonly context: Values
  readonly call: ToolCall
}

/**
 * A rule for the calls of any tool.
 *
 * @since 0.1.0
 * @category models
 */
export type Rule = (request: Request) => Decision | Effect.Effect<Decision>

/**
 * A rule for each tool by name; tools without one are allowed.
 *
 * @since 0.1.0
 * @category models
 */
export type Rules<Tools> = {
  readonly [Name in keyof Tools & string]?: (
    request: Request<Name, Tool.Parameters<Tools[Name]>>
  ) => Decision | Effect.Effect<Decision>
}

/**
 * The call may run.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Approval } from "@wield/core"
 *
 * const byAmount = (amount: number): Approval.Decision => {
 *   if (amount > 1000) return Approval.deny("no refund may be over 1,000")
 *   return amount > 100 ? Approval.ask("a refund over 100") : Approval.allow
 * }
 * assert.deepStrictEqual([50, 500, 5000].map((amount) => byAmount(amount)._tag), ["Allow", "Ask", "Deny"])
 * ```
 *
 * @since 0.1.0
 * @category decisions
 */
export const allow: Decision = { _tag: "Allow" }

/**
 * The call may not run; the model is told the reason.
 *
 * @since 0.1.0
 * @category decisions
 */
export const deny = (reason: string): Decision => ({ _tag: "Deny", reason })

/**
 * A person is asked: the call ends as `Deferred`.
 *
 * @since 0.1.0
 * @category decisions
 */
export const ask = (why?: string): Decision => ({ _tag: "Ask", why })

/**
 * Asks for whatever is not stated to be read-only or non-destructive, as suits
 * tools from outside. (@effect/ai's `Destructive` is true unless stated.)
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Approval, Facts, ToolCall } from "@wield/core"
 *
 * const request = {
 *   name: "read_page",
 *   parameters: {},
 *   facts: Facts.make({ isReadOnly: true }),
 *   context: {},
 *   call: ToolCall.make("call_1", "read_page", {})
 * }
 * assert.deepStrictEqual(Approval.cautious(request), Approval.allow)
 * ```
 *
 * @since 0.1.0
 * @category rules
 */
export const cautious = (request: Request): Decision =>
  request.facts.isReadOnly || request.facts.isDestructive === false
    ? allow
    : ask(`${request.name} is not stated to be read-only or non-destructive`)

/**
 * Several rules as one: the strictest decision holds (`Deny`, then `Ask`, then
 * `Allow`), so that an application can only tighten what another part decided.
 *
 * @example
 * ```ts
 * import { Approval } from "@wield/core"
 *
 * const rule = Approval.strictest(Approval.cautious, (request) =>
 *   request.context.isGuest === true ? Approval.deny("guests may not use tools") : Approval.allow
 * )
 * ```
 *
 * @since 0.1.0
 * @category rules
 */
export const strictest =
  (...rules: ReadonlyArray<Rule>): Rule =>
  (request) =>
    Effect.reduce(rules, allow as Decision, (strictestSoFar, rule) =>
      Effect.map(decide(rule, request), (decision) =>
        strictnessOf(decision) > strictnessOf(strictestSoFar) ? decision : strictestSoFar
      )
    )

const strictness = { Allow: 0, Ask: 1, Deny: 2 } as const

/** A program without types can answer anything; the runner refuses what is no decision. */
const strictnessOf = (decision: Decision): number =>
  Object.hasOwn(strictness, decision._tag) ? strictness[decision._tag] : Infinity

const decide = (rule: Rule, request: Request): Effect.Effect<Decision> =>
  Effect.suspend(() => {
    const decision = rule(request)
    return Effect.isEffect(decision) ? decision : Effect.succeed(decision)
  })
