/** The Responses API: what an error means, of a response or of a stream. */
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
import type { Conversing } from "../WireFormat.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField } from "../internal/wireField.js"
import { formatName } from "./format.js"

export const decodeError: Conversing["decodeError"] = ({ body, headers, status }) => {
  const wait = retryAfter(headers)
  const error = errorOf(body)
  // Some servers answer an error with status 200, which says nothing of it.
  return (
    coded(error, status >= 400 ? status : undefined, wait) ?? statusError({ ...described(error, body), status }, wait)
  )
}

/** An error that came as an event of a stream, or in the response that failed. */
export const streamedError = (event: Fields): ApiError => {
  const error = errorOf(event)
  return coded(error, undefined, undefined) ?? new ProviderUnavailable(described(error, event))
}

interface Wire {
  readonly code: string | undefined
  readonly type: string | undefined
  readonly words: string | undefined
  readonly parameter: string | undefined
  /** Azure tells in it which of its filters refused the request. */
  readonly inner: string | undefined
}

/** `{ error: { code, type, message, param } }`; the same flat in a stream; xAI `{ code, error: text }`. */
const errorOf = (body: unknown): Wire => {
  if (!Json.isObject(body))
    return { code: undefined, type: undefined, words: text(body), parameter: undefined, inner: undefined }
  const error = objectField(body, "error") ?? objectField(objectField(body, "response") ?? {}, "error") ?? body
  const code = error["code"]
  return {
    // Numbers are used as codes by compatible servers.
    code: typeof code === "number" ? String(code) : text(code),
    type: error === body && body["type"] === "error" ? undefined : text(error["type"]),
    words: text(error["message"]) ?? text(error["error"]) ?? text(error["detail"]),
    parameter: text(error["param"]),
    inner: stringField(objectField(error, "innererror") ?? {}, "code")
  }
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const described = ({ code, type, words }: Wire, body: unknown) => {
  const word = code ?? type
  return { format: formatName, ...(word === undefined ? {} : { code: word }), detail: errorDetail(words, body) }
}

const coded = (error: Wire, status: number | undefined, wait: number | undefined): ApiError | undefined => {
  const { code, inner, parameter, type, words = "" } = error
  const common = { ...described(error, words), ...(status === undefined ? {} : { status }) }
  const waiting = wait === undefined ? common : { ...common, retryAfter: wait }
  switch (inner ?? code ?? type) {
    case "context_length_exceeded":
      return new ContextOverflow(common)
    case "insufficient_quota":
    case "billing_hard_limit_reached":
    case "billing_not_active":
      return new QuotaExceeded(common)
    case "rate_limit_exceeded":
    case "rate_limit_error":
    case "too_many_requests":
      return new RateLimited(waiting)
    case "content_filter":
    case "content_policy_violation":
    case "ResponsibleAIPolicyViolation":
    case "image_content_policy_violation":
    // The prompt was flagged; the code says no more than that it is invalid.
    case "invalid_prompt":
      return new ContentFiltered(common)
    case "invalid_api_key":
    case "authentication_error":
    case "permission_error":
      return new NotAuthorized(common)
    case "server_error":
    case "internal_server_error":
    case "vector_store_timeout":
    case "overloaded_error":
    case "server_is_overloaded":
    case "slow_down":
      return new ProviderUnavailable(waiting)
  }
  if (status === undefined && type !== "invalid_request_error" && !code?.startsWith("invalid_")) return undefined
  if (status !== undefined && (status < 400 || status >= 500 || isOther(status))) return undefined
  // Compatible servers (vLLM, llama.cpp, LM Studio, DeepSeek) say it in words only.
  if (tooLong.test(words)) return new ContextOverflow(common)
  return rejected(common, parameter)
}

const rejected = (common: ConstructorParameters<typeof RequestRejected>[0], parameter: string | undefined) =>
  new RequestRejected(parameter === undefined ? common : { ...common, parameter })

/** Statuses below 500 that say more than that the request is wrong. */
const isOther = (status: number): boolean => [401, 402, 403, 408, 409, 425, 429].includes(status)

const tooLong = /context (length|window|size)|maximum context|too many (input )?tokens|prompt is too long/i
