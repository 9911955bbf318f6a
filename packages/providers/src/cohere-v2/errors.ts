/** Cohere's Chat API: what an error response, or an error within a stream, means. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import { ContextOverflow, NotAuthorized, ProviderUnavailable, QuotaExceeded } from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { formatName } from "./format.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import { stringField } from "../internal/wireField.js"

export const decodeError = ({ status, headers, body }: ErrorResponse): ApiError => {
  const described = { format: formatName, status, detail: detailOf(body) }
  if (isOverflow(described.detail)) return new ContextOverflow(described)
  // A trial key has calls a minute, which come back, and calls a month, which do not.
  if (status === 429 && /\/ ?month|per month|monthly/i.test(described.detail)) return new QuotaExceeded(described)
  // Cohere's own number for a token that it does not accept.
  if (status === 498) return new NotAuthorized(described)
  return statusError(described, retryAfter(headers))
}

/** An error in a stream that had begun: the request was fine. */
export const streamError = (body: unknown): ApiError => {
  const described = { format: formatName, detail: detailOf(body) }
  return isOverflow(described.detail) ? new ContextOverflow(described) : new ProviderUnavailable(described)
}

const detailOf = (body: unknown): string => {
  const fields = Json.isObject(body) ? body : {}
  return errorDetail(stringField(fields, "message") ?? stringField(fields, "error"), body)
}

/** "too many tokens: max tokens must be …" is of the answer's length, not of the conversation's. */
const isOverflow = (detail: string): boolean => /^too many tokens/i.test(detail) && !/max tokens must be/i.test(detail)
