/** How the call of an API can fail, as a model reads it: without credentials and addresses of internal hosts. */
import * as Outcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"

/** Whether it may have been carried out all the same, and again would be once more. */
const unsure = { mayHaveTakenEffect: Schema.optional(Schema.Literal(true)) }

/** The model reads the message alone. */
const withDoubt = (
  message: string,
  { mayHaveTakenEffect }: { readonly mayHaveTakenEffect?: true | undefined }
): string => (mayHaveTakenEffect === true ? `${message}. ${Outcome.doubt}` : message)

/**
 * The API answered with a status that is no success.
 *
 * @category errors
 */
export class StatusError extends Schema.TaggedError<StatusError>("@wield/manifest/StatusError")("StatusError", {
  status: Schema.Number,
  /** The answer: JSON, or the beginning of its text. */
  body: Schema.optional(Schema.Unknown),
  ...unsure
}) {
  override get message(): string {
    const { body, status } = this
    const said = body === undefined ? "" : `: ${typeof body === "string" ? body : JSON.stringify(body)}`
    return withDoubt(`The API answered with status ${status}${said}`, this)
  }
}

/**
 * The API could not be reached or may not be, its answer cannot be read, or the request could not be made.
 *
 * @category errors
 */
export class RequestFailed extends Schema.TaggedError<RequestFailed>("@wield/manifest/RequestFailed")("RequestFailed", {
  /** `invalid-request`: these arguments cannot be said to this API; nothing was sent. */
  reason: Schema.Literal("unreachable", "refused", "timeout", "too-large", "invalid-answer", "invalid-request"),
  detail: Schema.String,
  ...unsure
}) {
  override get message(): string {
    return withDoubt(`The request failed: ${this.detail}`, this)
  }
}

/**
 * A GraphQL answer with errors; what came besides them is kept.
 *
 * @category errors
 */
export class GraphQlErrors extends Schema.TaggedError<GraphQlErrors>("@wield/manifest/GraphQlErrors")("GraphQlErrors", {
  errors: Schema.Array(
    Schema.Struct({
      message: Schema.String,
      path: Schema.optional(Schema.Array(Schema.Union(Schema.String, Schema.Number)))
    })
  ),
  data: Schema.optional(Schema.Unknown)
}) {
  override get message(): string {
    const errors = this.errors.map(({ message, path }) =>
      path === undefined ? message : `${message} (${path.join(".")})`
    )
    const said = errors.join("; ")
    // The model reads the message alone.
    if (this.data === undefined || this.data === null) return said
    const data = JSON.stringify(this.data)
    const head = data.length > maxData ? `${data.slice(0, maxData)} …` : data
    return `${said}. What the API answered besides: ${head}`
  }
}

/** In UTF-16 units: much is no failure any more; the field has all. */
const maxData = 16_384

/**
 * The database refused the statement, or it took too long.
 *
 * @category errors
 */
export class QueryFailed extends Schema.TaggedError<QueryFailed>("@wield/manifest/QueryFailed")("QueryFailed", {
  reason: Schema.Literal("refused", "timeout", "read-only", "unreachable"),
  /** What the database said, without the statement and its values. */
  detail: Schema.String,
  ...unsure
}) {
  override get message(): string {
    return withDoubt(`The query failed: ${this.detail}`, this)
  }
}

/**
 * How the call of an API can fail.
 *
 * @category errors
 */
export type ExecutorError = StatusError | RequestFailed | GraphQlErrors | QueryFailed
