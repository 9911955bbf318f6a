/** Why a model gave no turn. */
import * as ApiError from "@wield/providers/ApiError"
import * as WireError from "@wield/providers/WireError"
import * as Schema from "effect/Schema"

/**
 * The API could not be reached, or the connection broke: send it again.
 *
 * @category errors
 */
export class Unreachable extends Schema.TaggedError<Unreachable>("@wield/agent/Unreachable")("Unreachable", {
  /** Name of the format. */
  format: Schema.String,
  /** Scheme, host and path; no query, which may hold a key. */
  url: Schema.String,
  /** What the client of HTTP said, without the request. */
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.url} (${this.format}) could not be reached: ${this.detail}`
  }
}

/**
 * The API took longer than the limit.
 *
 * @category errors
 */
export class ModelTimedOut extends Schema.TaggedError<ModelTimedOut>("@wield/agent/ModelTimedOut")("ModelTimedOut", {
  /** Name of the format. */
  format: Schema.String,
  /** What was waited for: the beginning of the response, or the next piece of it. */
  waitedFor: Schema.Literal("response", "piece"),
  /** The limit, in milliseconds. */
  limit: Schema.Number
}) {
  override get message(): string {
    return `The model (${this.format}) sent no ${this.waitedFor} within ${this.limit} ms`
  }
}

/**
 * A guard of the policy kept a message from the model, or its answer from the
 * conversation: nothing of either is recorded.
 *
 * @category errors
 */
export class GuardBlocked extends Schema.TaggedError<GuardBlocked>("@wield/agent/GuardBlocked")("GuardBlocked", {
  guard: Schema.String,
  on: Schema.Literal("input", "output"),
  reason: Schema.String
}) {
  override get message(): string {
    const what = this.on === "input" ? "the message was not given to the model" : "the answer is withheld"
    return `The guard ${this.guard} blocks: ${this.reason}; ${what}`
  }
}

/**
 * Why a model gave no turn.
 *
 * @category errors
 */
export type ModelError = ApiError.ApiError | WireError.WireError | Unreachable | ModelTimedOut | GuardBlocked

/** Whether the same request may well succeed later. A new error has to say it here. */
const passing: { readonly [Tag in ModelError["_tag"]]: boolean } = {
  RequestRejected: false,
  ContextOverflow: false,
  ContentFiltered: false,
  NotAuthorized: false,
  QuotaExceeded: false,
  RateLimited: true,
  ProviderUnavailable: true,
  WireError: true,
  Unreachable: true,
  ModelTimedOut: true,
  GuardBlocked: false
}

const classes = [
  ApiError.RequestRejected,
  ApiError.ContextOverflow,
  ApiError.ContentFiltered,
  ApiError.NotAuthorized,
  ApiError.RateLimited,
  ApiError.QuotaExceeded,
  ApiError.ProviderUnavailable,
  WireError.WireError,
  Unreachable,
  ModelTimedOut,
  GuardBlocked
]

/**
 * Whether a failure is one of the model's: for a program that treats all of them
 * alike.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ModelError } from "@wield/agent"
 *
 * const error = new ModelError.ModelTimedOut({ format: "openai-chat", waitedFor: "response", limit: 60_000 })
 * assert.strictEqual(ModelError.isModelError(error), true)
 * assert.strictEqual(ModelError.isModelError(new Error("another")), false)
 * ```
 *
 * @category guards
 */
export const isModelError = (error: unknown): error is ModelError =>
  classes.some((errorClass) => error instanceof errorClass)

/**
 * Whether an error of a model passes by itself, so that the same request may well succeed later: too many requests, an
 * outage, a connection or a body that broke.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ModelError } from "@wield/agent"
 * import { ApiError } from "@wield/providers"
 *
 * const format = "openai-chat"
 * assert.strictEqual(ModelError.isPassing(new ApiError.RateLimited({ format, detail: "slow down" })), true)
 * assert.strictEqual(ModelError.isPassing(new ApiError.QuotaExceeded({ format, detail: "no credit" })), false)
 * ```
 *
 * @category guards
 */
export const isPassing = (error: unknown): error is ModelError => isModelError(error) && passing[error._tag]
