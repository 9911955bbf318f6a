/** What a provider's API answers instead of a turn, by what a program can do about it. */
import * as Schema from "effect/Schema"

const common = {
  /** Name of the wire format. */
  format: Schema.String,
  /** The HTTP status; absent for an error within a stream. */
  status: Schema.optional(Schema.Number),
  /** The API's own code or type, such as `rate_limit_error`. */
  code: Schema.optional(Schema.String),
  /** The API's own words. */
  detail: Schema.String
}

const described = (error: { readonly format: string; readonly detail: string }, what: string): string =>
  `${what} (${error.format}): ${error.detail}`

/**
 * The request is not what the API accepts (400, 404, 413, 422). Sending it
 * again will not help: mend the request.
 *
 * @category errors
 */
export class RequestRejected extends Schema.TaggedError<RequestRejected>("@wield/providers/RequestRejected")(
  "RequestRejected",
  {
    ...common,
    /** The part of the request that is wrong, where the API names it. */
    parameter: Schema.optional(Schema.String)
  }
) {
  override get message(): string {
    return described(this, "The request was rejected")
  }
}

/**
 * The conversation is longer than the model's context: shorten it.
 *
 * @category errors
 */
export class ContextOverflow extends Schema.TaggedError<ContextOverflow>("@wield/providers/ContextOverflow")(
  "ContextOverflow",
  common
) {
  override get message(): string {
    return described(this, "The conversation is too long for the model")
  }
}

/**
 * The provider's policy withheld the answer or refused the request: change what
 * is asked.
 *
 * @category errors
 */
export class ContentFiltered extends Schema.TaggedError<ContentFiltered>("@wield/providers/ContentFiltered")(
  "ContentFiltered",
  common
) {
  override get message(): string {
    return described(this, "The provider's policy refused the content")
  }
}

/**
 * The key is missing, wrong, or not allowed to do this (401, 403).
 *
 * @category errors
 */
export class NotAuthorized extends Schema.TaggedError<NotAuthorized>("@wield/providers/NotAuthorized")(
  "NotAuthorized",
  common
) {
  override get message(): string {
    return described(this, "The API did not accept the credentials")
  }
}

/**
 * Too many requests or tokens (429): wait, then send it again.
 *
 * @category errors
 */
export class RateLimited extends Schema.TaggedError<RateLimited>("@wield/providers/RateLimited")("RateLimited", {
  ...common,
  /** Milliseconds to wait, where the API says so. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    const wait = this.retryAfter === undefined ? "" : `; it asks to wait ${this.retryAfter} ms`
    return `${described(this, "Too many requests")}${wait}`
  }
}

/**
 * The account's quota or credit is used up: waiting will not help.
 *
 * @category errors
 */
export class QuotaExceeded extends Schema.TaggedError<QuotaExceeded>("@wield/providers/QuotaExceeded")(
  "QuotaExceeded",
  common
) {
  override get message(): string {
    return described(this, "The quota is used up")
  }
}

/**
 * The provider failed or is overloaded (5xx, 408, 409, 529): send it again.
 *
 * @category errors
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>(
  "@wield/providers/ProviderUnavailable"
)("ProviderUnavailable", {
  ...common,
  /** Milliseconds to wait, where the API says so. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return described(this, "The provider is unavailable")
  }
}

/**
 * What a provider's API answers instead of a turn.
 *
 * @category errors
 */
export type ApiError =
  | RequestRejected
  | ContextOverflow
  | ContentFiltered
  | NotAuthorized
  | RateLimited
  | QuotaExceeded
  | ProviderUnavailable

/**
 * Whether the same request, sent again later, can succeed.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic, ApiError } from "@wield/providers"
 *
 * const body = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
 * const error = Anthropic.decodeError({ status: 529, body })
 * assert.strictEqual(error._tag, "ProviderUnavailable")
 * assert.strictEqual(ApiError.isRetryable(error), true)
 * ```
 *
 * @category guards
 */
export const isRetryable = (error: ApiError): error is RateLimited | ProviderUnavailable =>
  error._tag === "RateLimited" || error._tag === "ProviderUnavailable"
