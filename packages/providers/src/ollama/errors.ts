/** Ollama's chat API: what an error response, or an error within a stream, means. The server says it in words only. */
import { Json } from "@wield/core"
import type { ApiError } from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { classifyError, retryAfter } from "../internal/errors.js"
import { stringField } from "../internal/wireField.js"
import { table } from "./format.js"

export const decodeError = ({ body, headers, status }: ErrorResponse): ApiError =>
  errorOf(body, status, retryAfter(headers))

/** An error in a stream that had begun: the request was fine. */
export const streamError = (body: unknown): ApiError => errorOf(body, undefined, undefined)

const errorOf = (body: unknown, status: number | undefined, wait: number | undefined): ApiError => {
  const fields = Json.isObject(body) ? body : {}
  const words = stringField(fields, "error")
  return classifyError(table.errors, { format: table.name, status, codes: [], words, body, wait })
}
