import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decodeError } from "./errors.js"

const error = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" })

it.each([
  [400, "invalid_request_error", "messages.1.content.0: field required", "RequestRejected"],
  [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "ContextOverflow"],
  [
    400,
    "invalid_request_error",
    "input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000",
    "ContextOverflow"
  ],
  [400, "invalid_request_error", "Output blocked by content filtering policy", "ContentFiltered"],
  [400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", "QuotaExceeded"],
  [401, "authentication_error", "invalid x-api-key", "NotAuthorized"],
  [402, "billing_error", "payment required", "QuotaExceeded"],
  [403, "permission_error", "no access", "NotAuthorized"],
  [404, "not_found_error", "model: claude-0", "RequestRejected"],
  [409, "conflict_error", "try again", "ProviderUnavailable"],
  [413, "request_too_large", "Request exceeds the maximum size", "RequestRejected"],
  [413, "invalid_request_error", "Prompt is too long", "ContextOverflow"],
  [429, "rate_limit_error", "This request would exceed the rate limit of your organization", "RateLimited"],
  [500, "api_error", "Internal server error", "ProviderUnavailable"],
  [504, "timeout_error", "Request timed out", "ProviderUnavailable"],
  [529, "overloaded_error", "Overloaded", "ProviderUnavailable"]
])("reads %i %s: %s", (status, type, message, tag) => {
  expect(decodeError({ status, body: error(type, message) })).toMatchObject({
    _tag: tag,
    format: "anthropic",
    status,
    code: type,
    detail: message
  })
})

it("names the place in the request, and how long to wait", () => {
  expect(
    decodeError({ status: 400, body: error("invalid_request_error", "tools.0.name: String should match") })
  ).toMatchObject({ parameter: "tools.0.name" })
  expect(
    decodeError({ status: 429, headers: { "retry-after": "12" }, body: error("rate_limit_error", "slow down") })
  ).toMatchObject({ retryAfter: 12000 })
  expect(
    decodeError({ status: 529, headers: { "retry-after-ms": "250" }, body: error("overloaded_error", "Overloaded") })
  ).toMatchObject({ retryAfter: 250 })
})

it("goes by the status where the body is not the API's", () => {
  expect(decodeError({ status: 502, body: "<html>Bad gateway</html>" })).toMatchObject({
    _tag: "ProviderUnavailable",
    detail: "<html>Bad gateway</html>"
  })
  expect(decodeError({ status: 403, body: { message: "denied by the gateway" } })).toMatchObject({
    _tag: "NotAuthorized",
    detail: "denied by the gateway"
  })
})

it("never throws", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.integer(), FastCheck.anything(), (status, body) => {
      expect(decodeError({ status, body }).detail).not.toBe("")
    })
  )
})

it("finds Vertex AI's error in its array, and the time to wait", () => {
  const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "12s" }]
  const body = [{ error: { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED", details } }]
  expect(decodeError({ status: 429, body })).toMatchObject({
    _tag: "RateLimited",
    code: "RESOURCE_EXHAUSTED",
    detail: "Quota exceeded",
    retryAfter: 12_000
  })
})
