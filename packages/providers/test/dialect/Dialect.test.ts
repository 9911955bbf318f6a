import { describe, expect, it } from "@effect/vitest"
import { Issue, Json, JsonPointer, JsonSchema, type Loss, ToolDefinition } from "@wield/core"
import { Dialect, WireFormat } from "@wield/providers"
import { Effect, Either, FastCheck } from "effect"
import { loadAjv } from "../../../core/src/json-schema/ajv.js"
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

const ajv = await Effect.runPromise(loadAjv("2020-12"))

/** What draft 2020-12 says is wrong, each reference that points at nothing, and what OpenAI's APIs refuse beside. */
const wrongIn = (schema: { readonly [key: string]: unknown }, dialect: Dialect.Name): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const problem = ajv.problemOf({ ...schema, $schema: "https://json-schema.org/draft/2020-12/schema" })
  if (problem !== undefined) wrong.push(problem.message)
  const look = (value: unknown, isData: boolean): void => {
    if (Array.isArray(value)) for (const item of value) look(item, isData)
    if (!Json.isObject(value) || isData) return
    const { $ref: reference, items, type } = value
    if (typeof reference === "string") {
      const isAllowed = dialect !== "openai-strict" || /^#($|\/\$defs\/[\w.-]+$)/.test(reference)
      const target = JsonPointer.at(schema, reference)
      if (!isAllowed || !(Json.isObject(target) || typeof target === "boolean")) wrong.push(reference)
    }
    const isArray = type === "array" || (Array.isArray(type) && type.includes("array"))
    if (dialect.startsWith("openai") && isArray && !Json.isObject(items)) wrong.push("array without items")
    if (dialect.startsWith("gemini") && Array.isArray(value["enum"]) && value["enum"].includes("")) wrong.push("enum")
    for (const [key, inner] of Object.entries(value)) {
      if (key === "properties" && Json.isObject(inner)) for (const each of Object.values(inner)) look(each, false)
      else look(inner, /^(const|enum|default|examples?)$/.test(key))
    }
  }
  look(schema, false)
  return wrong
}

/** What drafts and dialects of others have, and names that a pointer escapes. */
const oddSchema = FastCheck.letrec<{ any: { readonly [key: string]: unknown } }>((tie) => ({
  any: FastCheck.oneof(
    { maxDepth: 3 },
    FastCheck.constantFrom(
      { type: "array" },
      { type: ["array", "null"] },
      { type: "array", items: [] },
      { enum: ["", "x"] },
      { type: "string", enum: [""] },
      { const: "" },
      { type: "string", nullable: true },
      { type: "number", minimum: 0, exclusiveMinimum: true },
      { type: "dict" },
      { $ref: "#" },
      { $ref: "#/$defs/a~1b" },
      { $ref: "#/$defs/a~0b" },
      { $ref: "#/$defs/a%20b" },
      { $ref: "#/definitions/plain" },
      { $ref: "#/definitions/a~1b" },
      { $ref: "#/properties/p0" },
      { $ref: "#/properties/of%20two" },
      { $ref: "#named" },
      { $ref: "https://example.com/inner" },
      { $ref: "#/$defs/none" },
      { $ref: "https://example.com/none" }
    ),
    FastCheck.array(tie("any"), { maxLength: 3 }).chain((items) =>
      FastCheck.constantFrom<{ readonly [key: string]: unknown }>(
        { type: "array", items },
        { type: "array", items, additionalItems: false },
        { type: "array", items, additionalItems: { type: "string" } },
        { type: "array", prefixItems: items, items: false },
        { type: "array", prefixItems: items }
      )
    ),
    FastCheck.array(tie("any"), { minLength: 1, maxLength: 3 }).chain((branches) =>
      FastCheck.constantFrom<{ readonly [key: string]: unknown }>(
        { anyOf: branches },
        { oneOf: branches },
        { allOf: branches }
      )
    ),
    FastCheck.array(tie("any"), { maxLength: 3 }).map((all) => ({
      type: "object",
      properties: Object.fromEntries(all.map((each, index) => [`p${index}`, each])),
      required: all.map((_, index) => `p${index}`),
      additionalProperties: false
    }))
  )
})).any

const oddParameters = FastCheck.tuple(oddSchema, oddSchema, oddSchema, oddSchema, FastCheck.boolean()).map(
  ([one, two, three, four, isUnion]) => ({
    ...(isUnion
      ? {
          oneOf: [
            { type: "object", properties: { p0: one } },
            { type: "object", properties: { p1: two } }
          ]
        }
      : {}),
    type: "object",
    properties: isUnion ? {} : { p0: one, "of two": two },
    $defs: { "a/b": three, "a~b": four, "a b": { type: "string", $anchor: "named" } },
    definitions: { plain: { $id: "https://example.com/inner", type: "integer" }, "a/b": { type: "boolean" } }
  })
)

describe.each(Dialect.names.filter((name) => name !== "gemini-subset"))("whatever the schema, %s", (dialect) => {
  it("writes one that is valid by draft 2020-12, and whose references resolve", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(anySchema, parametersSchema, oddParameters), (schema) => {
        const { schema: sent } = Dialect.rewrite(schema, dialect)
        expect(sent === undefined ? [] : wrongIn(sent, dialect)).toEqual([])
      }),
      { numRuns: runs(300) }
    )
  })
})

describe.each(WireFormat.all)("whatever the schema, $name", (format) => {
  it.each([false, true])("writes tools that are valid by draft 2020-12, strict: %s", (isStrict) => {
    FastCheck.assert(
      FastCheck.property(FastCheck.oneof(parametersSchema, oddParameters), (inputSchema) => {
        const { body } = format.encodeTools([ToolDefinition.make({ name: "odd", inputSchema })], { isStrict })
        const found: Array<Json.JsonObject> = []
        const look = (value: unknown): void => {
          if (Array.isArray(value)) return value.forEach(look)
          if (!Json.isObject(value)) return
          for (const [key, inner] of Object.entries(value)) {
            if (/^(parameters|parametersJsonSchema|input_schema|json)$/.test(key))
              found.push(Json.fromObject(inner as object))
            else look(inner)
          }
        }
        look(body["tools"] ?? body["toolConfig"])
        expect(found).toHaveLength(1)
        const dialect = format.name.startsWith("openai") ? "openai" : format.name === "gemini" ? "gemini" : "mistral"
        expect(found.flatMap((schema) => wrongIn(schema, dialect))).toEqual([])
      }),
      { numRuns: runs(150) }
    )
  })
})

it("Gemini's subset has no references, empty texts in an enum, or arrays without items, whatever the schema", () => {
  const wrong = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.some(wrong)
      : Json.isObject(value) &&
        ("$ref" in value ||
          (value["type"] === "ARRAY" && !Json.isObject(value["items"])) ||
          (Array.isArray(value["enum"]) && (value["enum"].length === 0 || value["enum"].includes(""))) ||
          (Array.isArray(value["anyOf"]) && value["anyOf"].length === 0) ||
          Object.entries(value).some(([key, inner]) => key !== "default" && wrong(inner)))
  FastCheck.assert(
    FastCheck.property(FastCheck.oneof(anySchema, parametersSchema, oddParameters), (schema) => {
      expect(wrong(Dialect.rewrite(schema, "gemini-subset").schema)).toBe(false)
    }),
    { numRuns: runs(300) }
  )
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

it.each(["allOf", "anyOf", "oneOf"])("writes types that each name the next one four times, in an %s", (keyword) => {
  const last = { type: "object", properties: { a: { type: "string" } } }
  for (const count of [15, 30]) {
    const names = Array.from({ length: count }, (_, depth) => `A${depth}`)
    const $defs = Object.fromEntries(
      names.map((name, depth) => [
        name,
        depth === count - 1
          ? last
          : { [keyword]: [0, 1, 2, 3].map((at) => ({ $ref: `#/$defs/A${depth + 1}`, description: String(at) })) }
      ])
    )
    for (const dialect of Dialect.names) {
      expect(() => {
        const { restore } = Dialect.rewrite({ $ref: "#/$defs/A0", $defs }, dialect)
        restore({ a: null })
        Dialect.rewrite({ type: "object", properties: { a: { $ref: "#/$defs/A0" } }, $defs }, dialect).restore({
          a: {}
        })
      }).not.toThrow()
    }
  }
})
