import { expect, it } from "@effect/vitest"
import { Json } from "@wield/core"
import { FastCheck } from "effect"
import { character } from "../../../test/characters.js"

it.each([
  ["9007199254740991", 9007199254740991],
  ["-9007199254740993", "-9007199254740993"],
  ["9007199254740994", "9007199254740994"],
  ["1e400", "1e400"],
  ["1E-400", "1E-400"],
  ["0.30000000000000004", 0.30000000000000004],
  ["3.14159265358979323846", "3.14159265358979323846"],
  ["1.5000000000000000000000", 1.5],
  ["100000000000000000000000.0", 1e23],
  ["1e21", 1e21],
  ["-0.0e-50", -0],
  [
    '["\\\\", 12345678901234567890, "12345678901234567890\\"", 1]',
    ["\\", "12345678901234567890", '12345678901234567890"', 1]
  ],
  ['{"12345678901234567890": {"__proto__": 1e999}}', JSON.parse('{"12345678901234567890": {"__proto__": "1e999"}}')]
])("the JSON %s has no number that is another one", (text, value) => {
  expect(Json.parse(text)).toStrictEqual(value)
})

it.each([
  ["12345678901234567890", "12345678901234567890"],
  ["-9007199254740993", "-9007199254740993"],
  ["9007199254740994", 9007199254740994],
  ["10000000000000000000000", 1e22],
  ["-1e400", "-1e400"],
  ["1E-400", 0],
  ["3.14159265358979323846", Math.PI]
])("with rounded decimals, the JSON %s has no whole number that is another one", (text, value) => {
  expect(Json.parse(text, { decimals: "rounded" })).toStrictEqual(value)
})

it("with rounded decimals, JSON that JavaScript wrote is read as JSON.parse reads it", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.jsonValue(), (given) => {
      const text = JSON.stringify(given)
      expect(Json.parse(text, { decimals: "rounded" })).toStrictEqual(JSON.parse(text))
    })
  ))

it("JSON that JavaScript wrote is read as JSON.parse reads it, but for whole numbers beyond 2^53", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.jsonValue(), (given) => {
      const text = JSON.stringify(given)
      const expected: unknown = JSON.parse(text, (_, value: unknown) =>
        typeof value === "number" && /^-?\d+$/.test(JSON.stringify(value)) && !Number.isSafeInteger(value)
          ? JSON.stringify(value)
          : value
      )
      expect(Json.parse(text)).toStrictEqual(expected)
      expect(Json.parse(JSON.stringify(given, null, 2))).toStrictEqual(expected)
    })
  ))

it("a text that is no JSON fails as JSON.parse does", () => {
  for (const text of ["", "[1", '"' + '\\"'.repeat(100_000), "12345678901234567890 1"]) {
    expect(() => Json.parse(text)).toThrow(SyntaxError)
  }
})

it("halves of surrogate pairs are replaced, in texts and keys, and what has none stays itself", () => {
  const whole = { text: "a😀", list: [1, null, { é: "" }], date: new Date(0) }
  expect(Json.toWellFormed(whole)).toBe(whole)
  const cut = { "k\ud83d": ["\ude00x", "😀\ud83d"], whole, __proto__: null }
  expect(Json.toWellFormed(cut)).toEqual({ "k\ufffd": ["\ufffdx", "😀\ufffd"], whole })
  expect(Json.toWellFormed(cut).whole).toBe(whole)
  FastCheck.assert(
    FastCheck.property(
      FastCheck.jsonValue({ stringUnit: character }),
      FastCheck.string({ unit: character }),
      (value, text) => {
        for (const each of [value, text, [value, text.slice(1)]]) {
          expect(JSON.stringify(Json.toWellFormed(each))).not.toMatch(/[^\\](\\\\)*\\ud[89a-f]/)
        }
      }
    )
  )
})

it("a value as JSON is as JSON.stringify writes it; itself, where it is JSON", () => {
  const values = [
    FastCheck.string(),
    FastCheck.boolean(),
    FastCheck.constantFrom(0, 1.5, NaN, Infinity, null, undefined)
  ]
  FastCheck.assert(
    FastCheck.property(
      FastCheck.anything({ values, withDate: true, withMap: true, withSparseArray: true }),
      (given) => {
        expect(Json.attempt(given)).toStrictEqual(JSON.parse(JSON.stringify(given) ?? "null"))
      }
    )
  )
  const json = { a: [1, { b: null }] }
  expect(Json.attempt(json)).toBe(json)
  const cyclic: Array<unknown> = []
  cyclic.push(cyclic)
  expect(Json.attempt(cyclic)).toBe(null)
})
