import { expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { decodeReply } from "../../src/worker/Reply.js"
import { interpretText } from "../../src/worker/interpretText.js"

it("a text of any JSON value is that value, and is never another", () =>
  FastCheck.assert(
    FastCheck.property(FastCheck.jsonValue(), (value) => {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, 1)]) {
        const found = interpretText(text)
        const isText = typeof found === "string"
        expect(isText ? found : JSON.stringify(found)).toBe(isText ? text : JSON.stringify(JSON.parse(text)))
      }
    })
  ))

it("a value that nests without end is said to be unreadable, and not read", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
  expect(interpretText(deep)).toBe(deep)
  const reply = Either.getOrThrow(
    decodeReply(`{"type":"value","isMarked":true,"retire":"done","value":{"a":[${deep}]}}`)
  )
  expect(reply).toEqual({
    type: "unreadable",
    isMarked: true,
    retire: "done",
    detail: "a value that nests deeper than 1000 levels"
  })
})
