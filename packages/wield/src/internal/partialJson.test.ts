import { describe, expect, it } from "vitest"
import { nothing, partialJson } from "./partialJson.js"

describe("a JSON text that has not come to its end", () => {
  it.each([
    ['{"a":"x', { a: "x" }],
    ['{"a":"x\\', { a: "x" }],
    ['{"a":"x\\u00e', { a: "x" }],
    ['{"a":"\\u00e4\\n', { a: "ä\n" }],
    ['{"a', {}],
    ['{"a":', {}],
    ['{"a":12', {}],
    ['{"a":12,', { a: 12 }],
    ['{"a":[1, 2', { a: [1] }],
    ['{"a":[{"b":tru', { a: [{}] }],
    ['{"a":[{"b":true}, {', { a: [{ b: true }, {}] }],
    ['[null ,"', [null, ""]],
    [" ", nothing],
    ["", nothing],
    ["12", nothing],
    ["nonsense", nothing]
  ])("%s is read as far as it came", (text, value) => {
    expect(partialJson(text)).toEqual(value)
  })

  it("is the whole value at its end, whatever it is, and never throws before", () => {
    const value = { text: 'q"\\ \u{1f600}\n', n: -1.5e-3, deep: [[[], {}], { __x: null, yes: true }], ["__proto__"]: 1 }
    const text = JSON.stringify(value, null, 1)
    expect(partialJson(text)).toEqual(JSON.parse(text))
    for (let end = 0; end < text.length; end++) partialJson(text.slice(0, end))
    expect(() => partialJson("[".repeat(100_000))).not.toThrow()
  })
})
