import { describe, expect, it } from "@effect/vitest"
import { type InvalidJsonSchema, Issue, JsonSchema } from "@wield/core"
import { Effect, Either } from "effect"
import { sized } from "../../../../test/sizes.js"

const compile = (schema: object, options?: JsonSchema.CompileOptions) =>
  Effect.runPromise(JsonSchema.compile({ ...schema }, options))

const refusal = async (schema: object, options?: JsonSchema.CompileOptions): Promise<InvalidJsonSchema> =>
  Effect.runPromise(Effect.flip(JsonSchema.compile({ ...schema }, options)))

const complaints = (validator: JsonSchema.Validator, value: unknown): ReadonlyArray<string> =>
  Either.match(validator.validate(value), { onLeft: (issues) => issues.map(Issue.toText), onRight: () => [] })

const names = (validator: JsonSchema.Validator) => validator.normalisations.map((change) => change.name)

describe("which draft a schema is read by", () => {
  const cases: ReadonlyArray<readonly [string, object, JsonSchema.Draft]> = [
    ["nothing that tells", { type: "object" }, "2020-12"],
    ["a declared draft", { $schema: "http://json-schema.org/draft-07/schema#" }, "draft-07"],
    ["a list in items", { properties: { a: { items: [{ type: "string" }] } } }, "draft-07"],
    ["a list in items beside $defs", { $defs: {}, items: [{}] }, "2019-09"],
    ["prefixItems", { prefixItems: [{}] }, "2020-12"],
    ["definitions", { definitions: {} }, "draft-07"],
    ["dependencies", { dependencies: { a: ["b"] } }, "draft-07"],
    ["a property that is named like a keyword", { properties: { definitions: { type: "string" } } }, "2020-12"]
  ]
  it.each(cases)("%s", async (_, schema, draft) => {
    expect((await compile(schema)).draft).toBe(draft)
  })
})

describe("a loose dialect", () => {
  it("is read as JSON Schema, and every change is named", async () => {
    const validator = await compile({
      type: "dict",
      properties: {
        city: { type: "String", required: true },
        tags: { type: "List[str]" },
        size: { type: "tuple", items: { type: "float" }, minItems: "2" },
        note: { type: "Optional[str]" },
        extra: { type: "any", optional: true },
        unit: "string"
      },
      required: []
    })
    expect(validator.schema).toEqual({
      type: "object",
      properties: {
        city: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        size: { type: "array", items: { type: "number" }, minItems: 2 },
        note: { type: ["string", "null"] },
        extra: {},
        unit: { type: "string" }
      },
      required: ["city"]
    })
    expect(new Set(names(validator))).toEqual(
      new Set(["type-name", "required-flag", "number-as-text", "optional-flag", "type-as-schema"])
    )
    expect(complaints(validator, { city: "Bern", size: [1.5, 2] })).toEqual([])
  })

  it("of OpenAPI 3.0 keeps its meaning: nullable, exclusive bounds as flags, example", async () => {
    const validator = await compile({
      type: "object",
      properties: {
        name: { type: "string", nullable: true, example: "x" },
        level: { type: "string", enum: ["low"], nullable: true },
        pet: { allOf: [{ $ref: "#/components/schemas/Pet" }], nullable: true },
        ratio: { type: "number", minimum: 0, exclusiveMinimum: true }
      },
      components: {
        schemas: {
          Pet: { type: "object", properties: { name: { type: "String", nullable: true } }, required: ["id"] },
          Unused: { type: "wibble" }
        }
      }
    })
    expect(complaints(validator, { name: null, level: null, pet: null, ratio: 0.1 })).toEqual([])
    expect(complaints(validator, { pet: { id: 1, name: null } })).toEqual([])
    expect(complaints(validator, { ratio: 0 })).toEqual(["ratio: expected more than 0, received 0"])
    expect(complaints(validator, { pet: {} })).toEqual(["pet.id: expected a value, but it is missing"])
  })

  it("does not change a schema that is valid by its declared draft", async () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: { a: { type: "string", nullable: true, optional: true, "x-any": "dict" } }
    }
    const validator = await compile(schema)
    expect(validator.schema).toEqual(schema)
    expect(validator.normalisations).toEqual([])
    expect(validator.isValid({ a: null })).toBe(false)
  })

  it("is not looked for in constants, defaults and examples", async () => {
    const schema = {
      properties: { a: { const: { type: "dict" }, default: { type: "dict" }, enum: [{ type: "dict" }] } }
    }
    expect((await compile(schema)).schema).toEqual(schema)
  })
})

describe("a schema that cannot be read", () => {
  const cases: ReadonlyArray<readonly [string, object, InvalidJsonSchema["kind"], string]> = [
    ["a type nobody knows", { properties: { a: { type: "wibble" } } }, "Malformed", "properties.a.type"],
    ["a keyword of the wrong type", { properties: { a: { minLength: -1 } } }, "Malformed", "properties.a.minLength"],
    ["a number for a schema", { properties: { a: 5 } }, "Malformed", "properties.a"],
    ["a broken pattern", { properties: { a: { pattern: "(" } } }, "Malformed", "properties.a.pattern"],
    [
      "a reference to nothing",
      { properties: { a: { $ref: "#/$defs/B" } } },
      "UnknownReference",
      'properties.a["$ref"]'
    ],
    [
      "a reference to elsewhere",
      { properties: { a: { $ref: "https://example.com/b.json" } } },
      "ExternalReference",
      'properties.a["$ref"]'
    ],
    ["a reference to itself", { properties: { a: { $ref: "#/properties/a" } } }, "EndlessRecursion", "properties.a"],
    [
      "a circle of references",
      { $defs: { a: { allOf: [{ $ref: "#/$defs/b" }] }, b: { $ref: "#/$defs/a" } } },
      "EndlessRecursion",
      "$defs"
    ],
    [
      "an exponential pattern with a backreference",
      { properties: { a: { pattern: "^((a+)+)\\1$" } } },
      "UnsafePattern",
      "properties.a.pattern"
    ]
  ]
  it.each(cases)("is refused with its place: %s", async (_, schema, kind, place) => {
    const error = await refusal(schema)
    expect(error.kind).toBe(kind)
    expect(Issue.pathToText(error.path).replace('["$ref"]', ".$ref")).toContain(place.replace('["$ref"]', ".$ref"))
    expect(error.message).not.toContain("\n")
  })

  it("is read when the other document is given", async () => {
    const schema = { properties: { a: { $ref: "https://example.com/b.json" } } }
    const validator = await compile(schema, { documents: { "https://example.com/b.json": { type: "dict" } } })
    expect(complaints(validator, { a: 1 })).toEqual(["a: expected an object, received 1"])
  })

  it("is refused when it is too deep, too large or no JSON at all", async () => {
    let deep: object = { type: "string" }
    for (let level = 0; level < 5_000; level++) deep = { properties: { a: deep } }
    expect((await refusal(deep)).kind).toBe("TooLarge")
    const wide = { properties: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, {}])) }
    expect((await refusal(wide)).kind).toBe("TooLarge")
    const circular: { properties: Record<string, unknown> } = { properties: {} }
    circular.properties["a"] = circular
    expect((await refusal(circular)).kind).toBe("TooLarge")
  })
})

describe("a hostile schema or value", () => {
  it("takes names of an object's prototype for names", async () => {
    const validator = await compile(
      JSON.parse(
        '{"properties":{"__proto__":{"type":"number"},"toString":{"type":"number"}},"required":["constructor"],"additionalProperties":{"type":"string"}}'
      ) as object
    )
    expect(complaints(validator, {})).toEqual(["constructor: expected a value, but it is missing"])
    expect(validator.isValid(JSON.parse('{"__proto__":1,"toString":1,"constructor":"x"}'))).toBe(true)
    expect(validator.isValid(JSON.parse('{"__proto__":"x","constructor":"x"}'))).toBe(false)
  })

  it("cannot make a pattern run for long", async () => {
    const validator = await compile({
      properties: { a: { pattern: "^(\\w+\\s?)*$" }, b: { pattern: "\\s+$" }, c: { pattern: "^(?=.*\\d)[^,]*,.*$" } }
    })
    expect(validator.isValid({ a: `${"a".repeat(50_000)}!` })).toBe(false)
    expect(validator.isValid({ a: "two words" })).toBe(true)
    expect(validator.isValid({ b: `${" ".repeat(100_000)}x` })).toBe(false)
    expect(validator.isValid({ c: "1".repeat(100_000) })).toBe(false)
  })

  it("cannot hide such a pattern where only a reference finds it", async () => {
    const validator = await compile({ $ref: "#/components/A", components: { A: { pattern: "^(a+)+$" } } })
    expect(validator.isValid(`${"a".repeat(50)}!`)).toBe(false)
    expect((await refusal({ $ref: "#/x/A", x: { A: { pattern: "^(a+)+\\1$" } } })).path).toEqual(["x", "A", "pattern"])
    expect((await refusal({ $ref: "#/x/A", x: { A: { $ref: "#/x/B" }, B: { $ref: "#/x/A" } } })).kind).toBe(
      "EndlessRecursion"
    )
  })

  it("cannot make references try a value without end", async () => {
    const bomb: Record<string, object> = { d0: { type: "string" } }
    for (let level = 1; level <= 40; level++) {
      bomb[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] }
    }
    const validator = await compile({ $defs: bomb, $ref: "#/$defs/d40" })
    expect(complaints(validator, "x")).toEqual(['arguments: expected a value nested less deeply, received "x"'])
  })

  it("of great depth is an issue, not a crash", async () => {
    const validator = await compile({ type: "object", properties: { next: { $ref: "#" } } })
    let value: object = {}
    for (let level = 0; level < 100_000; level++) value = { next: value }
    expect(complaints(validator, value)).toHaveLength(1)
    expect(validator.isValid({ next: { next: {} } })).toBe(true)
  })

  it("cannot turn validation off by being asynchronous", async () => {
    const validator = await compile({ $async: true, type: "object" })
    expect(validator.isValid(1)).toBe(false)
  })

  it("of thousands of properties is compiled all the same", async () => {
    const count = sized(2_000, 9_000)
    const properties = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }])
    )
    const validator = await compile({ type: "object", properties })
    const last = `p${count - 1}`
    expect(complaints(validator, { [last]: 1 })).toEqual([`${last}: expected a string, received 1`])
  })
})

describe("what is wrong with a value", () => {
  const shape = {
    anyOf: [
      {
        type: "object",
        properties: { kind: { const: "circle" }, radius: { type: "number" } },
        required: ["kind", "radius"]
      },
      {
        type: "object",
        properties: { kind: { const: "square" }, side: { type: "number", exclusiveMinimum: 0 } },
        required: ["kind", "side"]
      }
    ]
  }
  const cases: ReadonlyArray<readonly [object, unknown, ReadonlyArray<string>]> = [
    [{ enum: ["a", "b", 3] }, "c", ['arguments: expected one of "a", "b" or 3, received "c"']],
    [{ const: { a: 1 } }, 2, ['arguments: expected {"a":1}, received 2']],
    [{ type: ["string", "null"] }, 2, ["arguments: expected a string or null, received 2"]],
    [{ minLength: 2 }, "a", ['arguments: expected at least 2 characters, received "a"']],
    [{ maxItems: 1 }, [1, 2], ["arguments: expected at most 1 item, received an array of 2"]],
    [{ uniqueItems: true }, [1, 1], ["arguments: expected items that all differ, received an array of 2"]],
    [{ multipleOf: 5 }, 7, ["arguments: expected a multiple of 5, received 7"]],
    [{ prefixItems: [{}], items: false }, [1, 2], ["arguments: expected no further items, received an array of 2"]],
    [
      { contains: { type: "string" } },
      [1],
      ["arguments: expected at least 1 items that are a string, received an array of 1"]
    ],
    [
      { dependentRequired: { from: ["to"] } },
      { from: 1 },
      ["to: expected a value, since from is given, but it is missing"]
    ],
    [{ not: { type: "null" } }, null, ["arguments: expected anything but null, received null"]],
    [
      { propertyNames: { pattern: "^[a-z]+$" } },
      { A: 1 },
      ['A: expected a name that is text that matches ^[a-z]+$, received "A"']
    ],
    [
      { properties: { a: {} }, additionalProperties: false },
      { b: 1 },
      ["b: expected no argument of this name (there are a), received one"]
    ],
    [shape, { kind: "square", side: 0 }, ["side: expected more than 0, received 0"]],
    [shape, { kind: "line" }, ['kind: expected one of "circle" or "square", received "line"']],
    [
      shape,
      4,
      [
        'arguments: expected an object with kind "circle" and radius or an object with kind "square" and side, received 4'
      ]
    ],
    [
      { anyOf: [{ type: "string", minLength: 3 }, { type: "null" }] },
      "ab",
      ['arguments: expected at least 3 characters, received "ab"']
    ],
    [
      { oneOf: [{ type: "integer" }, { minimum: 2 }] },
      3,
      [
        "arguments: expected a value that fits one only of 2 forms: an integer or another value, received one that fits 2 of them"
      ]
    ],
    [
      {
        $defs: { T: { anyOf: [{ type: "string" }, { type: "array", items: { $ref: "#/$defs/T" } }] } },
        $ref: "#/$defs/T"
      },
      ["a", [1]],
      ["[1][0]: expected a string or an array, received 1"]
    ]
  ]
  it.each(cases)("%j against %j", async (schema, value, expected) => {
    expect(complaints(await compile(schema), value)).toEqual(expected)
  })

  it("is told of a format only where formats are asserted", async () => {
    const schema = { type: "string", format: "date" }
    expect(complaints(await compile(schema), "tomorrow")).toEqual([])
    expect(complaints(await compile(schema, { formats: "assertion" }), "tomorrow")).toEqual([
      'arguments: expected a date such as 2025-01-31, received "tomorrow"'
    ])
  })
})

describe("defaults", () => {
  it("take the place of absent properties when asked, and the value stays as it was", async () => {
    const schema = {
      type: "object",
      properties: {
        unit: { type: "string", default: "C" },
        none: { type: "string", default: null },
        deep: { type: "object", properties: { n: { type: "integer", default: 1 } } },
        given: { type: "string", default: "x" }
      }
    }
    const value = { deep: {}, given: "y" }
    const filled = await compile(schema, { defaults: "filled" })
    expect(Either.getOrThrow(filled.validate(value))).toEqual({ unit: "C", deep: { n: 1 }, given: "y" })
    expect(value).toEqual({ deep: {}, given: "y" })
    expect(Either.getOrThrow((await compile(schema)).validate(value))).toBe(value)
  })

  it("do not make up for a required property", async () => {
    const schema = { type: "object", properties: { a: { type: "string", default: "x" } }, required: ["a"] }
    expect((await compile(schema, { defaults: "filled" })).isValid({})).toBe(false)
  })
})

describe("no parameters", () => {
  it.each([
    [undefined],
    [null],
    [{}],
    [{ type: "object" }],
    [{ $schema: "x", type: "object", description: "none" }],
    [{ type: "object", properties: {}, required: [], additionalProperties: false }]
  ])("is what %j means", (schema) => {
    expect(JsonSchema.isWithoutParameters(schema)).toBe(true)
  })

  it.each([
    [{ type: "object", additionalProperties: true }],
    [{ type: "object", properties: { a: {} } }],
    [{ type: "object", properties: {} }],
    [{ type: "object", properties: {}, additionalProperties: { type: "string" } }],
    [{ type: "object", required: ["a"] }],
    [{ type: "array" }]
  ])("is not what %j means", (schema) => {
    expect(JsonSchema.isWithoutParameters(schema)).toBe(false)
  })
})
