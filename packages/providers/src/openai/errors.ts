/** What an error of OpenAI's APIs means, whichever of the compatible servers wrote it. */
import { type ErrorTable, errorDecoders } from "../internal/errors.js"
import { meanings } from "../internal/format.js"
import { type Fields, isObject, listField, numberField, objectField, stringField } from "../internal/wireField.js"

export const errors: ErrorTable = {
  // What the APIs document or were seen to send.
  codes: meanings({
    overflow: "context_length_exceeded model_context_window_exceeded",
    quota:
      "insufficient_quota billing_hard_limit_reached billing_not_active " +
      // Moonshot, Alibaba.
      "exceeded_current_quota_error arrearage",
    rate:
      "rate_limit_exceeded rate_limit_error too_many_requests " +
      // Mistral, Azure, Alibaba, Google.
      "rate_limited ratelimitreached limit_requests resource_exhausted",
    filter:
      "content_filter content_policy_violation image_content_policy_violation " +
      // The prompt was flagged; the code says no more than that it is invalid.
      "invalid_prompt " +
      // Azure, and twice Alibaba.
      "responsibleaipolicyviolation data_inspection_failed datainspectionfailed",
    // `unauthenticated` is Google's.
    credentials: "invalid_api_key authentication_error permission_error permission_denied unauthenticated",
    unavailable:
      "server_error internal_server_error api_error overloaded_error server_is_overloaded slow_down " +
      "vector_store_timeout service_unavailable " +
      // Moonshot, and twice Mistral.
      "engine_overloaded_error service_tier_capacity_exceeded 3505"
  }),
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

/**
 * OpenAI, Azure, Groq and OpenRouter: `{ error: { message, type, code, param } }`.
 * Google's endpoint puts that in an array. Mistral and vLLM: the same without
 * `error`. xAI and Hugging Face: `{ code?, error: text }`. Servers of FastAPI:
 * `{ detail }`, with the places where the request is wrong.
 */
export const makeErrorDecoders = (name: string) =>
  errorDecoders({ name, errors }, (body, sentStatus, wait) => {
    const first: unknown = Array.isArray(body) ? body[0] : body
    const error = objectField(first, "error") ?? objectField(objectField(first, "response"), "error") ?? first
    const codes = codesOf(error)
    const places = placesOf(error)
    const words = isObject(error)
      ? (textOf(error["message"]) ??
        textOf(error["error"]) ??
        textOf(error["detail"]) ??
        places?.words ??
        writerWords(error))
      : textOf(error)
    const stated = [
      numberField(error, "status_code"),
      numberField(error, "code"),
      numberField(error, "raw_status_code")
    ]
    // Some servers (OpenRouter) answer with status 200 what their error says is 429; within a stream only it states one.
    const status = sentStatus !== undefined && sentStatus >= 400 ? sentStatus : stated.find(isStatus)
    const isRate = codes.some((code) => errors.codes[code.toLowerCase()] === "rate")
    const isRefused = status === undefined && codes.some((code) => code.startsWith("invalid_"))
    return {
      status: status ?? (isRefused ? 400 : undefined),
      hasStatus: status !== undefined,
      codes: [
        // OpenRouter's moderation names what it flagged.
        ...(Array.isArray(objectField(error, "metadata")?.["reasons"]) ? ["content_filter"] : []),
        // Groq, for a request that is larger than a whole minute's allowance: waiting will not make it smaller.
        ...(isRate && status === 413 ? ["context_length_exceeded"] : []),
        ...codes
      ],
      code: codes[0],
      words,
      parameter: stringField(error, "param") || places?.parameter,
      wait: wait ?? waitOf(error, words ?? "")
    }
  })

/** The most precise first: Azure's inner code, the code, the type, Google's status. */
const codesOf = (error: unknown): ReadonlyArray<string> => {
  if (!isObject(error)) return []
  const stated = [objectField(error, "innererror")?.["code"], error["code"], error["type"], error["status"]]
  return stated.flatMap((code) => {
    if (typeof code === "number") return [String(code)]
    // The type of an event says no more than that it is one.
    return typeof code === "string" && code !== "" && code !== "error" ? [code] : []
  })
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const isStatus = (status: number | undefined): boolean => status !== undefined && status >= 400 && status < 600

const isKey = (value: unknown): boolean => typeof value === "string" || typeof value === "number"

/** FastAPI's list of what is wrong where; Mistral wraps it in `message`. */
const placesOf = (error: unknown): { readonly words: string; readonly parameter: string } | undefined => {
  const own = listField(error, "detail")
  const places = (own.length > 0 ? own : listField(objectField(error, "message"), "detail")).filter(isObject)
  if (places.length === 0) return undefined
  const pathOf = (place: Fields | undefined): string =>
    listField(place, "loc")
      .filter((key) => isKey(key) && key !== "body")
      .join(".")
  return {
    words: places.map((place) => `${pathOf(place)}: ${stringField(place, "msg") ?? "wrong"}`).join("; "),
    parameter: pathOf(places[0])
  }
}

/** Writer: `{ errors: [{ description, key }] }`. */
const writerWords = (error: Fields): string | undefined => stringField(listField(error, "errors")[0], "description")

/** Google's RetryInfo, Hugging Face's time to load a model, or the words of OpenAI, Groq and Azure. */
const waitOf = (error: unknown, words: string): number | undefined => {
  for (const detail of listField(error, "details")) {
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
  const parts = [
    milliseconds(hours, 3_600_000),
    milliseconds(minutes, 60_000),
    milliseconds(rest, unit === "ms" ? 1 : 1000)
  ]
  return parts.reduce<number>((total, part) => total + (part ?? 0), 0)
}

const milliseconds = (text: string | undefined, unit: number): number | undefined => {
  const value = Number(text ?? Number.NaN)
  return Number.isFinite(value) ? Math.ceil(value * unit) : undefined
}
