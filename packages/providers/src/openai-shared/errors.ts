/** What an error of OpenAI's APIs means, whichever of the compatible servers wrote it. */
import { type ErrorTable, errorDecoders } from "../internal/errors.js"
import { errorIn, wordsOf } from "../internal/errorWords.js"
import { type FormatTable, meanings } from "../internal/format.js"
import { isObject, numberField, objectField, stringField } from "../internal/wireField.js"

export const errors: ErrorTable = {
  // What the APIs document or were seen to send.
  codes: meanings({
    // The last is GitHub's.
    overflow: "context_length_exceeded model_context_window_exceeded tokens_limit_reached",
    quota:
      "insufficient_quota billing_hard_limit_reached billing_not_active usage_limit_reached " +
      // Moonshot, Alibaba, Volcano, Zhipu.
      "exceeded_current_quota_error arrearage accountoverdueerror 1113",
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
  genericCodes: "server_error internal_server_error api_error service_unavailable",
  // Groq's, for a service tier without capacity.
  statuses: { 498: "unavailable" },
  // vLLM, llama.cpp, DeepSeek, xAI, Google, Alibaba, Mistral, Moonshot, Hugging Face, SiliconFlow.
  wordings: [
    {
      pattern:
        /context ?(length|window|size)|(maximum|exceeded) (context|model (token|len)|prompt length)|must (be less|have less) than (max_seq_len|\d+ tokens)|prompt is too long|too many (input )?tokens|token count.*exceeds|input length should be|reduce the length of the messages/i,
      among: ["request", "unavailable"],
      kind: "overflow"
    },
    // OpenAI and Groq: larger than a whole minute's allowance. Waiting will not make it smaller.
    { pattern: /request too large/i, among: ["request", "rate"], kind: "overflow" },
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
      pattern: /(insufficient|not enough) (balance|credits|funds)|balance is insufficient|spending limit/i,
      among: ["request", "rate", "credentials", "unavailable"],
      kind: "quota"
    }
  ]
}

/**
 * OpenAI, Azure, Groq and OpenRouter: `{ error: { message, type, code, param } }`.
 * OpenRouter has the words of the provider itself beside, in `metadata.raw`.
 * Mistral and vLLM: the same without `error`. xAI and Hugging Face: `{ code?, error: text }`.
 */
export const makeErrorDecoders = (table: Pick<FormatTable, "name" | "errors">) =>
  errorDecoders(table, (body, sentStatus) => {
    const error = errorIn(body)
    const codes = codesOf(error)
    const { parameter, words } = wordsOf(error)
    const stated = [
      numberField(error, "status_code"),
      numberField(error, "code"),
      numberField(error, "raw_status_code")
    ]
    // Some servers (OpenRouter) answer with status 200 what their error says is 429; within a stream only it states one.
    const status = sentStatus !== undefined && sentStatus >= 400 ? sentStatus : stated.find(isStatus)
    const isRate = codes.some((code) => table.errors.codes[code.toLowerCase()] === "rate")
    const isRefused = status === undefined && codes.some((code) => code.startsWith("invalid_"))
    return {
      status: status ?? (isRefused ? 400 : undefined),
      hasStatus: status !== undefined,
      codes: [
        // OpenRouter's moderation names what it flagged.
        ...(Array.isArray(objectField(error, "metadata")?.["reasons"]) ? ["content_filter"] : []),
        // Groq says this of a request that is too large.
        ...(isRate && status === 413 ? ["context_length_exceeded"] : []),
        ...codes
      ],
      code: codes[0],
      words: [words, stringField(objectField(error, "metadata"), "raw")].filter(Boolean).join(": "),
      parameter: stringField(error, "param") || parameter
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

const isStatus = (status: number | undefined): boolean => status !== undefined && status >= 400 && status < 600
