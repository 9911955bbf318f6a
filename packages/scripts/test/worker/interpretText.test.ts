import { expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
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
