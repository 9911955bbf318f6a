/** Bedrock's Converse API: what an error response, or an exception within a stream, means. */
import type { ApiError } from "../ApiError.js"
import type { FramedError } from "../StreamDecoder.js"
import type { ErrorResponse } from "../internal/contract.js"
import { corruptEvent } from "../framing/awsEventStream.js"
import { classifyError, retryAfter } from "../internal/errors.js"
import { stringField, wireError, isObject } from "../internal/wireField.js"
import { table } from "./format.js"

export const decodeError = ({ body, headers, status }: ErrorResponse): ApiError => {
  const named = headers?.["x-amzn-errortype"] ?? stringField(body, "__type") ?? stringField(body, "code")
  return errorOf(body, named, status, retryAfter(headers))
}

/** An exception in place of an event; its name is in the frame's headers. */
export const framedError: FramedError = (event, message) =>
  event === corruptEvent
    ? wireError(table.name, [], "an AWS event stream", isObject(message) ? message["message"] : message)
    : errorOf(message, event, undefined, undefined)

const errorOf = (
  body: unknown,
  named: string | undefined,
  status: number | undefined,
  wait: number | undefined
): ApiError =>
  classifyError(table.errors, {
    format: table.name,
    status,
    // `ThrottlingException:http://internal.amazon.com/…`, `com.amazon.coral.service#ThrottlingException`
    codes: [named?.replace(/:.*$/, "").replace(/^.*#/, "")],
    words: stringField(body, "message") ?? stringField(body, "Message") ?? stringField(body, "originalMessage"),
    body,
    wait
  })
