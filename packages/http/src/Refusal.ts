/** Why a guarded client refused a request or an answer. This module runs without Node. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The address of a request is not public, and its host is not allowed by name.
 *
 * @category errors
 */
export class AddressRefused extends Schema.TaggedError<AddressRefused>("@wield/http/AddressRefused")("AddressRefused", {
  /** The host in the URL. */
  host: Schema.String,
  /** The address of the name; absent if it has none. */
  address: Schema.optional(Schema.String),
  /** The range of the address, such as `loopback` or `private`. */
  range: Schema.String,
  /** Where `allowedHosts` stands, such as the path of a configuration. */
  allowedHostsOf: Schema.optional(Schema.String)
}) {
  override get message(): string {
    const address = this.address === undefined || this.address === this.host ? "" : ` (${this.address})`
    return `${this.host}${address} is not a public address but ${this.range}. To allow it, add it to allowedHosts of ${this.allowedHostsOf ?? "the policy of HttpGuard"}`
  }
}

/**
 * The scheme of the URL is neither `http` nor `https`.
 *
 * @category errors
 */
export class ProtocolRefused extends Schema.TaggedError<ProtocolRefused>("@wield/http/ProtocolRefused")(
  "ProtocolRefused",
  { protocol: Schema.String }
) {
  override get message(): string {
    return `The protocol ${this.protocol} is refused: use http: or https:`
  }
}

/**
 * The request was redirected more often than the policy allows.
 *
 * @category errors
 */
export class TooManyRedirects extends Schema.TaggedError<TooManyRedirects>("@wield/http/TooManyRedirects")(
  "TooManyRedirects",
  { limit: Schema.Number }
) {
  override get message(): string {
    return `There were more than ${this.limit} redirects. To follow more, raise maxRedirects`
  }
}

/**
 * A redirect cannot be followed: its location is not a URL, or the body of the
 * request is a stream, which can be sent only once.
 *
 * @category errors
 */
export class RedirectRefused extends Schema.TaggedError<RedirectRefused>("@wield/http/RedirectRefused")(
  "RedirectRefused",
  { reason: Schema.Literal("location", "stream") }
) {
  override get message(): string {
    return this.reason === "location"
      ? "The location of a redirect is not a URL"
      : "A redirect asks for the body again, and a stream can be sent only once. Send bytes, or use the address of the redirect"
  }
}

/**
 * The answer is longer than the policy allows, after decompression.
 *
 * @category errors
 */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>("@wield/http/BodyTooLarge")("BodyTooLarge", {
  /** Bytes. */
  limit: Schema.Number
}) {
  override get message(): string {
    return `The answer has more than ${this.limit} bytes. To read more, raise maxBytes`
  }
}

/**
 * The answer is compressed several times over.
 *
 * @category errors
 */
export class EncodingRefused extends Schema.TaggedError<EncodingRefused>("@wield/http/EncodingRefused")(
  "EncodingRefused",
  { limit: Schema.Number }
) {
  override get message(): string {
    return `The answer is compressed more than ${this.limit} times over`
  }
}

/**
 * The status of the answer is not between 100 and 599.
 *
 * @category errors
 */
export class StatusRefused extends Schema.TaggedError<StatusRefused>("@wield/http/StatusRefused")("StatusRefused", {
  status: Schema.Number
}) {
  override get message(): string {
    return `The answer has the status ${this.status}, which HTTP does not define. Ask the operator of the server`
  }
}

/**
 * Every reason for a refusal.
 *
 * @category errors
 */
export type Refusal =
  | AddressRefused
  | BodyTooLarge
  | EncodingRefused
  | ProtocolRefused
  | RedirectRefused
  | StatusRefused
  | TooManyRedirects

/**
 * The refusal behind an error, or none if the request failed for another reason.
 * It searches the causes of the error.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { HttpGuard } from "@wield/http"
 * import { Option } from "effect"
 *
 * const error = new Error("no answer", { cause: new HttpGuard.TooManyRedirects({ limit: 5 }) })
 * assert.strictEqual(Option.getOrThrow(HttpGuard.refusalOf(error))._tag, "TooManyRedirects")
 * assert.ok(Option.isNone(HttpGuard.refusalOf(new Error("no route to host"))))
 * ```
 *
 * @category errors
 */
export const refusalOf = (error: unknown): Option.Option<Refusal> => {
  let current = error
  // Causes may form a circle.
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (isRefusal(current)) return Option.some(current)
    current = current.cause
  }
  return Option.none()
}

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof AddressRefused ||
  error instanceof BodyTooLarge ||
  error instanceof EncodingRefused ||
  error instanceof ProtocolRefused ||
  error instanceof RedirectRefused ||
  error instanceof StatusRefused ||
  error instanceof TooManyRedirects
