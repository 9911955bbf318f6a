/**
 * How one call ended. `run` yields exactly one outcome per call, whatever
 * happened: bad JSON, an unknown name, a denial, a timeout, a crash.
 */
import { Outcome as Outcome3 } from "@wield/effect3"
import type * as Cause from "effect/Cause"
import type { Facts } from "./Facts.js"
import type { VisibleArguments } from "./Hidden.js"
import type * as Ai from "./internal/effectAi.js"
import { outcomeTo3 } from "./internal/outcomes.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * One thing that is wrong with the arguments of a call.
 *
 * @category models
 */
export interface Issue {
  /** The place in the arguments; empty for the arguments as a whole. */
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  /** A bounded rendering of what was sent; `undefined` where nothing was. */
  readonly received: string | undefined
  /** What the schema says instead of the two. */
  readonly message?: string
}

/**
 * What the runner did to a call or its result beyond running it.
 *
 * @category models
 */
export type Note =
  | { readonly _tag: "Edited"; readonly arguments: { readonly [name: string]: unknown } }
  | { readonly _tag: "Repaired"; readonly repair: string }
  | { readonly _tag: "Stripped"; readonly field: string }
  | { readonly _tag: "Replayed" }
  | { readonly _tag: "Cached" }
  | { readonly _tag: "Retried"; readonly attempts: number }
  | { readonly _tag: "Repeated"; readonly times: number }
  | { readonly _tag: "Bounded"; readonly bytes: number; readonly handle?: string }

/**
 * What every outcome has.
 *
 * @category models
 */
export interface Ended<out Tag extends string, out Name extends string = string> {
  readonly _tag: Tag
  /** The call's id. */
  readonly id: string
  /** The call as the model sent it. */
  readonly call: ToolCall
  /** The tool's name; for an unknown tool the name as it was sent. */
  readonly name: Name
  readonly notes: ReadonlyArray<Note>
}

/**
 * The handler succeeded.
 *
 * @category models
 */
export interface Success<out Name extends string = string, out A = unknown> extends Ended<"Success", Name> {
  /** The handler's value, as the success schema types it. */
  readonly result: A
  /** The value encoded by the success schema; `null` for a tool without a result. */
  readonly encoded: unknown
  /** `encoded` as JSON text. */
  readonly text: string
}

/**
 * The handler failed with its declared failure.
 *
 * @category models
 */
export interface Failure<out Name extends string = string, out E = unknown> extends Ended<"Failure", Name> {
  /** The failure, as the failure schema types it. */
  readonly failure: E
  /** The failure encoded by the failure schema. */
  readonly encoded: unknown
  /** `encoded` as JSON text. */
  readonly text: string
  /** The tool's failureMode is "error": `run` and `runAll` fail with it, `settle` and `stream` hand it over as an outcome. */
  readonly isRaised: boolean
}

/**
 * What a handler asks before it goes on with its call.
 *
 * @category models
 */
export interface Input {
  /** 1 for the first question of a call. */
  readonly round: number
  readonly asks: unknown
  /** The JSON Schema of a reply. */
  readonly accepts: { readonly [keyword: string]: unknown }
}

/**
 * The call waits: for approval, for a client to execute it, or for input.
 * `Run.resume` goes on with it. Until it is approved, nothing has been run. It
 * is JSON: another process may answer it.
 *
 * @category models
 */
export interface Deferred<out Name extends string = string, out Arguments = unknown> extends Ended<"Deferred", Name> {
  /** The visible arguments, parsed and valid. */
  readonly arguments: Arguments
  readonly waitsFor: "approval" | "client" | "input"
  /** Names this request and no other. */
  readonly requestId: string
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  /** Over the tool as it is defined, the arguments and what is waited for: a response answers it, and no other. */
  readonly digest: string
  readonly facts: Facts
  readonly input: Input | undefined
}

/**
 * The arguments are not JSON, or do not fit the parameters.
 *
 * @category models
 */
export interface InvalidArguments extends Ended<"InvalidArguments"> {
  /** Everything that is wrong, in the order of the parameters. */
  readonly issues: ReadonlyArray<Issue>
}

/**
 * No tool of this name exists (`UnknownTool`), or it was not offered in this
 * turn (`Unavailable`).
 *
 * @category models
 */
export interface UnknownTool extends Ended<"UnknownTool" | "Unavailable"> {
  /** The names on offer that are most like the one sent. */
  readonly nearest: ReadonlyArray<string>
}

/**
 * The approval policy, or a person, said no.
 *
 * @category models
 */
export interface Denied extends Ended<"Denied"> {
  readonly reason: string
  /** Whether it had begun, and was denied when its handler asked for input. */
  readonly hasBegun: boolean
}

/**
 * The handler took longer than its limit and was interrupted.
 *
 * @category models
 */
export interface TimedOut extends Ended<"TimedOut"> {
  /** The limit, in milliseconds. */
  readonly limit: number
  /** The tool is stated to change nothing: there is no effect to have been taken in part. */
  readonly isReadOnly: boolean
}

/**
 * The tool's rate limit is used up; nothing was run.
 *
 * @category models
 */
export interface Limited extends Ended<"Limited"> {
  readonly limit: string
  /** Milliseconds until the next call is possible. */
  readonly retryAfter: number
}

/**
 * The handler was interrupted, by itself or by something inside of it.
 *
 * @category models
 */
export interface Interrupted extends Ended<"Interrupted"> {
  /** The tool is stated to change nothing: there is no effect to have been taken in part. */
  readonly isReadOnly: boolean
  /** `false` where it was stopped before its handler could begin, as while an approval rule thought. */
  readonly hasBegun: boolean
}

/**
 * The call may have taken effect, and its end is not known. It was not run again.
 *
 * @category models
 */
export interface Uncertain extends Ended<"Uncertain"> {
  readonly reason: "begun" | "interrupted" | "lost" | "unrecorded" | "unreadable"
  readonly arguments: unknown
}

/**
 * The handler's value does not fit the tool's own schema. The model reads a
 * reference, and that the call may have taken effect.
 *
 * @category models
 */
export interface InvalidResult extends Ended<"InvalidResult"> {
  readonly issues: ReadonlyArray<Issue>
  /** Found again in the program's log. */
  readonly reference: string
  /** The tool is stated to change nothing: there is no effect to have been taken in part. */
  readonly isReadOnly: boolean
}

/**
 * The tool ran, and a guard keeps its result from the model.
 *
 * @category models
 */
export interface Withheld extends Ended<"Withheld"> {
  /** The guard's name. */
  readonly guard: string
  /** What the model reads. */
  readonly reason: string
  /** How the call ended; for the program, never for the model. */
  readonly of: Success | Failure
}

/**
 * The handler died, or threw. The model reads a reference only.
 *
 * @category models
 */
export interface Defect extends Ended<"Defect"> {
  /** Found again in the program's log. */
  readonly reference: string
  /** For the program, never for the model. */
  readonly cause: Cause.Cause<unknown>
}

/**
 * The call context lacks a hidden field of the tool: the program's mistake. The
 * model reads a reference only.
 *
 * @category models
 */
export interface MissingContext extends Ended<"MissingContext"> {
  readonly reference: string
  readonly issues: ReadonlyArray<Issue>
}

/**
 * The outcomes that do not depend on the tool's types.
 *
 * @category models
 */
export type Unhandled =
  | InvalidArguments
  | UnknownTool
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
  | {
      readonly [Name in keyof Tools & string]:
        | Success<Name, Ai.Success<Tools[Name]>>
        | Failure<Name, Ai.Failure<Tools[Name]>>
        | Deferred<Name, VisibleArguments<Tools[Name]>>
    }[keyof Tools & string]
  | Unhandled

/**
 * What the model reads of an outcome; `undefined` for a deferred call.
 *
 * @category rendering
 */
export const text = (outcome: Outcome): string | undefined => Outcome3.text(outcomeTo3(outcome))

/**
 * Whether a call waits for an answer. It narrows to the tool's own types.
 *
 * @category guards
 */
export const isDeferred = <O extends Outcome>(outcome: O): outcome is Extract<O, { readonly _tag: "Deferred" }> =>
  outcome._tag === "Deferred"

/**
 * Whether the model reads that the call did not succeed. A deferred call is not
 * an error.
 *
 * @category guards
 */
export const isError = (outcome: Outcome): boolean => outcome._tag !== "Success" && outcome._tag !== "Deferred"

/**
 * An outcome as JSON, without what only the program may read.
 *
 * @category conversions
 */
export const toJson = (outcome: Outcome): { readonly [key: string]: unknown } =>
  // JSON is an object whose values are known by its tag.
  Outcome3.toJson(outcomeTo3(outcome)) as unknown as { readonly [key: string]: unknown }
