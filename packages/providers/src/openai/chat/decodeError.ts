/**
 * What an error of the API means, of a response with an error status or of one
 * that fails while it streams.
 *
 * @see https://platform.openai.com/docs/guides/error-codes
 */
import type { ApiError } from "../../ApiError.js"
import {
  ContentFiltered,
  ContextOverflow,
  NotAuthorized,
  ProviderUnavailable,
  QuotaExceeded,
  RateLimited,
  RequestRejected
} from "../../ApiError.js"
import { retryAfter } from "../../internal/retryAfter.js"
import { errorDetail, statusError } from "../../internal/statusError.js"
import type { ErrorResponse } from "../../WireFormat.js"
import { errorWords } from "./errorWords.js"

type Kind = "overflow" | "quota" | "rate" | "filter" | "credentials" | "unavailable"

/** By the codes and types that the APIs document or were seen to send, in lower case. */
const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ["context_length_exceeded", "overflow"],
  ["model_context_window_exceeded", "overflow"],
  ["insufficient_quota", "quota"],
  ["billing_hard_limit_reached", "quota"],
  ["billing_not_active", "quota"],
  ["exceeded_current_quota_error", "quota"], // Moonshot
  ["arrearage", "quota"], // Alibaba
  ["rate_limit_exceeded", "rate"],
  ["rate_limit_error", "rate"],
  ["rate_limited", "rate"], // Mistral
  ["too_many_requests", "rate"],
  ["ratelimitreached", "rate"], // Azure
  ["limit_requests", "rate"], // Alibaba
  ["resource_exhausted", "rate"], // Google
  ["responsibleaipolicyviolation", "filter"], // Azure
  ["content_filter", "filter"],
  ["content_policy_violation", "filter"],
  ["data_inspection_failed", "filter"], // Alibaba
  ["datainspectionfailed", "filter"],
  ["invalid_api_key", "credentials"],
  ["authentication_error", "credentials"],
  ["permission_error", "credentials"],
  ["unauthenticated", "credentials"], // Google
  ["permission_denied", "credentials"],
  ["server_error", "unavailable"],
  ["internal_server_error", "unavailable"],
  ["api_error", "unavailable"],
  ["overloaded_error", "unavailable"],
  ["engine_overloaded_error", "unavailable"], // Moonshot
  ["service_unavailable", "unavailable"],
  ["service_tier_capacity_exceeded", "unavailable"], // Mistral
  ["3505", "unavailable"]
])

/** What is said in words only, by vLLM, llama.cpp, DeepSeek, xAI, Google, Alibaba, Mistral. */
const sayings: ReadonlyArray<readonly [RegExp, Kind]> = [
  [
    /context (length|window|size)|maximum (context|prompt length)|prompt is too long|too many (input )?tokens|token count.*exceeds|input length should be|reduce the length of the messages/i,
    "overflow"
  ],
  [/violates? usage guidelines|content exists risk|content management policy/i, "filter"],
  [/service tier capacity exceeded/i, "unavailable"],
  [/(incorrect|invalid) api key|api key not valid/i, "credentials"],
  [/insufficient balance|insufficient credits/i, "quota"]
]

export const makeDecodeError =
  (format: string) =>
  ({ status, headers, body }: ErrorResponse): ApiError =>
    apiError(format, body, status, retryAfter(headers))

/** An error within a stream: there is no status but the one that it states itself. */
export const streamedError = (format: string, body: unknown): ApiError => apiError(format, body, undefined, undefined)

const apiError = (
  format: string,
  body: unknown,
  sentStatus: number | undefined,
  stated: number | undefined
): ApiError => {
  const error = errorWords(body)
  const wait = stated ?? error.wait
  const code = error.codes[0]
  // Some servers (OpenRouter) answer with status 200 what their error says is 429.
  const status = sentStatus !== undefined && sentStatus >= 400 ? sentStatus : error.status
  const common = {
    format,
    detail: errorDetail(error.words, body),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status })
  }
  const waiting = wait === undefined ? common : { ...common, retryAfter: wait }
  switch (error.isFlagged ? "filter" : kindOf(error.codes, error.words ?? "", status)) {
    case "overflow":
      return new ContextOverflow(common)
    case "quota":
      return new QuotaExceeded(common)
    case "filter":
      return new ContentFiltered(common)
    case "credentials":
      return new NotAuthorized(common)
    // Groq, for a request that is larger than a whole minute's allowance: waiting will not make it smaller.
    case "rate":
      return status === 413 ? new ContextOverflow(common) : new RateLimited(waiting)
    case "unavailable":
      return new ProviderUnavailable(waiting)
    case undefined:
      break
  }
  const isRefused = error.codes.some((word) => word.startsWith("invalid_"))
  // 498 is Groq's for a service tier without capacity.
  if (status === 498 || (status === undefined && !isRefused)) return new ProviderUnavailable(waiting)
  const { parameter } = error
  if (status !== undefined && !isRequest(status)) return statusError({ ...common, status }, wait)
  return new RequestRejected(parameter === undefined ? common : { ...common, parameter })
}

/** Codes before words; words mean nothing where the status says that the server failed. */
const kindOf = (codes: ReadonlyArray<string>, words: string, status: number | undefined): Kind | undefined => {
  for (const code of codes) {
    const kind = kinds.get(code.toLowerCase())
    if (kind !== undefined) return kind
  }
  if (status !== undefined && status >= 500) return undefined
  return sayings.find(([pattern]) => pattern.test(words))?.[1]
}

/** Statuses by which the request itself is wrong. */
const isRequest = (status: number): boolean =>
  status >= 400 && status < 500 && ![401, 402, 403, 408, 409, 425, 429].includes(status)
