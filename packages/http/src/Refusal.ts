/**
 * What requests and answers are refused for. It needs no Node, so that whatever
 * uses an `HttpClient` can ask for it.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/**
 * The address that a request would go to is not public, and its host is not
 * allowed by name.
 *
 * @category errors
 */
export class AddressRefused extends Schema.TaggedError<AddressRefused>("@wield/http/AddressRefused")("AddressRefused", {
  /** The host as the URL has it. */
  host: Schema.String,
  /** The address that its name has; absent where the name has none. */
  address: Schema.optional(Schema.String),
  /** What kind of address it is, such as `loopback` or `private`. */
  range: Schema.String
}) {
  override get message(): string {
    const address = this.address === undefined || this.address === this.host ? "" : ` (${this.address})`
    return `${this.host}${address} is not a public address but ${this.range}. If requests may go there, add it to allowedHosts`
  }
}

/**
 * The URL is of another scheme than `http` and `https`.
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
 * There were more redirects than the policy allows.
 *
 * @category errors
 */
export class TooManyRedirects extends Schema.TaggedError<TooManyRedirects>("@wield/http/TooManyRedirects")(
  "TooManyRedirects",
  { limit: Schema.Number }
) {
  override get message(): string {
    return `There were more than ${this.limit} redirects. If that is meant, raise maxRedirects`
  }
}

/**
 * A redirect that cannot be followed: its location is no URL, or the body of
 * the request is a stream, which can be sent once only.
 *
 * @category errors
 */
export class RedirectRefused extends Schema.TaggedError<RedirectRefused>("@wield/http/RedirectRefused")(
  "RedirectRefused",
  { reason: Schema.Literal("location", "stream") }
) {
  override get message(): string {
    return this.reason === "location"
      ? "The location of a redirect is no URL"
      : "A redirect asks for the body again, which is a stream: send it as bytes, or to where the redirect leads"
  }
}

/**
 * The answer is longer than the policy allows, counted after decompression.
 *
 * @category errors
 */
export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>("@wield/http/BodyTooLarge")("BodyTooLarge", {
  /** Bytes. */
  limit: Schema.Number
}) {
  override get message(): string {
    return `The answer has more than ${this.limit} bytes. If that is meant, raise maxBytes`
  }
}

/**
 * The answer says that it is compressed several times over.
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
 * The status of the answer is none that HTTP has: they are 100 to 599.
 *
 * @category errors
 */
export class StatusRefused extends Schema.TaggedError<StatusRefused>("@wield/http/StatusRefused")("StatusRefused", {
  status: Schema.Number
}) {
  override get message(): string {
    return `The answer has the status ${this.status}, which HTTP has not: ask whoever runs the server`
  }
}

/**
 * What a request or an answer was refused for.
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
 * What a failed request was refused for; none if it failed otherwise. It looks
 * along the causes of the error.
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
