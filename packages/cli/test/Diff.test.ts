import { assert, describe, it } from "@effect/vitest"
import { type Json, JsonSchema, ToolDefinition } from "@wield/core"
import { Effect, FastCheck as fc } from "effect"
import { Diff } from "@wield/cli"
import { runs } from "../../../test/sizes.js"

type Schema = Json.JsonSchema

const tool = (inputSchema: Schema, more: Partial<Parameters<typeof ToolDefinition.make>[0]> = {}) =>
  ToolDefinition.make({ name: "t", inputSchema, ...more })

const object = (properties: { readonly [name: string]: unknown }, required: ReadonlyArray<string> = []): Schema => ({
  type: "object",
  properties,
  required
})

const changes = (before: Schema, after: Schema) =>
  Diff.compare([tool(before)], [tool(after)]).map(({ kind, level, path }) => `${path.join(".")} ${kind} ${level}`)

const outputs = (before: Schema, after: Schema) =>
  Diff.compare([tool({}, { outputSchema: before })], [tool({}, { outputSchema: after })]).map(
    ({ kind, level, path }) => `${path.join(".")} ${kind} ${level}`
  )

const text = { type: "string" }

describe("a change of a parameter", () => {
  const table: ReadonlyArray<readonly [string, Schema, Schema, ReadonlyArray<string>]> = [
    ["nothing", object({ a: text }), { ...object({ a: text }) }, []],
    ["a new optional one", object({}), object({ a: text }), ["a added minor"]],
    ["a new required one", object({}), object({ a: text }, ["a"]), ["a added major"]],
    ["one that is gone", object({ a: text }), object({}), ["a removed major"]],
    ["one that becomes required", object({ a: text }), object({ a: text }, ["a"]), ["a required major"]],
    ["one that becomes optional", object({ a: text }, ["a"]), object({ a: text }), ["a optional minor"]],
    ["another type", object({ a: text }), object({ a: { type: "number" } }), ["a altered major"]],
    ["a wider type", object({ a: { type: "integer" } }), object({ a: { type: "number" } }), ["a widened minor"]],
    ["one that may be null", object({ a: text }), object({ a: { type: ["string", "null"] } }), ["a widened minor"]],
    [
      "null in other words",
      object({ a: { type: ["string", "null"] } }),
      object({ a: { anyOf: [text, { type: "null" }] } }),
      ["a words patch"]
    ],
    ["another value", object({ a: { enum: ["x"] } }), object({ a: { enum: ["x", "y"] } }), ["a widened minor"]],
    ["a value less", object({ a: { enum: ["x", "y"] } }), object({ a: { enum: ["x"] } }), ["a narrowed major"]],
    [
      "values that were any text",
      object({ a: text }),
      object({ a: { type: "string", enum: ["x"] } }),
      ["a narrowed major"]
    ],
    ["a bound", object({ a: { type: "number" } }), object({ a: { type: "number", minimum: 1 } }), ["a narrowed major"]],
    [
      "a looser bound",
      object({ a: { type: "number", exclusiveMinimum: 1 } }),
      object({ a: { type: "number", minimum: 1 } }),
      ["a widened minor"]
    ],
    ["a pattern", object({ a: text }), object({ a: { type: "string", pattern: "^x" } }), ["a narrowed major"]],
    ["a description", object({ a: text }), object({ a: { ...text, description: "A" } }), ["a words patch"]],
    ["a default", object({ a: text }), object({ a: { ...text, default: "x" } }), ["a default minor"]],
    [
      "inside of an object",
      object({ a: object({ b: text }) }),
      object({ a: object({ b: text, c: text }) }),
      ["a.c added minor"]
    ],
    [
      "inside of a list",
      object({ a: { type: "array", items: object({ b: text }) } }),
      object({ a: { type: "array", items: object({ b: text }, ["b"]) } }),
      ["a.[].b required major"]
    ],
    [
      "a longer list",
      object({ a: { type: "array", maxItems: 2 } }),
      object({ a: { type: "array", maxItems: 3 } }),
      ["a widened minor"]
    ],
    ["others refused", object({ a: text }), { ...object({ a: text }), additionalProperties: false }, [" words patch"]],
    [
      "others that were welcome refused",
      { ...object({ a: text }), additionalProperties: true },
      { ...object({ a: text }), additionalProperties: false },
      [" narrowed major"]
    ],
    [
      "a new one where others were welcome",
      { ...object({}), additionalProperties: true },
      { ...object({ a: text }), additionalProperties: true },
      ["a added minor", " altered major"]
    ],
    [
      "a reference written out",
      { ...object({ a: { $ref: "#/$defs/T" } }), $defs: { T: text } },
      object({ a: text }),
      ["a words patch"]
    ],
    [
      "a definition",
      { ...object({ a: { $ref: "#/$defs/T" } }), $defs: { T: text } },
      { ...object({ a: { $ref: "#/$defs/T" } }), $defs: { T: { type: "number" } } },
      ["a altered major"]
    ],
    [
      "what cannot be compared",
      object({ a: { not: { const: 1 } } }),
      object({ a: { not: { const: 2 } } }),
      ["a altered major"]
    ],
    [
      "a branch of a tagged union",
      object({ a: { oneOf: [object({ k: { const: "x" } }, ["k"])] } }),
      object({ a: { oneOf: [object({ k: { const: "x" } }, ["k"]), object({ k: { const: "y" } }, ["k"])] } }),
      ["a widened minor"]
    ],
    ["no parameters in other words", {}, { type: "object", properties: {}, additionalProperties: false }, []]
  ]
  for (const [name, before, after, expected] of table) {
    it(`is told by its kind: ${name}`, () => assert.deepStrictEqual(changes(before, after), expected))
  }

  it("ends where a schema refers to itself", () => {
    const tree = (leaf: Schema): Schema => ({
      ...object({ root: { $ref: "#/$defs/N" } }),
      $defs: { N: object({ leaf, children: { type: "array", items: { $ref: "#/$defs/N" } } }) }
    })
    assert.deepStrictEqual(changes(tree({ type: "integer" }), tree({ type: "number" })), ["root widened minor"])
    assert.deepStrictEqual(changes(tree({ type: "number" }), tree({ type: "integer" })), ["root narrowed major"])
    const loop: Schema = { ...object({ a: { $ref: "#/$defs/A" } }), $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }] } } }
    assert.deepStrictEqual(changes(loop, object({ a: text })), ["a altered major"])
  })
})

describe("a change of a result", () => {
  it("is judged the other way round", () => {
    assert.deepStrictEqual(outputs(object({}), object({ a: text })), ["a added minor"])
    assert.deepStrictEqual(outputs(object({ a: text }), object({})), ["a removed major"])
    assert.deepStrictEqual(outputs(object({ a: text }, ["a"]), object({ a: text })), ["a optional major"])
    assert.deepStrictEqual(outputs(object({ a: text }), object({ a: text }, ["a"])), ["a required minor"])
    assert.deepStrictEqual(outputs(object({ a: { enum: ["x"] } }), object({ a: { enum: ["x", "y"] } })), [
      "a widened major"
    ])
    assert.deepStrictEqual(outputs(object({ a: { type: "number" } }), object({ a: { type: "integer" } })), [
      "a narrowed minor"
    ])
  })
})

describe("a change of a tool", () => {
  it("is told: new, gone, renamed, in its words, in its facts", () => {
    const before = [
      ToolDefinition.make({ name: "a", inputSchema: object({ x: text }) }),
      tool({}, { description: "Old" })
    ]
    const facts = { ...tool({}).facts, isReadOnly: true }
    const after = [
      ToolDefinition.make({ name: "b", inputSchema: object({ x: text }) }),
      tool({}, { description: "New", facts })
    ]
    assert.deepStrictEqual(
      Diff.compare(before, after).map(({ kind, level, message }) => [kind, level, message]),
      [
        ["tool-removed", "major", "The tool is no longer there; b has the same parameters, and may be its new name"],
        ["tool-added", "minor", "The tool is new"],
        ["words", "patch", "The description has changed"],
        ["fact", "patch", "It was false, and is true"]
      ]
    )
    assert.strictEqual(Diff.levelOf(Diff.compare(after, before)), "major")
  })
})

/** A schema that says something of most keywords, and values of it. */
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom("string", "number", "integer", "boolean", "null") }),
  fc.record({
    type: fc.constant("integer"),
    minimum: fc.integer({ min: 0, max: 3 }),
    maximum: fc.integer({ min: 3, max: 6 })
  }),
  fc.record({
    type: fc.constant("number"),
    exclusiveMinimum: fc.integer({ min: 0, max: 2 }),
    multipleOf: fc.constantFrom(1, 2, 0.5)
  }),
  fc.record({
    type: fc.constant("string"),
    minLength: fc.integer({ min: 0, max: 2 }),
    maxLength: fc.integer({ min: 2, max: 4 })
  }),
  fc.record({ type: fc.constant("string"), pattern: fc.constantFrom("^a", "b$") }),
  fc.record({ enum: fc.subarray(["a", "b", "ab", 1, 2, null, true], { minLength: 1 }) }),
  fc.record({ const: fc.constantFrom<Json.Json>("a", 1, null, "b") }),
  fc.record({ type: fc.subarray(["string", "integer", "null"], { minLength: 1 }) }),
  fc.constant({}),
  fc.constant({ $ref: "#/$defs/D" })
)

const schemas = fc.letrec<{ readonly any: Schema; readonly object: Schema }>((tie) => ({
  object: fc
    .record({
      properties: fc.dictionary(fc.constantFrom("p", "q", "r"), tie("any"), { maxKeys: 3 }),
      others: fc.constantFrom(undefined, undefined, true, false, { type: "string" }),
      pattern: fc.constantFrom(undefined, undefined, { "^q": { type: "string" } }),
      required: fc.subarray(["p", "q", "r"])
    })
    .map(({ others, pattern, properties, required }): Schema => ({
      type: "object",
      properties,
      required: required.filter((name) => Object.hasOwn(properties, name)),
      ...(others === undefined ? {} : { additionalProperties: others }),
      ...(pattern === undefined ? {} : { patternProperties: pattern })
    })),
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: leaf, weight: 6 },
    { arbitrary: tie("object"), weight: 2 },
    {
      arbitrary: fc.record({ type: fc.constant("array"), items: tie("any"), maxItems: fc.integer({ min: 1, max: 3 }) }),
      weight: 1
    },
    {
      arbitrary: fc.record({
        type: fc.constant("array"),
        prefixItems: fc.array(tie("any"), { minLength: 1, maxLength: 2 })
      }),
      weight: 1
    },
    { arbitrary: fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }), weight: 1 },
    { arbitrary: fc.record({ oneOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }), weight: 1 },
    { arbitrary: fc.record({ allOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }), weight: 1 },
    { arbitrary: fc.record({ not: leaf }), weight: 1 }
  )
}))

const root = fc
  .record({ object: schemas.object, definition: fc.oneof(leaf, schemas.object).filter((one) => !("$ref" in one)) })
  .map(({ definition, object }): Schema => ({ ...object, $defs: { D: definition } }))

/** Like it, with one part exchanged: most changes that people make. */
const pairs = root.chain((before) =>
  fc.oneof(
    root.map((after) => ({ before, after })),
    fc
      .record({ name: fc.constantFrom("p", "q", "r"), schema: schemas.any, isRequired: fc.boolean() })
      .map(({ isRequired, name, schema }) => {
        const properties = { ...(before["properties"] as object), [name]: schema }
        const required = (before["required"] as ReadonlyArray<string>).filter((one) => one !== name)
        return { before, after: { ...before, properties, required: isRequired ? [...required, name] : required } }
      }),
    leaf.map((definition) => ({ before, after: { ...before, $defs: { D: "$ref" in definition ? {} : definition } } }))
  )
)

const values = fc.letrec<{ readonly any: Json.Json; readonly object: Json.JsonObject }>((tie) => ({
  object: fc.dictionary(fc.constantFrom("p", "q", "r", "q2"), tie("any"), { maxKeys: 4 }),
  any: fc.oneof(
    { depthSize: "small" },
    {
      arbitrary: fc.constantFrom<Json.Json>("a", "b", "ab", "", "abcde", 0, 1, 2, 3, 6, 7, 0.5, -1, null, true, false),
      weight: 8
    },
    { arbitrary: tie("object"), weight: 2 },
    { arbitrary: fc.array(tie("any"), { maxLength: 3 }), weight: 2 }
  )
}))

describe("a change that is called compatible", () => {
  it.effect("never refuses a call that was valid", () =>
    Effect.gen(function* () {
      const compile = yield* JsonSchema.compiler
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            pairs,
            fc.array(values.object, { minLength: 20, maxLength: 40 }),
            async ({ after, before }, calls) => {
              const level = Diff.levelOf(Diff.compare([tool(before)], [tool(after)]))
              fc.pre(level !== "major")
              const [old, current] = await Effect.runPromise(Effect.all([compile(closed(before)), compile(after)]))
              for (const call of calls) {
                if (old.isValid(call) && !current.isValid(call)) {
                  throw new Error(`${JSON.stringify(call)} was valid, and is refused`)
                }
              }
            }
          ),
          { numRuns: runs(2000) }
        )
      )
    })
  )

  it("has no change to itself", () => {
    fc.assert(
      fc.property(root, (schema) => {
        assert.deepStrictEqual(Diff.compare([tool(schema)], [tool(structuredClone(schema) as Schema)]), [])
      }),
      { numRuns: runs(400) }
    )
  })
})

/** As callers read a schema: an object that names properties has those only, unless it says otherwise. */
const closed = (schema: unknown): Schema => close(schema) as Schema

const close = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== "object" || schema === null) return schema
  const one = schema as { readonly [key: string]: unknown }
  const inner = Object.fromEntries(
    Object.entries(one).map(([key, value]) => {
      if (key === "properties" || key === "$defs" || key === "patternProperties") {
        return [key, Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, close(part)]))]
      }
      return [
        key,
        ["items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties"].includes(key) ? close(value) : value
      ]
    })
  )
  const isNamed = "properties" in one || "patternProperties" in one
  return isNamed && !("additionalProperties" in one) ? { ...inner, additionalProperties: false } : inner
}
