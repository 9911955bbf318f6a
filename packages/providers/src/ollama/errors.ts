/** Ollama's chat API: what an error means. The server says it in words only. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import { ContextOverflow, ProviderUnavailable } from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import { stringField } from "../internal/wireField.js"
import { formatName } from "./format.js"

export const decodeError = ({ status, headers, body }: ErrorResponse): ApiError => {
  const described = { format: formatName, status, detail: detailOf(body) }
  if (overflow.test(described.detail)) return new ContextOverflow(described)
  return statusError(described, retryAfter(headers))
}

/** An error in a stream that had begun: the request was fine. */
export const streamError = (line: unknown): ApiError => {
  const described = { format: formatName, detail: detailOf(line) }
  return overflow.test(described.detail) ? new ContextOverflow(described) : new ProviderUnavailable(described)
}

const detailOf = (body: unknown): string =>
  errorDetail(Json.isObject(body) ? stringField(body, "error") : undefined, body)

/** Ollama cuts a long conversation by itself; its runners say this where they cannot. */
const overflow = /exceeds? (the )?(maximum |available )?context (length|size|window)|prompt (is )?too long/i
