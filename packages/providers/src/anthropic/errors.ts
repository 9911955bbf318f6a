/** Anthropic's Messages API: what an error response, or an error event of a stream, means. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import {
  ContentFiltered,
  ContextOverflow,
  NotAuthorized,
  ProviderUnavailable,
  QuotaExceeded,
  RateLimited,
  RequestRejected
} from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { formatName } from "./format.js"
import type { Described } from "../internal/errors.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import { objectField, stringField } from "../internal/wireField.js"

export const decodeError = ({ body, headers, status }: ErrorResponse): ApiError =>
  errorOf(body, status, retryAfter(headers))

/** An error event: the response began with the status 200, so the type is all there is. */
export const streamError = (event: unknown): ApiError => errorOf(event, undefined, undefined)

const overflow =
  /prompt is too long|input is too long|exceeds? (the )?context (limit|window)|context window|too many (input )?tokens/i
const usedUp = /credit balance|API usage limits?|spend(ing)? limit|spend_limit|monthly limit/i
const filtered = /content filter/i

const errorOf = (body: unknown, status: number | undefined, wait: number | undefined): ApiError => {
  const fields = Json.isObject(body) ? body : {}
  // Bedrock's and Vertex AI's gateways answer some errors themselves, with a message only.
  const error = objectField(fields, "error") ?? fields
  const words = stringField(error, "message") ?? stringField(fields, "error")
  const type = stringField(error, "type")
  const code = type === "error" ? undefined : (type ?? stringField(error, "status"))
  const detail = errorDetail(words, body)
  const described: Described = {
    format: formatName,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
    detail
  }
  const waiting = wait === undefined ? {} : { retryAfter: wait }
  const is = (...statuses: ReadonlyArray<number>): boolean => status !== undefined && statuses.includes(status)

  if (code === "billing_error" || is(402)) return new QuotaExceeded(described)
  // A credit that is used up is an `invalid_request_error`, a spend limit a `rate_limit_error`.
  if ((code === "invalid_request_error" || is(400, 403, 429)) && usedUp.test(detail))
    return new QuotaExceeded(described)
  // Vertex AI answers a prompt that is too long with 413.
  if ((code === "invalid_request_error" || is(400, 413)) && overflow.test(detail)) return new ContextOverflow(described)
  if ((code === "invalid_request_error" || is(400)) && filtered.test(detail)) return new ContentFiltered(described)
  switch (code) {
    case "authentication_error":
    case "permission_error":
      return new NotAuthorized(described)
    case "rate_limit_error":
      return new RateLimited({ ...described, ...waiting })
    case "api_error":
    case "overloaded_error":
    case "timeout_error":
    case "conflict_error":
      return new ProviderUnavailable({ ...described, ...waiting })
    case "invalid_request_error":
    case "not_found_error":
    case "request_too_large":
      return new RequestRejected({ ...described, ...parameterOf(detail) })
  }
  return status === undefined
    ? new ProviderUnavailable({ ...described, ...waiting })
    : statusError({ ...described, status }, wait)
}

/** The API begins with the place: `messages.1.content.0.tool_result: …`. */
const parameterOf = (detail: string): { readonly parameter?: string } => {
  const place = /^([a-z_]+(?:\.[\w-]+)*): /.exec(detail)?.[1]
  return place === undefined ? {} : { parameter: place }
}
