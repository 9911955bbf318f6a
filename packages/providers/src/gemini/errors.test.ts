import { expect, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { decodeError } from "./errors.js"

const type = (name: string) => ({ "@type": `type.googleapis.com/google.rpc.${name}` })
const error = (code: number, status: string, message: string, details: ReadonlyArray<object> = []) => ({
  error: { code, status, message, details }
})

it.each([
  [400, "INVALID_ARGUMENT", "Invalid JSON payload received.", [], "RequestRejected"],
  [
    400,
    "INVALID_ARGUMENT",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    [],
    "ContextOverflow"
  ],
  [
    400,
    "INVALID_ARGUMENT",
    "API key not valid.",
    [{ ...type("ErrorInfo"), reason: "API_KEY_INVALID" }],
    "NotAuthorized"
  ],
  [400, "FAILED_PRECONDITION", "User location is not supported for the API use.", [], "RequestRejected"],
  [400, "INVALID_ARGUMENT", "It violates Google's Responsible AI practices.", [], "ContentFiltered"],
  [401, "UNAUTHENTICATED", "Request had invalid credentials.", [], "NotAuthorized"],
  [403, "PERMISSION_DENIED", "Denied.", [], "NotAuthorized"],
  [403, "PERMISSION_DENIED", "Billing.", [{ ...type("ErrorInfo"), reason: "BILLING_DISABLED" }], "QuotaExceeded"],
  [404, "NOT_FOUND", "models/none is not found", [], "RequestRejected"],
  [429, "RESOURCE_EXHAUSTED", "Resource exhausted.", [], "RateLimited"],
  [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota.",
    [{ ...type("QuotaFailure"), violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel" }] }],
    "QuotaExceeded"
  ],
  [
    429,
    "RESOURCE_EXHAUSTED",
    "You exceeded your current quota.",
    [{ ...type("QuotaFailure"), violations: [{ quotaId: "GenerateRequestsPerMinutePerProject", quotaValue: "5" }] }],
    "RateLimited"
  ],
  [500, "INTERNAL", "An internal error has occurred.", [], "ProviderUnavailable"],
  [503, "UNAVAILABLE", "The model is overloaded.", [], "ProviderUnavailable"],
  [504, "DEADLINE_EXCEEDED", "Deadline expired.", [], "ProviderUnavailable"]
])("reads %i %s: %s", (status, code, message, details, tag) => {
  const body = error(status, code, message, details)
  const expected = { _tag: tag, format: "gemini", status, code, detail: message }
  expect(decodeError({ status, body })).toMatchObject(expected)
  expect(decodeError({ status, body: [body] })).toMatchObject(expected)
})

it("reads how long to wait, and which field is wrong, out of the details", () => {
  const info = { ...type("RetryInfo"), retryDelay: "34.074824224s" }
  const body = error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", [info])
  expect(decodeError({ status: 429, headers: { "retry-after": "1" }, body })).toMatchObject({ retryAfter: 34075 })
  expect(decodeError({ status: 503, headers: { "retry-after": "2" }, body: "busy" })).toMatchObject({
    _tag: "ProviderUnavailable",
    detail: "busy",
    retryAfter: 2000
  })
  const bad = { ...type("BadRequest"), fieldViolations: [{ field: "contents[0].parts", description: "empty" }] }
  expect(decodeError({ status: 400, body: error(400, "INVALID_ARGUMENT", "Invalid.", [bad]) })).toMatchObject({
    parameter: "contents[0].parts"
  })
})

it("never throws", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.integer(), FastCheck.anything(), (status, body) => {
      expect(decodeError({ status, body: { error: body } }).detail).not.toBe("")
      expect(decodeError({ status, body }).detail).not.toBe("")
    })
  )
})
