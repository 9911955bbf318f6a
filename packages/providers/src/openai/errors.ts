/** What an error of OpenAI's APIs means, whichever of the compatible servers wrote it. */
import type { ApiError } from "../ApiError.js"
import type { ErrorResponse } from "../WireFormat.js"
import { type ErrorTable, classifyError, retryAfter } from "../internal/errors.js"
import { type Fields, numberField, objectField, stringField, isObject } from "../internal/wireField.js"

export const errors: ErrorTable = {
  // What the APIs document or were seen to send.
  codes: {
    context_length_exceeded: "overflow",
    model_context_window_exceeded: "overflow",
    insufficient_quota: "quota",
    billing_hard_limit_reached: "quota",
    billing_not_active: "quota",
    exceeded_current_quota_error: "quota", // Moonshot
    arrearage: "quota", // Alibaba
    rate_limit_exceeded: "rate",
    rate_limit_error: "rate",
    rate_limited: "rate", // Mistral
    too_many_requests: "rate",
    ratelimitreached: "rate", // Azure
    limit_requests: "rate", // Alibaba
    resource_exhausted: "rate", // Google
    responsibleaipolicyviolation: "filter", // Azure
    content_filter: "filter",
    content_policy_violation: "filter",
    image_content_policy_violation: "filter",
    // The prompt was flagged; the code says no more than that it is invalid.
    invalid_prompt: "filter",
    data_inspection_failed: "filter", // Alibaba
    datainspectionfailed: "filter",
    invalid_api_key: "credentials",
    authentication_error: "credentials",
    permission_error: "credentials",
    unauthenticated: "credentials", // Google
    permission_denied: "credentials",
    server_error: "unavailable",
    internal_server_error: "unavailable",
    api_error: "unavailable",
    overloaded_error: "unavailable",
    server_is_overloaded: "unavailable",
    slow_down: "unavailable",
    vector_store_timeout: "unavailable",
    engine_overloaded_error: "unavailable", // Moonshot
    service_unavailable: "unavailable",
    service_tier_capacity_exceeded: "unavailable", // Mistral
    "3505": "unavailable"
  },
  // Groq's, for a service tier without capacity.
  statuses: { 498: "unavailable" },
  // vLLM, llama.cpp, DeepSeek, xAI, Google, Alibaba, Mistral.
  wordings: [
    {
      pattern:
        /context (length|window|size)|maximum (context|prompt length)|prompt is too long|too many (input )?tokens|token count.*exceeds|input length should be|reduce the length of the messages/i,
      among: ["request", "unavailable"],
      kind: "overflow"
    },
    {
      pattern: /violates? usage guidelines|content exists risk|content management policy/i,
      among: ["request", "credentials", "unavailable"],
      kind: "filter"
    },
    { pattern: /service tier capacity exceeded/i, among: ["rate", "request"], kind: "unavailable" },
    {
      pattern: /(incorrect|invalid) api key|api key not valid/i,
      among: ["request", "unavailable"],
      kind: "credentials"
    },
    {
      pattern: /insufficient balance|insufficient credits/i,
      among: ["request", "rate", "credentials", "unavailable"],
      kind: "quota"
    }
  ]
}

export const errorDecoder =
  (format: string) =>
  ({ status, headers, body }: ErrorResponse): ApiError =>
    errorOf(format, body, status, retryAfter(headers))

/** An error within a stream: there is no status but the one that it states itself. */
export const streamedError = (format: string, body: unknown): ApiError => errorOf(format, body, undefined, undefined)

const errorOf = (
  format: string,
  body: unknown,
  sentStatus: number | undefined,
  stated: number | undefined
): ApiError => {
  const error = errorWords(body)
  // Some servers (OpenRouter) answer with status 200 what their error says is 429.
  const status = sentStatus !== undefined && sentStatus >= 400 ? sentStatus : error.status
  const isRate = error.codes.some((code) => errors.codes[code.toLowerCase()] === "rate")
  // Groq, for a request that is larger than a whole minute's allowance: waiting will not make it smaller.
  const isTooLarge = isRate && status === 413
  const isRefused = status === undefined && error.codes.some((code) => code.startsWith("invalid_"))
  return classifyError(errors, {
    format,
    status: status ?? (isRefused ? 400 : undefined),
    hasStatus: status !== undefined,
    codes: [
      ...(error.isFlagged ? ["content_filter"] : []),
      ...(isTooLarge ? ["context_length_exceeded"] : []),
      ...error.codes
    ],
    code: error.codes[0],
    words: error.words,
    body,
    parameter: error.parameter,
    wait: stated ?? error.wait
  })
}

interface ErrorWords {
  /** The most precise words first: Azure's inner code, the code, the type, Google's status. */
  readonly codes: ReadonlyArray<string>
  readonly words: string | undefined
  readonly parameter: string | undefined
  /** A status that the error itself states, as it does within a stream. */
  readonly status: number | undefined
  /** Milliseconds to wait, where the body says so. */
  readonly wait: number | undefined
  /** OpenRouter's moderation names what it flagged. */
  readonly isFlagged: boolean
}

/**
 * OpenAI, Azure, Groq and OpenRouter: `{ error: { message, type, code, param } }`.
 * Google's endpoint puts that in an array. Mistral and vLLM: the same without
 * `error`. xAI and Hugging Face: `{ code?, error: text }`. Servers of FastAPI:
 * `{ detail }`, with the places where the request is wrong.
 */
const errorWords = (body: unknown): ErrorWords => {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(first)) return { ...nothing, words: textOf(first) }
  const error = objectField(first, "error") ?? objectField(objectField(first, "response"), "error") ?? first
  const inner = objectField(error, "innererror") ?? {}
  const metadata = objectField(error, "metadata") ?? {}
  const places = placesOf(error)
  const words =
    textOf(error["message"]) ?? textOf(error["error"]) ?? textOf(error["detail"]) ?? places?.words ?? writerWords(error)
  return {
    codes: [inner["code"], error["code"], error["type"], error["status"]].flatMap((code) =>
      // The type of an event says no more than that it is one.
      code === "error"
        ? []
        : typeof code === "number"
          ? [String(code)]
          : typeof code === "string" && code !== ""
            ? [code]
            : []
    ),
    words,
    parameter: textOf(error["param"]) ?? places?.parameter,
    status: [error["status_code"], error["code"], error["raw_status_code"]].find(isStatus),
    wait: waitOf(error, words ?? ""),
    isFlagged: Array.isArray(metadata["reasons"])
  }
}

const nothing: ErrorWords = {
  codes: [],
  words: undefined,
  parameter: undefined,
  status: undefined,
  wait: undefined,
  isFlagged: false
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isStatus = (value: unknown): value is number => typeof value === "number" && value >= 400 && value < 600

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

/** FastAPI's list of what is wrong where; Mistral wraps it in `message`. */
const placesOf = (error: Fields): { readonly words: string; readonly parameter: string } | undefined => {
  const list = error["detail"] ?? objectField(error, "message")?.["detail"]
  const places = (Array.isArray(list) ? list : []).filter(isObject)
  if (places.length === 0) return undefined
  const pathOf = (place: Fields | undefined): string => {
    const path: unknown = place?.["loc"]
    return Array.isArray(path) ? path.filter((key) => isKey(key) && key !== "body").join(".") : ""
  }
  return {
    words: places.map((place) => `${pathOf(place)}: ${stringField(place, "msg") ?? "wrong"}`).join("; "),
    parameter: pathOf(places[0])
  }
}

/** Writer: `{ errors: [{ description, key }] }`. */
const writerWords = (error: Fields): string | undefined => {
  const list = error["errors"]
  const first: unknown = Array.isArray(list) ? list[0] : undefined
  return isObject(first) ? textOf(first["description"]) : undefined
}

/** Google's RetryInfo, Hugging Face's time to load a model, or the words of OpenAI, Groq and Azure. */
const waitOf = (error: Fields, words: string): number | undefined => {
  const details = error["details"]
  for (const detail of Array.isArray(details) ? details : []) {
    const seconds = /^([\d.]+)s$/.exec(stringField(detail, "retryDelay") ?? "")
    if (seconds !== null) return milliseconds(seconds[1], 1000)
  }
  const loading = numberField(error, "estimated_time")
  if (loading !== undefined) return loading * 1000
  const again = /try again in (?:([\d.]+)h)?(?:([\d.]+)m(?!s))?(?:([\d.]+)(ms|s))?/i.exec(words)
  const after = /retry after ([\d.]+) seconds?/i.exec(words)
  if (after !== null) return milliseconds(after[1], 1000)
  if (again === null || again.slice(1, 4).every((part) => part === undefined)) return undefined
  const [, hours, minutes, rest, unit] = again
  return sum(
    milliseconds(hours, 3_600_000),
    milliseconds(minutes, 60_000),
    milliseconds(rest, unit === "ms" ? 1 : 1000)
  )
}

const milliseconds = (text: string | undefined, unit: number): number | undefined => {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) ? Math.ceil(value * unit) : undefined
}

const sum = (...parts: ReadonlyArray<number | undefined>): number =>
  parts.reduce<number>((total, part) => total + (part ?? 0), 0)
