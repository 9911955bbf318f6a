/**
 * Whether a call may run, decided by the application from the decoded
 * arguments, the tool's facts and the call context. By default what an
 * application puts in its own toolset may run.
 */
import type * as Tool from "@effect/ai/Tool"
import * as Effect from "effect/Effect"
import type { Values } from "./CallContext.js"
import type { Facts } from "./Facts.js"
import { effectOf } from "./internal/effectOf.js"
import { show } from "./Issue.js"
import { aFunction, aText, fields, list, orThrow, toText } from "./Options.js"
import type { ToolCall } from "./ToolCall.js"
import type { DynamicTools } from "./toolset/model.js"

/**
 * Whether a call may run: `Allow`, `Deny` with a reason that the model
 * reads, or `Ask` a person, with a text that says why.
 *
 * A `subject` is what exactly may run, where the arguments do not say it all: a
 * quoted price, a preview of a change. It is a short text that stands for it,
 * best its digest, and no secret. It is part of the digest that a response
 * answers, and the handler has it as `CurrentCall.subject`.
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
 * What a person has approved of a call, beside its arguments.
 *
 * @category models
 */
export interface Approved {
  /**
   * Whether the rule asked about this subject; about `undefined`, whether it
   * named none. The subject itself is not known any more: what was asked leaves
   * the process, and holds no more than a digest of it.
   */
  readonly isOf: (subject: string | undefined) => boolean
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
  /**
   * Given when a person has approved the call and the rule is asked once more,
   * which may happen several times. An approval holds for its own subject only:
   * if the rule asks about another one by then, the call is denied.
   */
  readonly approved?: Approved | undefined
}

/**
 * A rule answered with something that is no decision. Nothing is allowed: the
 * call ends as `Defect`, and the log names the rule and its answer.
 *
 * @category errors
 */
export class InvalidDecision extends Error {
  override readonly name = "InvalidDecision"
  constructor(
    received: unknown,
    /** The decisions that there are, as the program spells them. */
    expected = "Approval.allow, Approval.deny(reason), Approval.ask(why)"
  ) {
    super(`it answered ${show(received)}, which is no decision. The decisions are ${expected}`)
  }

  /** Whether a value is one, also of another copy of this package. */
  static is(value: unknown): value is InvalidDecision {
    return value instanceof Error && value.name === "InvalidDecision"
  }
}

/**
 * A rule for the calls of any tool.
 *
 * @category models
 */
export type Rule = (request: Request) => Decision | Effect.Effect<Decision>

/**
 * A rule for each tool by name. Tools without a rule follow the one under `"*"`;
 * without that one, they are allowed.
 *
 * @category models
 */
export type Rules<Tools> = { readonly [Name in RuleName<Tools>]?: RuleOf<Tools, Name> }

/**
 * The names that may have a rule: those that the compiler knows, and `"*"` for
 * all others. Any name, where the compiler knows none.
 *
 * @category type-level
 */
export type RuleName<Tools> =
  | (keyof Tools & string)
  | "*"
  | (Tools extends DynamicTools ? ([keyof Tools & string] extends [never] ? string & {} : never) : never)

/**
 * The rule of the tool of this name. Beside typed tools, those that only the run
 * time knows have theirs under `"*"`: one for all, or one by name.
 *
 * @category type-level
 */
export type RuleOf<Tools, Name> = Name extends keyof Tools & string
  ? RuleFor<Name, Tool.Parameters<Tools[Name]>>
  : [keyof Tools & string] extends [never]
    ? DynamicRule
    : Rule | OtherRules

/**
 * A rule for each tool that only the run time knows, by name.
 *
 * @category models
 */
export interface OtherRules {
  readonly [name: string]: Rule
}

/**
 * A rule for the calls of one tool.
 *
 * @category models
 */
export type RuleFor<Name extends string, Parameters> = (
  request: Request<Name, Parameters>
) => Decision | Effect.Effect<Decision>

/** A rule as a method, so that the rules of typed tools may stand beside it. */
type DynamicRule = { rule(request: Request): Decision | Effect.Effect<Decision> }["rule"]

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
 * @category decisions
 */
export const allow: Allow = { _tag: "Allow" }

/**
 * The call may run, for this subject: the handler gets it as
 * `CurrentCall.subject`, and keeps to it.
 *
 * @category decisions
 */
export const allowOnly = (subject: string): Allow => {
  if (typeof subject !== "string") throw new InvalidDecision(subject, "Approval.allowOnly(subject) with a text")
  return { _tag: "Allow", subject }
}

/**
 * The call may not run; the model reads the reason.
 *
 * @category decisions
 */
export const deny = (reason: string): Decision => {
  if (typeof reason !== "string") throw new InvalidDecision(reason, "Approval.deny(reason) with a text")
  return { _tag: "Deny", reason }
}

/**
 * A person is asked: the call ends as `Deferred`. With a `subject` the approval
 * is of that, too: when the call is approved, the rule learns of what, and the
 * call is denied if the rule asks about something else by then.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Tool, Toolkit } from "@effect/ai"
 * import { Approval, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect, Schema } from "effect"
 *
 * class Shop extends Toolkit.make(
 *   Tool.make("refund", { parameters: { amount: Schema.Number }, success: Schema.String })
 * ) {}
 * const ShopLive = Shop.toLayer({ refund: ({ amount }) => Effect.succeed(`${amount} refunded`) })
 *
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop), {
 *     approval: { refund: ({ parameters: { amount } }) => (amount > 100 ? Approval.ask("over 100") : Approval.allow) }
 *   })
 *   const run = runner.forRun({ id: "conversation_7" })
 *
 *   // The tool does not run. A person sees the outcome's call and `why`.
 *   const waiting = yield* run.runAll([ToolCall.make("call_1", "refund", { amount: 450 })])
 *   assert.deepStrictEqual(waiting.map((outcome) => outcome._tag), ["Deferred"])
 *
 *   // They say yes; `Response.deny(reason)` says no.
 *   const answered = yield* run.resumeAll(waiting, () => Response.approve)
 *   assert.deepStrictEqual(answered.map(Outcome.text), ["450 refunded"])
 * })
 * await Effect.runPromise(program.pipe(Effect.provide(ShopLive)))
 * ```
 *
 * @category decisions
 */
export const ask = (why?: string, about: { readonly subject?: string | undefined } = {}): Decision => {
  checkAbout(about, "Approval.ask(why, { subject })")
  return about.subject === undefined ? { _tag: "Ask", why } : { _tag: "Ask", why, subject: about.subject }
}

/** Under a misspelt name, what is approved would hold for every subject. The log has it as it has other wrong answers. */
const checkAbout = (about: unknown, expected: string): void => {
  const problem = fields({ subject: aText })(about)
  if (problem !== undefined) throw new InvalidDecision(about, `${expected}, of which ${toText(problem)}`)
}

/**
 * Asks for whatever is not stated to be read-only or non-destructive, as suits
 * tools from outside. (@effect/ai's `Destructive` is true unless stated.)
 *
 * @category rules
 */
export const cautious = (request: Request): Decision =>
  request.facts.isReadOnly || request.facts.isDestructive === false
    ? allow
    : ask(`${request.name} is not stated to be read-only or non-destructive`)

/**
 * Several rules as one: the strictest decision holds (`Deny`, then `Ask`, then
 * `Allow`; of two alike the one with a subject, then the first), so that an
 * application can only tighten what another part decided.
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
 * @category rules
 */
export const strictest = (...rules: ReadonlyArray<Rule>): Rule => {
  orThrow(list(aFunction)(rules), "What `Approval.strictest` takes")
  return (request) =>
    Effect.reduce(rules, leastStrict, (strictestSoFar, rule) =>
      Effect.map(
        Effect.suspend(() => effectOf(rule(request))),
        (decision) => (strictnessOf(decision) > strictnessOf(strictestSoFar) ? decision : strictestSoFar)
      )
    )
}

const leastStrict: Decision = allow

const strictness = { Allow: 0, Ask: 2, Deny: 4 } as const

/** A program without types can answer anything; the runner refuses anything else. */
const strictnessOf = (decision: Decision): number =>
  Object.hasOwn(strictness, decision?._tag) ? strictness[decision._tag] + (hasSubject(decision) ? 1 : 0) : Infinity

const hasSubject = (decision: Decision): boolean => decision._tag !== "Deny" && decision.subject !== undefined
