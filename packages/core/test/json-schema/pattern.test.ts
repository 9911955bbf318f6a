import { describe, expect, it } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import { Effect, FastCheck } from "effect"
import { runs } from "../../../../test/sizes.js"

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
  "([\\s\\d]+;)*$",
  "^(?!a-)([a-c]+)(-*[a-c])*$",
  "^(?!.*\\.\\.)(?=[^(|]*[)\\]x])([a-c.]+|-)*x",
  "(?=^.{1,4}$)(?!^(1+\\.)+1+$)(^([a-c1]+\\.?)*$)",
  "^(?:[a-c]-?)*\\u0041{1,1023}[\\]x]{0,1500}😀{0,2000}$"
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
      { numRuns: runs(500) }
    )
  })
})

/** Each takes seconds to centuries in JavaScript's own engine, on the text beside it. */
const slow: ReadonlyArray<readonly [pattern: string, text: string]> = [
  [`^${"a?".repeat(40)}${"a".repeat(40)}$`, "a".repeat(39) + "b"],
  ["^(a|a){40}b$", "a".repeat(60)],
  ["^(?:a|aa|aaa){2,40}b$", "a".repeat(60)],
  [`^${"(a|aa)".repeat(40)}b$`, "a".repeat(80)],
  [`^${"a{0,60}".repeat(6)}b$`, "a".repeat(200)],
  ["a*a*a*a*a*a*b", "a".repeat(200)],
  ["^(?=.*a*a*a*b)a", "a".repeat(5000)],
  ["a*a*b(?!x)", "a".repeat(5000)],
  ["^[a-z:]{1,63}:[a-z:]{0,63}:[a-z:]{0,63}:[^/].{0,1023}$", `${"a".repeat(60)}:::${"b".repeat(1025)}`]
]

describe("a pattern that would take JavaScript's engine for ever", () => {
  it.each(slow)("answers at once: %s", async (pattern, text) => {
    const validator = await Effect.runPromise(JsonSchema.compile({ type: "string", pattern }))
    expect(validator.isValid(text)).toBe(false)
  })

  it.each([
    ["^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,}$", `aB3${"x".repeat(500)}`],
    ["^(?!.*--)[a-z0-9-]+$", "a-".repeat(500)],
    ["^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$", "192.168.100.200"],
    ["^[a-z:]{1,63}:[a-z:]{0,63}:[a-z:]{0,63}:[^/].{0,1023}$", `${"a".repeat(60)}:::${"b".repeat(1024)}`],
    ["^(?!-)([a-z0-9-]+\\.)+example$", "one.two.example"],
    ["^[a-z]((?!--|__)[a-z_-])+$", "a-".repeat(500)],
    ["^.{1,2097152}$", "a".repeat(5000)],
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", `${"a".repeat(300)}@example.com`]
  ])("is not confused with one that only looks like it: %s", async (pattern, text) => {
    const validator = await Effect.runPromise(JsonSchema.compile({ type: "string", pattern }))
    expect(validator.isValid(text)).toBe(true)
  })
})
