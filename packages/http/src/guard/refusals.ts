/** What requests and answers are refused for. */
import * as Schema from "effect/Schema"

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

export class ProtocolRefused extends Schema.TaggedError<ProtocolRefused>("@wield/http/ProtocolRefused")(
  "ProtocolRefused",
  { protocol: Schema.String }
) {
  override get message(): string {
    return `The protocol ${this.protocol} is refused: use http: or https:`
  }
}

export class TooManyRedirects extends Schema.TaggedError<TooManyRedirects>("@wield/http/TooManyRedirects")(
  "TooManyRedirects",
  { limit: Schema.Number }
) {
  override get message(): string {
    return `There were more than ${this.limit} redirects. If that is meant, raise maxRedirects`
  }
}

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

export class BodyTooLarge extends Schema.TaggedError<BodyTooLarge>("@wield/http/BodyTooLarge")("BodyTooLarge", {
  /** Bytes. */
  limit: Schema.Number
}) {
  override get message(): string {
    return `The answer has more than ${this.limit} bytes. If that is meant, raise maxBytes`
  }
}

export class EncodingRefused extends Schema.TaggedError<EncodingRefused>("@wield/http/EncodingRefused")(
  "EncodingRefused",
  { limit: Schema.Number }
) {
  override get message(): string {
    return `The answer is compressed more than ${this.limit} times over`
  }
}
