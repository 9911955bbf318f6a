import { describe, expect, it, vi } from "@effect/vitest"
import { JsonSchema } from "@wield/core"
import * as Pattern from "@wield/core/Pattern"
import { Effect, Either, FastCheck } from "effect"
import { effortOf } from "../../src/json-schema/backtracking.js"
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
  "^(?!\\s*$).+x|(-(\\.[a-c]+(\\[(1|,)\\])*)*)$",
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
    ["^(?!.*(?:^|,)(red|blue),(?:.*,)?\\1(?:$|,))(red|blue)(,(red|blue))*$", "blue,red"],
    ["^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$", `${"a".repeat(300)}@example.com`]
  ])("is not confused with one that only looks like it: %s", async (pattern, text) => {
    const validator = await Effect.runPromise(JsonSchema.compile({ type: "string", pattern }))
    expect(validator.isValid(text)).toBe(true)
  })
})

/** Forms of one risk: the guard reads what the engine reads. */
const hostile: ReadonlyArray<readonly [pattern: string, text: string]> = [
  [`^(a{${"0".repeat(37)}1,}){${"0".repeat(60)}1,}b$`, "a".repeat(40)],
  [`^(?:a{${"0".repeat(400)}1,})*b$`, "a".repeat(40)],
  ["^(?<" + "n".repeat(60) + ">a+)+b$", "a".repeat(40)],
  ["^([\\]a]+)+b$", "a".repeat(40)],
  ["^([^\\]]+[\\]a]*)+b$", "a".repeat(40)],
  ["^(?=(a+)+b)a", "a".repeat(40)],
  ["^(?<=(a+)+)b$", "a".repeat(40)],
  ["^(?:(?=a)a+)+b$", "a".repeat(40)],
  ["^(?:a+){2,}b$", "a".repeat(40)],
  ["^(a+|a)*?b$", "a".repeat(40)],
  ["^(?:(?:(?:a?){30}){30}){30}b$", "a".repeat(60)],
  ["(.*)\\1b$", "a".repeat(100_000)],
  ["^(.*).*\\1x$", "a".repeat(20_000)],
  ["^(?<a>.*)\\k<a>\\k<a>x$", "a".repeat(100_000)],
  ["^(a*)(?:\\1)*b$", "a".repeat(3_000)],
  ["^(a|b)+(a|b)+(a|b)+(a|b)+\\1x$", "ab".repeat(5_000)],
  ["^(?:ab|a|c)+\\1?(?:ab|a|c)+x$", "ab".repeat(5_000)]
]

describe("a pattern that hides what it may cost", () => {
  // Not every engine that this runs on knows what switches the case off.
  it("is found where its alternatives begin alike but for the case, which it puts aside", () => {
    expect(
      ["^(?:a|A)*b$", "^(?i:a|A)*b$", "^(?i:(?:b|(?:a|A))*)c$"].map((pattern) => effortOf(pattern)?.choices)
    ).toEqual([1, undefined, undefined])
  })

  it.each(hostile)("is refused, or answers at once: %s", async (pattern, text) => {
    for (const schema of [
      { type: "string", pattern },
      { type: "object", patternProperties: { [pattern]: false } },
      { propertyNames: { pattern } }
    ]) {
      const compiled = await Effect.runPromise(Effect.either(JsonSchema.compile(schema)))
      const value = "type" in schema && schema.type === "string" ? text : { [text]: 1 }
      const ended = compiled._tag === "Left" ? compiled.left.kind : typeof compiled.right.isValid(value)
      expect(["UnsafePattern", "boolean"]).toContain(ended)
    }
    expect(Pattern.matches(pattern, text)).not.toBe(true)
  })

  it("is found wherever a reference leads to it", async () => {
    const b = { pattern: "^(a|a)*\\1$" }
    for (const schema of [
      { $ref: "#/x-a/b", "x-a": { b } },
      { $dynamicRef: "#/x-a/b", "x-a": { b } },
      { allOf: [{ $ref: "#/examples/0" }], examples: [b] },
      { $id: "https://example.com/a", $ref: "https://example.com/a#/x-a/b", "x-a": { b } },
      { $id: "https://example.com/a", $ref: "a#/x-a/b", "x-a": { b } }
    ]) {
      const compiled = await Effect.runPromise(Effect.either(JsonSchema.compile(schema)))
      expect([JSON.stringify(schema), compiled._tag]).toEqual([JSON.stringify(schema), "Left"])
    }
  })

  it("is refused where an engine cannot hold it, however its counts are nested", async () => {
    for (const pattern of [
      "(?:(?:a{1000}){1000}){1000}",
      "(?:a{0,1000}){0,1000}".repeat(20),
      "(".repeat(50_000) + ")".repeat(50_000)
    ]) {
      const compiled = await Effect.runPromise(Effect.either(JsonSchema.compile({ type: "string", pattern })))
      expect(compiled._tag).toBe("Left")
    }
  })

  it("is not run on a long text where functions may not be made from text", async () => {
    vi.stubGlobal("Function", function () {
      throw new EvalError("Code generation from strings disallowed for this context")
    })
    try {
      const schema = {
        // Schemas with a name of their own are compiled at once.
        $id: "https://example.com/mail",
        type: "object",
        properties: { mail: { type: "string", pattern: "^[^@]+@[^@]+\\.[^@]+$" }, text: { type: "string" } },
        patternProperties: { "^x.*y.*z$": { type: "number" } }
      }
      const validator = await Effect.runPromise(JsonSchema.compile(schema))
      expect(validator.isValid({ mail: "a@b.c", text: "t".repeat(1_000_000), xyz: 1 })).toBe(true)
      expect(validator.isValid({ mail: "ab.c" })).toBe(false)
      expect(validator.isValid({ xyz: "1" })).toBe(false)
      const long = { mail: `${"@a.".repeat(100_000)}@` }
      expect(validator.isValid(long)).toBe(false)
      expect(Either.isLeft(validator.validate(long))).toBe(true)
      expect(validator.isValid({ [`x${"y".repeat(1_000_000)}`]: 1 })).toBe(false)
      const nested = { $id: "https://example.com/nested", patternProperties: { "^(a+)+$": true } }
      expect((await Effect.runPromise(Effect.flip(JsonSchema.compile(nested)))).kind).toBe("UnsafePattern")
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

describe("a pattern of another engine", () => {
  it.each([
    ["\\A[a-z]+\\z", "abc", "A1z"],
    ["^[\\p{Upper}\\p{Digit}_]+$", "A_1", "p{U}"],
    ["^\\p{Alpha}\\P{Alpha}$", "a1", "ab"],
    ["^(\\[[[:alnum:]\\/\\_]+\\])?$", "[a/b_1]", "[:]"],
    ["^\\P{Punct}+$", "abc", "a-c"],
    ["^[\\p{Graph}\\x20]*$", "a b", "a\tb"],
    // As ECMAScript reads them.
    ["^\\p{L}+\\-$", "é-", "p{L}-"],
    ["^[[:a]$", ":", "b"],
    ["^\\\\A$", "\\A", "A"],
    ["^(?P<drive>[A-Z]):\\\\Apps$", "C:\\Apps", "C:^pps"],
    ["^\\(?P[(?P<]\\Z", "(PP", "("]
  ])("means what its author meant: %s", async (pattern, right, wrong) => {
    const { isValid } = await Effect.runPromise(JsonSchema.compile({ type: "string", pattern }))
    expect([isValid(right), isValid(wrong)]).toEqual([true, false])
  })

  it.each(["\\p{IsLetter}", "\\p{constructor}", "[\\P{Digit}]", "[\\Aa]", "\\h+", "\\Qa\\E", "\\G"])(
    "is refused where ECMAScript cannot say it: %s",
    async (pattern) => {
      const made = await Effect.runPromise(Effect.either(JsonSchema.compile({ type: "string", pattern })))
      expect(Either.isLeft(made) && made.left.kind).toBe("Malformed")
    }
  )
})

it("the keys of patternProperties are read as patterns are", async () => {
  const schema = { type: "object", patternProperties: { "^[[:alpha:]]+$": { type: "number" }, "^x-": {} } }
  const { isValid, normalisations } = await Effect.runPromise(JsonSchema.compile(schema))
  expect([isValid({ ab: 1 }), isValid({ ab: "1" }), isValid({ "[:]": "1" })]).toEqual([true, false, true])
  expect(normalisations.map(({ name }) => name)).toEqual(["pattern-syntax"])
  for (const keys of [{ "\\p{IsLetter}": {} }, { "\\Aa": {}, "^a": {} }]) {
    const made = await Effect.runPromise(Effect.either(JsonSchema.compile({ patternProperties: keys })))
    expect(Either.isLeft(made) && made.left.kind).toBe("Malformed")
  }
})

describe("a schema for a server", () => {
  it("has the patterns that no engine runs in its descriptions, wherever they stand", async () => {
    const bad = { type: "string", pattern: "\\p{IsLetter}" }
    const schema = {
      $defs: { "a/b": bad },
      type: "object",
      properties: {
        a: { $ref: "#/$defs/a~1b" },
        list: { items: { anyOf: [{ type: "null" }, bad] } },
        good: { pattern: "^a" }
      }
    }
    const described = { type: "string", description: "Pattern: \\p{IsLetter}" }
    expect(await Effect.runPromise(Pattern.describeUnsafe(schema))).toEqual({
      $defs: { "a/b": described },
      type: "object",
      properties: { ...schema.properties, list: { items: { anyOf: [{ type: "null" }, described] } } }
    })
    expect(await Effect.runPromise(Pattern.describeUnsafe(schema.properties.good))).toBe(schema.properties.good)
  })

  it("is refused for anything else that is wrong, and for more of them than are looked at", async () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [index, { pattern: "(" }]))
    for (const schema of [{ type: 5 }, { patternProperties: { "(": {} } }, { properties }]) {
      const described = await Effect.runPromise(Effect.either(Pattern.describeUnsafe(schema)))
      expect(Either.isLeft(described)).toBe(true)
    }
  })
})
