/**
 * How one call ended. `run` yields exactly one outcome per call, whatever
 * happened: bad JSON, an unknown name, a denial, a timeout, a crash.
 *
 * The runner makes outcomes by their constructors. `success`, `failure` and
 * `denial` are for tests, and for programs that answer a call by other means.
 *
 * The file is long because the union is read as a whole; half of it is
 * documentation.
 */
import type * as Tool from "@effect/ai/Tool"
import type * as Cause from "effect/Cause"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Predicate from "effect/Predicate"
import { toJson } from "./internal/outcomeJson.js"
import type * as Content from "./Content.js"
import type { Facts } from "./Facts.js"
import type { VisibleArguments } from "./Hidden.js"
import type { Issue } from "./Issue.js"
import type { Json, JsonSchema } from "./Json.js"
import type { Note } from "./Note.js"
import type { ToolCall } from "./ToolCall.js"

/** What most programs never ask for is made when it is asked for. */
type Lazy<A> = ReadonlyArray<A> | (() => ReadonlyArray<A>)

/** What every outcome is made of; no notes unless given. */
interface OfCall {
  readonly call: ToolCall
  readonly notes?: ReadonlyArray<Note> | undefined
}

/** By it another copy of this package knows an outcome. */
const TypeId: unique symbol = Symbol.for("@wield/core/Outcome")

abstract class Ended<Name extends string> {
  get [TypeId](): true {
    return true
  }

  /** The call as the model sent it. */
  readonly call: ToolCall
  /** The tool's name; for an unknown tool the name as it was sent. */
  readonly name: Name
  /** What the runner did beyond running the call. */
  readonly notes: ReadonlyArray<Note>

  constructor({ call, notes }: OfCall) {
    this.call = call
    // A caller that says which tool it is has looked at the name.
    this.name = call.name as Name
    this.notes = notes ?? []
  }

  /** The call's id. */
  get id(): string {
    return this.call.id
  }

  /** As `Outcome.toJson`: a cause, or a hidden value, gets into no page and no log by way of the JSON. */
  toJSON(): object {
    // Every class that extends this one is of the union.
    return { call: this.call, name: this.name, ...toJson(this as unknown as Outcome) }
  }
}

/**
 * The handler succeeded.
 *
 * @category models
 */
export class Success<Name extends string = string, A = unknown> extends Ended<Name> {
  readonly _tag = "Success"
  /** The handler's value, as the success schema types it. */
  readonly result: A
  /** The value encoded by the success schema; `null` for a tool without a result. */
  readonly encoded: unknown
  /** `encoded` as JSON text. */
  readonly text: string
  /** What the model reads instead of `encoded`: content of several parts, or the head of a bounded result. */
  readonly content: ReadonlyArray<Content.Part> | undefined

  constructor(
    made: OfCall & { readonly result: A } & Pick<Success, "encoded" | "text"> & Partial<Pick<Success, "content">>
  ) {
    super(made)
    this.result = made.result
    this.encoded = made.encoded
    this.text = made.text
    this.content = made.content
  }
}

/**
 * The handler failed with its declared failure.
 *
 * @category models
 */
export class Failure<Name extends string = string, E = unknown> extends Ended<Name> {
  readonly _tag = "Failure"
  /** The failure, as the failure schema types it. */
  readonly failure: E
  /** The failure encoded by the failure schema. */
  readonly encoded: unknown
  /** `encoded` as JSON text. */
  readonly text: string
  /** The tool's failureMode is "error": `run` and `runAll` raise the failure, `settle` and `stream` hand it over as an outcome. */
  readonly isRaised: boolean

  constructor(made: OfCall & { readonly failure: E } & Pick<Failure, "encoded" | "text" | "isRaised">) {
    super(made)
    this.failure = made.failure
    this.encoded = made.encoded
    this.text = made.text
    this.isRaised = made.isRaised
  }
}

/**
 * The arguments are not JSON, or do not fit the parameters. The issues are
 * worked out when they are read.
 *
 * @category models
 */
export class InvalidArguments extends Ended<string> {
  readonly _tag = "InvalidArguments"
  #issues: Lazy<Issue>

  constructor(made: OfCall & { readonly issues: Lazy<Issue> }) {
    super(made)
    this.#issues = made.issues
  }

  /** Everything that is wrong, in the order of the parameters. */
  get issues(): ReadonlyArray<Issue> {
    if (typeof this.#issues === "function") this.#issues = this.#issues()
    return this.#issues
  }

  [NodeInspectSymbol](): object {
    return { ...this, issues: this.issues }
  }
}

/** What the ends have in common where a name is not one to be called; the nearest are worked out when they are read. */
abstract class Misnamed extends Ended<string> {
  #nearest: Lazy<string>
  constructor(made: OfCall & { readonly nearest: Lazy<string> }) {
    super(made)
    this.#nearest = made.nearest
  }

  /** The names offered in this turn that are most like the one sent, best first; at most five. */
  get nearest(): ReadonlyArray<string> {
    if (typeof this.#nearest === "function") this.#nearest = this.#nearest()
    return this.#nearest
  }

  [NodeInspectSymbol](): object {
    return { ...this, nearest: this.nearest }
  }
}

/**
 * No tool of this name exists.
 *
 * @category models
 */
export class UnknownTool extends Misnamed {
  readonly _tag = "UnknownTool"
}

/**
 * The tool exists, but was not offered in this turn.
 *
 * @category models
 */
export class Unavailable extends Misnamed {
  readonly _tag = "Unavailable"
}

/**
 * The approval policy, or a person, said no.
 *
 * @category models
 */
export class Denied extends Ended<string> {
  readonly _tag = "Denied"
  readonly reason: string
  /** Whether it had begun, and was denied when its handler asked for input. */
  readonly hasBegun: boolean

  constructor(made: OfCall & Pick<Denied, "reason"> & Partial<Pick<Denied, "hasBegun">>) {
    super(made)
    this.reason = made.reason
    this.hasBegun = made.hasBegun ?? false
  }
}

/**
 * What a call waits for: a person's approval, a client that executes it, or
 * input that its handler asks for.
 *
 * @category models
 */
export type WaitsFor = "approval" | "client" | "input"

/**
 * What a handler asks before it goes on with its call; all of it is JSON.
 *
 * @category models
 */
export interface Input {
  /** 1 for the first question of a call, 2 for what it asks after the reply. */
  readonly round: number
  /** The question, for those who answer it. */
  readonly asks: Json
  /** The JSON Schema of a reply. */
  readonly accepts: JsonSchema
  /** The handler's own, which it needs to go on. Do not show it. */
  readonly state?: Json | undefined
}

/**
 * The call waits: for approval, for a client to execute it, or for input that
 * its handler asks for. `Run.resume` goes on with it. Until it is approved, or a
 * client has executed it, nothing has been run.
 *
 * @category models
 */
export class Deferred<Name extends string = string, Arguments = unknown> extends Ended<Name> {
  readonly _tag = "Deferred"
  /** The visible arguments, parsed and valid: as the model sent them, or as a person who approved them changed them. */
  readonly arguments: Arguments
  readonly waitsFor: WaitsFor
  /**
   * Names this request and no other: of its run, turn, call and digest. Two equal
   * calls have two. A list of requests is kept by it, and a response names it.
   */
  readonly requestId: string
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  /**
   * SHA-256, hexadecimal, over the tool as it is defined, the arguments, what
   * is waited for, and the subject of the approval rule; a response names it.
   * It changes when any of them does. A subject stands behind it, after a colon.
   */
  readonly digest: string
  readonly facts: Facts
  /** What is asked, where the call waits for input. */
  readonly input: Input | undefined

  constructor(
    made: OfCall & { readonly arguments: Arguments } & Pick<Deferred, "waitsFor" | "requestId" | "digest" | "facts"> &
      Partial<Pick<Deferred, "why" | "input">>
  ) {
    super(made)
    this.arguments = made.arguments
    this.waitsFor = made.waitsFor
    this.requestId = made.requestId
    this.why = made.why
    this.digest = made.digest
    this.facts = made.facts
    this.input = made.input
  }

  /** The whole: another process may answer it. */
  override toJSON(): object {
    return { ...this }
  }
}

/**
 * The handler took longer than its limit and was interrupted.
 *
 * @category models
 */
export class TimedOut extends Ended<string> {
  readonly _tag = "TimedOut"
  /** The limit, in milliseconds. */
  readonly limit: number
  /** The tool is stated to change nothing: there is no effect to have been taken in part. */
  readonly isReadOnly: boolean

  constructor(made: OfCall & Pick<TimedOut, "limit"> & Partial<Pick<TimedOut, "isReadOnly">>) {
    super(made)
    this.limit = made.limit
    this.isReadOnly = made.isReadOnly ?? false
  }
}

/**
 * The tool's rate limit is used up; nothing was run.
 *
 * @category models
 */
export class Limited extends Ended<string> {
  readonly _tag = "Limited"
  /** Which limit, such as `10 calls per 60000 ms`. */
  readonly limit: string
  /** Milliseconds until the next call is possible. */
  readonly retryAfter: number

  constructor(made: OfCall & Pick<Limited, "limit" | "retryAfter">) {
    super(made)
    this.limit = made.limit
    this.retryAfter = made.retryAfter
  }
}

/**
 * The handler was interrupted, by itself or by something inside of it, or the
 * batch of its call was closed. When the run is interrupted there is no outcome;
 * a journal records the interruption.
 *
 * @category models
 */
export class Interrupted extends Ended<string> {
  readonly _tag = "Interrupted"
  /** The tool is stated to change nothing: there is no effect to have been taken in part. */
  readonly isReadOnly: boolean
  /** `false` where it was stopped before its handler could begin, as while an approval rule thought. */
  readonly hasBegun: boolean

  constructor(made: OfCall & Partial<Pick<Interrupted, "isReadOnly" | "hasBegun">>) {
    super(made)
    this.isReadOnly = made.isReadOnly ?? false
    this.hasBegun = made.hasBegun ?? true
  }
}

/**
 * Why the end of a call is not known.
 *
 * - `begun`: the journal has its begin and nothing more. What began it died or was killed.
 * - `interrupted`: the journal says that it was interrupted while its handler ran, or was lost before.
 * - `lost`: its handler has just failed with `CallLost`, as where a connection broke.
 * - `unrecorded`: no journal outlives the process, so nothing says whether it was begun.
 * - `unreadable`: the journal could not be asked.
 *
 * @category models
 */
export type Uncertainty = "begun" | "interrupted" | "lost" | "unrecorded" | "unreadable"

/**
 * The call may have taken effect, and its end is not known. It was not run
 * again. It has what a person needs who is to find out.
 *
 * @category models
 */
export class Uncertain extends Ended<string> {
  readonly _tag = "Uncertain"
  readonly reason: Uncertainty
  /** The visible arguments, parsed and valid. */
  readonly arguments: unknown
  /** SHA-256, hexadecimal, over the tool as it is defined and the arguments, as of a call that waits for approval. */
  readonly digest: string
  readonly facts: Facts

  constructor(made: OfCall & Pick<Uncertain, "reason" | "arguments" | "digest" | "facts">) {
    super(made)
    this.reason = made.reason
    this.arguments = made.arguments
    this.digest = made.digest
    this.facts = made.facts
  }
}

/**
 * The handler's value does not fit the tool's own schema, or is not JSON: the
 * program's mistake. The model reads a reference, and that the call may have taken effect.
 *
 * @category models
 */
export class InvalidResult extends Ended<string> {
  readonly _tag = "InvalidResult"
  #issues: Lazy<Issue>
  /** Found again in the program's log. */
  readonly reference: string
  /** The call has changed nothing. */
  readonly isReadOnly: boolean
  /** False where JSON cannot say the value: each issue names a place in it and why. */
  readonly isJson: boolean

  constructor(
    made: OfCall &
      Pick<InvalidResult, "reference"> &
      Partial<Pick<InvalidResult, "isReadOnly" | "isJson">> & { readonly issues: Lazy<Issue> }
  ) {
    super(made)
    this.#issues = made.issues
    this.reference = made.reference
    this.isReadOnly = made.isReadOnly ?? false
    this.isJson = made.isJson ?? true
  }

  /** What is wrong with the value; for the program, never for the model. */
  get issues(): ReadonlyArray<Issue> {
    if (typeof this.#issues === "function") this.#issues = this.#issues()
    return this.#issues
  }
}

/**
 * The tool ran, and a guard keeps its result from the model.
 *
 * @category models
 */
export class Withheld extends Ended<string> {
  readonly _tag = "Withheld"
  /** The guard's name. */
  readonly guard: string
  /** What the model reads. */
  readonly reason: string
  /** How the call ended; for the program, never for the model. */
  readonly of: Success | Failure

  constructor(made: OfCall & Pick<Withheld, "guard" | "reason" | "of">) {
    super(made)
    this.guard = made.guard
    this.reason = made.reason
    this.of = made.of
  }
}

/**
 * The handler died, or threw. The model reads a reference only.
 *
 * @category models
 */
export class Defect extends Ended<string> {
  readonly _tag = "Defect"
  /** Found again in the program's log. */
  readonly reference: string
  /** For the program, never for the model. */
  readonly cause: Cause.Cause<unknown>

  constructor(made: OfCall & Pick<Defect, "reference" | "cause">) {
    super(made)
    this.reference = made.reference
    this.cause = made.cause
  }
}

/**
 * The call context lacks a hidden field of the tool, or has it in a wrong form:
 * the program's mistake, not the model's, which reads a reference only.
 *
 * @category models
 */
export class MissingContext extends Ended<string> {
  readonly _tag = "MissingContext"
  readonly reference: string
  /** The hidden fields that are absent or wrong, and what was expected of each. */
  readonly issues: ReadonlyArray<Issue>

  constructor(made: OfCall & Pick<MissingContext, "reference" | "issues">) {
    super(made)
    this.reference = made.reference
    this.issues = made.issues
  }
}

/**
 * The outcomes that do not depend on the tool's types.
 *
 * @category models
 */
export type Unhandled =
  | InvalidArguments
  | UnknownTool
  | Unavailable
  | Denied
  | TimedOut
  | Limited
  | Interrupted
  | Uncertain
  | InvalidResult
  | Withheld
  | Defect
  | MissingContext

/**
 * How one call ended.
 *
 * @category models
 */
export type Outcome = Success | Failure | Deferred | Unhandled

/**
 * How a call of one of these tools ended: `name` tells `result` and `failure`
 * apart by their types.
 *
 * @category models
 */
export type Of<Tools> =
  | { readonly [Name in keyof Tools & string]: Handled<Name, Tools[Name]> }[keyof Tools & string]
  | Unhandled

/**
 * What a call of one tool can end as, where that depends on the tool's types.
 *
 * @category models
 */
export type Handled<Name extends string, T> =
  | Success<Name, Tool.Success<T>>
  | Failure<Name, Tool.Failure<T>>
  | Deferred<Name, VisibleArguments<T>>

/**
 * A success, made by hand. `content` is what the model reads in place of `value`.
 *
 * @category constructors
 */
export const success = <const A extends Json>(
  call: ToolCall,
  value: A,
  content?: ReadonlyArray<Content.Part>
): Success<string, A> => new Success({ call, result: value, encoded: value, text: JSON.stringify(value), content })

/**
 * A failure that the tool declares, made by hand.
 *
 * @category constructors
 */
export const failure = <const E extends Json>(call: ToolCall, value: E): Failure<string, E> =>
  new Failure({ call, failure: value, encoded: value, text: JSON.stringify(value), isRaised: false })

/**
 * The call was denied, for a reason that the model reads: before it was run, or where it had `begun` and asked for input.
 *
 * @category constructors
 */
export const denial = (call: ToolCall, reason: string, begun?: "begun"): Denied =>
  new Denied({ call, reason, hasBegun: begun === "begun" })

/**
 * Whether a value is an outcome.
 *
 * @category guards
 */
export const isOutcome = (value: unknown): value is Outcome => Predicate.hasProperty(value, TypeId)

/**
 * Whether a call waits for an answer. It narrows to the tool's own types.
 *
 * @category guards
 */
export const isDeferred = <O extends Outcome>(outcome: O): outcome is Extract<O, { readonly _tag: "Deferred" }> =>
  outcome._tag === "Deferred"

/**
 * Whether the model made a mistake that it can mend by calling again: these
 * outcomes spend its retry budget.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Outcome, ToolCall } from "@wield/core"
 *
 * const call = ToolCall.make("call_1", "get_order", {})
 * assert.strictEqual(Outcome.isModelMistake(new Outcome.UnknownTool({ call, nearest: ["get_orders"] })), true)
 * assert.strictEqual(Outcome.isModelMistake(new Outcome.TimedOut({ call, limit: 1000 })), false)
 * ```
 *
 * @category guards
 */
export const isModelMistake = (outcome: Outcome): outcome is InvalidArguments | UnknownTool | Unavailable =>
  outcome._tag === "InvalidArguments" || outcome._tag === "UnknownTool" || outcome._tag === "Unavailable"

/**
 * Whether the model reads that the call did not succeed. A deferred call is
 * not an error: the model reads nothing yet.
 *
 * @category guards
 */
export const isError = (outcome: Outcome): boolean => isErrorTag(outcome._tag)

/** @internal */
export const isErrorTag = (tag: Outcome["_tag"]): boolean => tag !== "Success" && tag !== "Deferred"

export {
  /**
   * What a model reads beside a failure whose call may have been carried out, and must not be repeated blindly.
   *
   * @category rendering
   */
  doubt,
  /**
   * An outcome as the model will read it; `undefined` for a deferred call, whose
   * result is still to come. Wire formats do this themselves.
   *
   * @category rendering
   */
  render,
  /**
   * What the model reads of an outcome, as text; `undefined` for a deferred call.
   *
   * @category rendering
   */
  text
} from "./runner/render.js"

export {
  /**
   * The tags of all outcomes, in the order of the pipeline.
   *
   * @category models
   */
  tags,
  /**
   * The JSON of an outcome: what a page, a log or another process is given of it.
   * It has what the model reads, and of what went wrong inside only a reference.
   *
   * @category schemas
   */
  OutcomeJson as Json,
  /**
   * The JSON of what a call asks for as input.
   *
   * @category schemas
   */
  InputJson,
  /**
   * What a call asks for as JSON, without what only its handler needs.
   *
   * @category conversions
   */
  inputJson as inputToJson,
  /**
   * An outcome as JSON.
   *
   * @example
   * ```ts
   * import * as assert from "node:assert"
   * import { Outcome, ToolCall } from "@wield/core"
   *
   * const call = ToolCall.make("call_1", "refund", {})
   * assert.deepStrictEqual(Outcome.toJson(Outcome.denial(call, "over 100")), {
   *   _tag: "Denied",
   *   isError: true,
   *   notes: [],
   *   text: "The call of refund was denied and not run: over 100",
   *   reason: "over 100"
   * })
   * ```
   *
   * @category conversions
   */
  toJson
} from "./internal/outcomeJson.js"
