import { describe, expect, it } from "@effect/vitest"
import { Issue, JsonSchema, type Loss } from "@wield/core"
import { Dialect } from "@wield/providers"
import { Effect, Either, FastCheck } from "effect"
import { anySchema, parametersSchema, valueOf } from "./schemas.js"
import { runs, sized } from "../../../../test/sizes.js"

const compile = await Effect.runPromise(JsonSchema.compiler)

const validatorOf = (schema: { readonly [key: string]: unknown }) =>
  Effect.runSync(compile(schema, { draft: "2020-12" }))

/** Losses that the restored value makes good. */
const isMadeGood = (loss: Loss.Loss): boolean => /read back|taken out again/.test(loss.reason)

describe.each(Dialect.names)("%s", (dialect) => {
  it("gives values that are valid under the full schema once restored", () => {
    let checked = 0
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(anySchema, parametersSchema), FastCheck.nat(), (schema, seed) => {
        const { losses, restore, schema: sent } = Dialect.rewrite(schema, dialect)
        if (sent === undefined) return losses.length > 0
        if (!losses.every(isMadeGood)) return true
        const validator = validatorOf(schema)
        for (const value of FastCheck.sample(valueOf(sent), { numRuns: 10, seed })) {
          checked++
          const restored = restore(value)
          const problem = Either.match(validator.validate(restored), {
            onLeft: (issues) => ({ sent, value, restored, issues: issues.map(Issue.toText) }),
            onRight: () => undefined
          })
          expect(problem).toBeUndefined()
        }
        return true
      }),
      { numRuns: runs(120) }
    )
    expect(checked).toBeGreaterThan(sized(0, 200))
  }, 60_000)

  it("takes any value back without throwing, and gives equal schemas for equal ones", () => {
    FastCheck.assert(
      FastCheck.property(anySchema, FastCheck.jsonValue(), (schema, value) => {
        const first = Dialect.rewrite(schema, dialect)
        first.restore(value)
        expect(JSON.stringify(Dialect.rewrite(structuredClone(schema), dialect).schema)).toBe(
          JSON.stringify(first.schema)
        )
      })
    )
  })

  it("comes to an end with a type that contains itself in the allOf of many properties", () => {
    const names = Array.from({ length: 8 }, (_, index) => `child${index}`)
    const child = (name: string) => ({ allOf: [{ $ref: "#/$defs/Node" }, { required: [name] }] })
    const Node = { type: "object", properties: Object.fromEntries(names.map((name) => [name, child(name)])) }
    const root = { type: "object", properties: { root: { $ref: "#/$defs/Node" } }, $defs: { Node } }
    const { losses, schema } = Dialect.rewrite(root, dialect)
    // Where it has no strict form, a loss says so.
    expect(schema ?? losses[0]?.reason).toBeDefined()
  })

  it("never throws at a schema that is none", () => {
    // What no text can be made of.
    const odd = { toString: "", valueOf: "" }
    const { restore } = Dialect.rewrite(
      {
        type: odd,
        required: [odd],
        format: odd,
        enum: [odd],
        properties: { a: { type: "string", format: odd, enum: [odd] } }
      },
      dialect
    )
    expect(() => restore({ a: "x" })).not.toThrow()
    FastCheck.assert(
      FastCheck.property(
        FastCheck.dictionary(
          FastCheck.constantFrom(
            "type",
            "properties",
            "items",
            "anyOf",
            "$ref",
            "enum",
            "required",
            "allOf",
            "$defs",
            "x"
          ),
          FastCheck.jsonValue()
        ),
        (schema) => {
          const { restore } = Dialect.rewrite(schema, dialect)
          expect(() => restore({ a: null, value: [null] })).not.toThrow()
        }
      )
    )
  })
})

describe("what a dialect cannot say", () => {
  const recursive = {
    type: "object",
    properties: { tree: { $ref: "#/$defs/Tree" } },
    $defs: { Tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } } }
  }

  it("is a loss with its place: recursion where references are written out", () => {
    const { losses, schema } = Dialect.rewrite(recursive, "bedrock", "grow")
    expect(JSON.stringify(schema)).not.toContain("$ref")
    expect(losses).toMatchObject([
      { subject: "grow", keyword: "$ref", path: ["properties", "tree", "properties", "children", "items"] }
    ])
  })

  it("cannot make references multiply without end", () => {
    const bomb: Record<string, object> = { d0: { type: "string" } }
    for (let level = 1; level <= 30; level++) {
      const $ref = `#/$defs/d${level - 1}`
      bomb[`d${level}`] = { type: "object", properties: { a: { $ref }, b: { $ref } } }
    }
    const { losses } = Dialect.rewrite(
      { type: "object", properties: { a: { $ref: "#/$defs/d30" } }, $defs: bomb },
      "bedrock"
    )
    expect(losses.length).toBeGreaterThan(0)
  })

  it("leaves the tool without strict mode where strict mode would forbid valid arguments", () => {
    const open = {
      type: "object",
      properties: { labels: { type: "object", additionalProperties: { type: "string" } } }
    }
    expect(Dialect.rewrite(open, "openai-strict").schema).toBeUndefined()
    expect(Dialect.rewrite(open, "anthropic-strict").schema).toBeUndefined()
  })

  it("is over OpenAI's limits: too many characters in names and constants", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 700 }, (_, index) => [`${index}`.padEnd(200, "x"), { type: "string" }])
    )
    const { losses, schema } = Dialect.rewrite(
      { type: "object", properties, required: Object.keys(properties) },
      "openai-strict"
    )
    expect(schema).toBeUndefined()
    expect(losses[0]?.reason).toContain("120000 characters")
  })
})

describe("what is sent otherwise comes back as it was meant", () => {
  it("a root that is no object", () => {
    const schema = { type: "array", items: { type: "string" } }
    const { restore, schema: sent } = Dialect.rewrite(schema, "openai-strict")
    expect(sent).toMatchObject({ type: "object", properties: { value: schema }, required: ["value"] })
    expect(restore({ value: ["a"] })).toEqual(["a"])
  })

  it("property names that the API refuses", () => {
    const schema = {
      type: "object",
      properties: { "given name": { type: "string" }, given_name: { type: "string" } },
      required: ["given name"]
    }
    const { losses, restore, schema: sent } = Dialect.rewrite(schema, "anthropic")
    expect(sent).toMatchObject({ required: ["given_name_2"] })
    expect(losses.map((loss) => loss.keyword)).toEqual(["properties"])
    expect(restore({ given_name_2: "A", given_name: "B" })).toEqual({ "given name": "A", given_name: "B" })
  })

  it("numbers of an enum and open records, which Gemini's subset has as text", () => {
    const schema = {
      type: "object",
      properties: {
        size: { enum: [1, 2] },
        labels: { type: "object", additionalProperties: { type: "string" } },
        note: { type: "string" }
      },
      required: ["size"]
    }
    const { restore, schema: sent } = Dialect.rewrite(schema, "gemini-subset")
    expect(sent).toMatchObject({
      properties: { size: { type: "STRING", enum: ["1", "2"] }, labels: { type: "STRING" } }
    })
    expect(restore({ size: "2", labels: '{"a":"b"}', note: '{"a":1}' })).toEqual({
      size: 2,
      labels: { a: "b" },
      note: '{"a":1}'
    })
  })
})
