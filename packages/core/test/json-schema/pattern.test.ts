import { describe, expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, FastCheck } from "effect"

/** Each can backtrack, so that it is RE2 that runs it. */
const patterns = [
  "^(\\w+\\s?)*$",
  "^(a|b|ab)*c$",
  "(\\d+\\.)+\\d",
  "^([a-z]+-)+[a-z]+$",
  "^(.+)+x$",
  "^(\\S+\\s*)+$",
  "^([^,]*,)*$",
  "^(\\u0041|\\x42|\\cA|\\/)+$",
  "^(?<year>\\d{1,4}-?)+$",
  "([\\s\\d]+;)*$"
]

describe("a pattern that could run for long", () => {
  it.each(patterns)("answers as JavaScript's own engine does: %s", async (pattern) => {
    const validator = await Effect.runPromise(JsonSchema.compile({ type: "string", pattern }))
    const expression = new RegExp(pattern, "u")
    const text = FastCheck.array(
      FastCheck.constantFrom(
        "a",
        "b",
        "c",
        "x",
        "-",
        ".",
        ",",
        ";",
        " ",
        "\t",
        "\n",
        "\u00a0",
        "\u2028",
        "\ufeff",
        "1",
        "A",
        "B",
        "/",
        "é",
        "😀",
        "\u0001"
      ),
      { maxLength: 12 }
    ).map((parts) => parts.join(""))
    FastCheck.assert(
      FastCheck.property(text, (value) => {
        expect(validator.isValid(value)).toBe(expression.test(value))
      }),
      { numRuns: 500 }
    )
  })
})
