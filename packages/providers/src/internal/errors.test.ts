import { expect, it } from "@effect/vitest"
import { retryAfter } from "./errors.js"

it.each([
  [undefined, undefined],
  [{}, undefined],
  [{ "retry-after": "2" }, 2000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "2", "retry-after-ms": "1500" }, 1500],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{ "retry-after": "Sat, 01 Nov 2025 10:00:30 GMT", date: "Sat, 01 Nov 2025 10:00:00 GMT" }, 30_000],
  [{ "retry-after": "Sat, 01 Nov 2025 10:00:00 GMT" }, 0]
])("reads %j as %s ms", (headers, expected) => {
  expect(retryAfter(headers)).toBe(expected)
})
