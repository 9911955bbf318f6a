import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Anthropic from "../Anthropic.js"
import * as CohereV2 from "../CohereV2.js"
import * as Gemini from "../Gemini.js"
import * as Mistral from "../Mistral.js"
import * as Ollama from "../Ollama.js"
import * as OpenAiChat from "../OpenAiChat.js"

const error = (message: string, rest: object = {}) => ({ error: { message, ...rest } })

it.each([
  // OpenAI
  [429, error("Rate limit reached", { type: "tokens", code: "rate_limit_exceeded" }), "RateLimited"],
  [
    429,
    error("You exceeded your current quota", { type: "insufficient_quota", code: "insufficient_quota" }),
    "QuotaExceeded"
  ],
  [400, error("Too long", { type: "invalid_request_error", code: "context_length_exceeded" }), "ContextOverflow"],
  [401, error("Incorrect API key provided", { code: "invalid_api_key" }), "NotAuthorized"],
  [404, error("No such model", { code: "model_not_found" }), "RequestRejected"],
  [500, error("The server had an error", { type: "server_error" }), "ProviderUnavailable"],
  // Azure
  [
    400,
    error("Filtered", { code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" } }),
    "ContentFiltered"
  ],
  [429, error("Please retry after 60 seconds.", { code: "429" }), "RateLimited"],
  // Groq
  [413, error("Request too large for model", { type: "tokens", code: "rate_limit_exceeded" }), "ContextOverflow"],
  // OpenAI, of what no waiting makes smaller
  [
    429,
    error("Request too large for gpt-4o on tokens per min (TPM): Limit 3, Requested 4.", {
      code: "rate_limit_exceeded"
    }),
    "ContextOverflow"
  ],
  [400, error("Failed to call a function", { code: "tool_use_failed" }), "RequestRejected"],
  [498, error("Flex tier capacity exceeded", { code: "capacity_exceeded" }), "ProviderUnavailable"],
  // DeepSeek
  [402, error("Insufficient Balance"), "QuotaExceeded"],
  [400, error("Content Exists Risk", { type: "invalid_request_error" }), "ContentFiltered"],
  // xAI
  [
    403,
    { code: "The caller does not have permission", error: "Content violates usage guidelines." },
    "ContentFiltered"
  ],
  [400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: x" }, "NotAuthorized"],
  [400, { error: "This model's maximum prompt length is 500 but the request contains 900 tokens." }, "ContextOverflow"],
  // OpenRouter
  [402, error("Insufficient credits", { code: 402 }), "QuotaExceeded"],
  [403, error("Flagged", { code: 403, metadata: { reasons: ["violence"], flagged_input: "…" } }), "ContentFiltered"],
  [403, error("Key disabled", { code: 403 }), "NotAuthorized"],
  // Google's OpenAI-compatible endpoint
  [429, [error("Resource exhausted", { code: 429, status: "RESOURCE_EXHAUSTED" })], "RateLimited"],
  [
    400,
    [error("The input token count (12) exceeds the maximum number of tokens allowed (10).", { code: 400 })],
    "ContextOverflow"
  ],
  // Alibaba
  [400, error("Input data may contain inappropriate content.", { code: "data_inspection_failed" }), "ContentFiltered"],
  [400, error("Access denied", { code: "Arrearage" }), "QuotaExceeded"],
  // Hugging Face, vLLM, and what is no JSON
  [503, { error: "Model is loading", estimated_time: 20 }, "ProviderUnavailable"],
  [
    400,
    { object: "error", message: "This model's maximum context length is 10 tokens.", code: 400 },
    "ContextOverflow"
  ],
  [502, "<html>Bad gateway</html>", "ProviderUnavailable"],
  [500, error("maximum context length"), "ProviderUnavailable"],
  [422, undefined, "RequestRejected"]
])("understands status %d of %j as %s", (status, body, tag) => {
  const decoded = OpenAiChat.decodeError({ status, body })
  expect(decoded).toMatchObject({ _tag: tag, format: "openai-chat", status })
  expect(decoded.detail).not.toBe("")
})

it.each([
  [
    429,
    { object: "error", message: "Rate limit exceeded", type: "rate_limited", param: null, code: "1300" },
    "RateLimited"
  ],
  [
    429,
    {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505"
    },
    "ProviderUnavailable"
  ],
  [
    400,
    {
      object: "error",
      message: "Prompt contains 9 tokens, too large for model with 8 maximum context length",
      type: "invalid_request_prompt",
      code: "3051"
    },
    "ContextOverflow"
  ],
  [
    400,
    {
      object: "error",
      message: "Unexpected role 'user' after role 'tool'",
      type: "invalid_request_message_order",
      code: "3230"
    },
    "RequestRejected"
  ],
  [401, { message: "Unauthorized", request_id: "r" }, "NotAuthorized"]
])("understands Mistral's status %d of %j as %s", (status, body, tag) => {
  expect(Mistral.decodeError({ status, body })).toMatchObject({ _tag: tag, format: "mistral", detail: body.message })
})

it.each([
  [400, error("Your request exceeded model token limit: 8192", { type: "invalid_request_error" }), "ContextOverflow"],
  [400, error("The decoder prompt (length 5) is longer than the maximum model length of 4."), "ContextOverflow"],
  [
    422,
    { error: "`inputs` must have less than 4096 tokens. Given: 5000", error_type: "validation" },
    "ContextOverflow"
  ],
  [400, { code: 20015, message: "length of prompt_tokens (9) must be less than max_seq_len (8)." }, "ContextOverflow"],
  [413, error("Request body too large. Max size: 8000 tokens.", { code: "tokens_limit_reached" }), "ContextOverflow"],
  [403, error("An overdue balance", { code: "AccountOverdueError", type: "Forbidden" }), "QuotaExceeded"],
  [429, error("The usage limit has been reached", { type: "usage_limit_reached" }), "QuotaExceeded"],
  [403, { code: 30001, message: "Sorry, your account balance is insufficient" }, "QuotaExceeded"],
  [429, { code: "exhausted", error: "Your team has reached its monthly spending limit." }, "QuotaExceeded"]
])("understands a compatible server's status %d of %j as %s", (status, body, tag) => {
  expect(OpenAiChat.decodeError({ status, body })._tag).toBe(tag)
})

it("finds the words of a provider behind a gateway, and those in a list", () => {
  const behind = error("Provider returned error", {
    code: 400,
    metadata: { raw: "prompt is too long", provider_name: "P" }
  })
  expect(OpenAiChat.decodeError({ status: 400, body: behind })).toMatchObject({
    _tag: "ContextOverflow",
    detail: "Provider returned error: prompt is too long"
  })
  for (const format of [OpenAiChat, Anthropic, CohereV2, Gemini, Ollama]) {
    const listed = { success: false, errors: [{ code: 5006, message: "oneOf at '/' not met" }] }
    expect(format.decodeError({ status: 400, body: listed }).detail).toBe("oneOf at '/' not met")
    const placed = { detail: [{ loc: ["body", "tools", 0], msg: "Field required" }] }
    expect(format.decodeError({ status: 422, body: placed }).detail).toBe("tools.0: Field required")
  }
})

it("names the part of the request that is wrong", () => {
  expect(
    OpenAiChat.decodeError({ status: 400, body: error("Bad", { param: "messages[3]", code: "invalid_value" }) })
  ).toMatchObject({
    _tag: "RequestRejected",
    code: "invalid_value",
    parameter: "messages[3]"
  })
  const detail = [{ type: "missing", loc: ["body", "messages", 0, "content"], msg: "Field required" }]
  const wanted = {
    _tag: "RequestRejected",
    parameter: "messages.0.content",
    detail: "messages.0.content: Field required"
  }
  expect(Mistral.decodeError({ status: 422, body: { detail } })).toMatchObject(wanted)
  expect(Mistral.decodeError({ status: 422, body: { object: "error", message: { detail } } })).toMatchObject(wanted)
})

it.each([
  [{ "retry-after-ms": "1500", "retry-after": "2" }, {}, 1500],
  [{ "retry-after": "2" }, error("Please try again in 9s."), 2000],
  [{}, error("Please try again in 1h2m3.5s."), 3_723_500],
  [{}, error("Please try again in 20ms."), 20],
  [{}, error("Please retry after 60 seconds."), 60_000],
  [{}, { statusCode: 429, message: "Rate limit is exceeded. Try again in 14 seconds." }, 14_000],
  [
    {},
    [{ error: { message: "", details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "33s" }] } }],
    33_000
  ],
  [{}, error("Slow down."), undefined]
])("finds the time to wait in %j or %j", (headers, body, retryAfter) => {
  const decoded = OpenAiChat.decodeError({ status: 429, headers, body })
  expect(decoded._tag === "RateLimited" && decoded.retryAfter).toBe(retryAfter)
})

it("never throws, and always has words", () => {
  FastCheck.assert(
    FastCheck.property(
      FastCheck.integer(),
      FastCheck.oneof(FastCheck.anything(), FastCheck.jsonValue()),
      (status, body) => {
        for (const sent of [body, { error: body }, [body], { message: body, detail: body }]) {
          expect(OpenAiChat.decodeError({ status, body: sent }).detail).not.toBe("")
        }
      }
    )
  )
})

it.each([
  [error("Slow down.", { code: 429 }), "RateLimited"],
  [error("Bad model", { type: "invalid_request_error" }), "RequestRejected"],
  [error("Out of order"), "ProviderUnavailable"]
])("goes by what the error %j says where the status is that of a success", (body, tag) => {
  expect(OpenAiChat.decodeError({ status: 200, body })._tag).toBe(tag)
})
