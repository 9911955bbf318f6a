/** Bedrock's Converse API: what an error response, or an exception within a stream, means. */
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
import type { FramedError } from "../StreamDecoder.js"
import type { ErrorResponse } from "../WireFormat.js"
import { formatName } from "./format.js"
import { corruptEvent } from "../framing/awsEventStream.js"
import { errorDetail, retryAfter, statusError } from "../internal/errors.js"
import { stringField, wireError } from "../internal/wireField.js"

export const decodeError = ({ status, headers, body }: ErrorResponse): ApiError => {
  const fields = Json.isObject(body) ? body : {}
  const named = headers?.["x-amzn-errortype"] ?? stringField(fields, "__type") ?? stringField(fields, "code")
  return apiError({ status, headers, body, code: named })
}

/** An exception in place of an event; its name is in the frame's headers. */
export const framedError: FramedError = (event, message) =>
  event === corruptEvent
    ? wireError(formatName, [], "an AWS event stream", Json.isObject(message) ? message["message"] : message)
    : apiError({ status: undefined, headers: undefined, body: message, code: event })

const apiError = (error: {
  readonly status: number | undefined
  readonly headers: ErrorResponse["headers"]
  readonly body: unknown
  readonly code: string | undefined
}): ApiError => {
  const { status, headers, body } = error
  const fields = Json.isObject(body) ? body : {}
  // `ThrottlingException:http://internal.amazon.com/…`, `com.amazon.coral.service#ThrottlingException`
  const code = error.code?.replace(/:.*$/, "").replace(/^.*#/, "")
  const detail = errorDetail(
    stringField(fields, "message") ?? stringField(fields, "Message") ?? stringField(fields, "originalMessage"),
    body
  )
  const described = {
    format: formatName,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined || code === "" ? {} : { code }),
    detail
  }
  const waited = retryAfter(headers)
  const wait = waited === undefined ? {} : { retryAfter: waited }
  // Exceptions within a stream begin with a small letter.
  switch (code?.toLowerCase()) {
    case "throttlingexception":
    case "toomanyrequestsexception":
      // "Too many tokens per day, please wait before trying again."
      return /per day/i.test(detail) ? new QuotaExceeded(described) : new RateLimited({ ...described, ...wait })
    case "servicequotaexceededexception":
      return new QuotaExceeded(described)
    case "accessdeniedexception":
    case "unrecognizedclientexception":
    case "invalidsignatureexception":
    case "expiredtokenexception":
    case "missingauthenticationtokenexception":
    case "incompletesignatureexception":
    case "notauthorizedexception":
      return new NotAuthorized(described)
    // 429, but it is the model that is not loaded yet.
    case "modelnotreadyexception":
    // 424: the model failed, whatever the status.
    case "modelerrorexception":
    case "modelstreamerrorexception":
    case "modeltimeoutexception":
    case "internalserverexception":
    case "internalfailure":
    case "serviceunavailableexception":
      return overflowOr(described, new ProviderUnavailable({ ...described, ...wait }))
    case "validationexception":
      return overflowOr(described, new RequestRejected(described))
    case "resourcenotfoundexception":
      return new RequestRejected(described)
  }
  if (status === undefined) return new ProviderUnavailable(described)
  return status === 400
    ? overflowOr(described, new RequestRejected(described))
    : statusError({ ...described, status }, waited)
}

/** Bedrock passes on what the model says, under the exception of any bad request. */
const overflowOr = (
  described: { readonly format: string; readonly detail: string },
  otherwise: RequestRejected | ProviderUnavailable
): ApiError => {
  if (overflow.test(described.detail)) return new ContextOverflow(described)
  return /content filter/i.test(described.detail) ? new ContentFiltered(described) : otherwise
}

/** Claude, Nova, Llama and Mistral each say it in their own way. */
const overflow =
  /(input|prompt) is too long|too many input tokens|(exceed|longer than).*(context|maximum (input|prompt|model) (length|tokens))|maximum context length|input length and `max_tokens` exceed/i
