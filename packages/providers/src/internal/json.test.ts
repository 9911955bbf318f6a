import { describe, expect, it } from "@effect/vitest"
import { Turn } from "@wield/core"
import { Either } from "effect"
import { cases } from "../../test/responses.js"
import { isBounded } from "./json.js"

const nested = (depth: number, inner: (value: object) => object): object => {
  let value: object = {}
  for (let level = 0; level < depth; level++) value = inner(value)
  return value
}

it("is bounded up to a depth, however the value nests", () => {
  expect(isBounded({})).toBe(true)
  expect(isBounded(nested(900, (value) => ({ a: value })))).toBe(true)
  expect(isBounded(nested(100_000, (value) => [value]))).toBe(false)
})

it("is not what contains itself", () => {
  const self: { a: unknown } = { a: undefined }
  self.a = [self]
  expect(isBounded(self)).toBe(false)
  expect(isBounded({ b: [1, self] })).toBe(false)
})

it("is what repeats a part, unless its text had no end", () => {
  const part = { type: "string" }
  expect(isBounded({ a: part, b: { c: part }, d: [part, part] })).toBe(true)
  expect(isBounded(nested(100, (value) => ({ a: value, b: value })))).toBe(false)
})

describe.each(cases.filter(({ format }) => /openai|mistral|cohere/.test(format.name)))("as $format.name", (each) => {
  it.each(["", " \n", "{}"])("a call whose arguments are the text %j has none", (text) => {
    const turn = Either.getOrThrow(each.format.decodeTurn(each.response(["now"], text), {}))
    expect(Turn.calls(turn).map((call) => call.arguments)).toEqual([text === "{}" ? "{}" : {}])
  })
})
