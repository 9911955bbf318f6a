import { describe, expect, it } from "@effect/vitest"
import { ToolDefinition } from "@wield/core"
import { TypeScript } from "@wield/manifest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Ajv } from "ajv"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { runs } from "../../../../test/sizes.js"
import { errorsOf, loaded } from "./generated.js"

type Json = { readonly [keyword: string]: unknown }

/** Schemas without what Effect Schema cannot say: what a module is generated of must come back whole. */
const schemas: FastCheck.Arbitrary<Json> = FastCheck.letrec<{ schema: Json; object: Json }>((tie) => {
  const leaf = FastCheck.oneof(
    FastCheck.record(
      { minLength: FastCheck.nat(2), maxLength: FastCheck.integer({ min: 2, max: 4 }) },
      { requiredKeys: [] }
    ).map((checks): Json => ({ type: "string", ...checks })),
    FastCheck.record(
      { minimum: FastCheck.integer({ min: -3, max: 0 }), exclusiveMaximum: FastCheck.integer({ min: 2, max: 5 }) },
      { requiredKeys: [] }
    ).map((checks): Json => ({ type: "integer", ...checks })),
    FastCheck.constantFrom<Json>(
      {},
      { type: "number", multipleOf: 2 },
      { type: "boolean" },
      { type: ["string", "null"] },
      { const: 7 },
      { const: { a: 1 } },
      { enum: ["a", "b", null, 1] },
      { type: "string", pattern: "^[a-c]+$" },
      { type: "string", format: "date" },
      { $ref: "#/$defs/Tree" },
      { $ref: "#/$defs/Size", description: "A size" },
      { allOf: [{ $ref: "#/$defs/Size" }, { minLength: 2 }] },
      { type: "object", additionalProperties: { type: "integer" }, minProperties: 1 }
    )
  )
  const names = ["a", "b c", "isPrototypeOf", "constructor", "1"]
  return {
    schema: FastCheck.oneof(
      { depthSize: "small" },
      leaf,
      tie("object"),
      FastCheck.tuple(tie("schema"), FastCheck.boolean()).map(([items, uniqueItems]): Json => ({
        type: "array",
        items,
        uniqueItems,
        maxItems: 4
      })),
      FastCheck.array(tie("schema"), { minLength: 1, maxLength: 2 }).chain((prefixItems) =>
        FastCheck.constantFrom<Json>({}, { items: false }, { minItems: 1 }).map((more): Json => ({
          type: "array",
          prefixItems,
          ...more
        }))
      ),
      FastCheck.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf): Json => ({ anyOf })),
      FastCheck.tuple(tie("object"), tie("object")).map((allOf): Json => ({ allOf }))
    ),
    object: FastCheck.tuple(
      FastCheck.dictionary(FastCheck.constantFrom(...names), tie("schema"), { maxKeys: 3 }),
      FastCheck.subarray(names),
      FastCheck.constantFrom<Json>({}, { additionalProperties: true })
    ).map(([properties, required, more]): Json => ({
      type: "object",
      properties,
      required: required.slice(0, 1),
      ...more
    }))
  }
}).schema

const $defs = {
  Size: { type: "string", enum: ["S", "M", "XL"] },
  Tree: {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } }, size: { $ref: "#/$defs/Size" } }
  }
}

const plain = FastCheck.jsonValue({ maxDepth: 3 })

/** Values that may well be valid, and the same with something changed. */
const valuesOf = (schema: Json): ReadonlyArray<unknown> => {
  const made = instancesOf(schema, 0).slice(0, 30)
  const all = [
    ...made,
    ...made.flatMap(mutated),
    ...FastCheck.sample(plain, { numRuns: runs(20), seed: 7 }),
    ...telling
  ]
  return [...new Set(all.map((value) => JSON.stringify(value) ?? "null"))]
    .slice(0, 400)
    .map((text): unknown => JSON.parse(text, (_, value) => (typeof value === "number" ? tame(value) : value)))
}

const instancesOf = (schema: unknown, depth: number): ReadonlyArray<unknown> => {
  if (typeof schema !== "object" || schema === null || depth > 5) return ["any", 1]
  const {
    additionalProperties,
    allOf,
    anyOf,
    const: constant,
    enum: values,
    items,
    prefixItems,
    properties,
    type
  } = schema as Json
  const reference = (schema as Json)["$ref"]
  if (typeof reference === "string") return instancesOf($defs[reference.slice(8) as keyof typeof $defs], depth + 2)
  if (constant !== undefined) return [constant]
  if (Array.isArray(values)) return values
  if (Array.isArray(anyOf)) return anyOf.flatMap((branch) => instancesOf(branch, depth + 1).slice(0, 6))
  if (Array.isArray(allOf)) {
    const [first, second] = allOf.map((branch) => instancesOf(branch, depth + 1))
    return (first ?? [])
      .slice(0, 4)
      .flatMap((one) =>
        (second ?? []).slice(0, 4).map((other) => (typeof one === "object" ? { ...one, ...Object(other) } : one))
      )
  }
  if (type === "object") {
    const made = Object.entries(properties ?? { x: additionalProperties }).map(
      ([name, property]) => [name, instancesOf(property, depth + 1)] as const
    )
    return [0, 1, 2].map((index) => Object.fromEntries(made.map(([name, all]) => [name, all[index % all.length]])))
  }
  if (type === "array") {
    const each = Array.isArray(prefixItems) ? prefixItems.map((item) => instancesOf(item, depth + 1)[0]) : []
    const rest = items === false ? [] : instancesOf(items, depth + 1)
    return [[], each, each.slice(0, 1), [...each, ...rest.slice(0, 1)], [...each, ...rest.slice(0, 2)]]
  }
  return type === "integer" || type === "number"
    ? [0, 1, 2, 4, -1]
    : type === "boolean"
      ? [true, false]
      : ["a", "ab", "XL", "abc", "2024-01-01", null]
}

/** Whether a tiny or a huge number is a multiple of 2 is a question of rounding, not of schemas. */
const tame = (value: number): number => Math.max(-1e6, Math.min(1e6, Math.round(value * 2) / 2))

const telling: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  1,
  2,
  2.5,
  7,
  -4,
  100,
  "",
  "a",
  "ab",
  "abcde",
  "S",
  "XL",
  "2024-01-01",
  [],
  [1],
  ["a", "a"],
  {},
  { a: 1 },
  { children: [{ children: [{ size: "M" }] }] },
  { children: [{ size: "no" }] },
  { isPrototypeOf: 1 },
  { "1": null }
]

const mutated = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value))
    return [
      value.slice(1),
      [...value, null],
      [...value, ...value],
      ...value.flatMap((item, index) => mutated(item).map((other) => value.with(index, other)))
    ]
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
    return [
      { ...value, further: [] },
      ...entries.map((_, index) => Object.fromEntries(entries.filter((__, other) => other !== index))),
      ...entries.flatMap(([name, held]) => mutated(held).map((other) => ({ ...value, [name]: other })))
    ]
  }
  if (typeof value === "string") return [`${value}x`, value.slice(1), 1, null]
  if (typeof value === "number") return [value + 1, value - 1, value + 0.5, String(value)]
  return [value === null ? "null" : null]
}

/** Ajv takes it amiss that a schema of Effect has the same `$id` twice. */
const withoutIds = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutIds)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([key, held]) => !(key === "$id" && typeof held === "string"))
            .map(([key, held]) => [key, withoutIds(held)])
        )
      : value

describe("a generated schema", () => {
  it.effect("takes and refuses what the JSON Schema does, and so does its own JSON Schema", () =>
    Effect.gen(function* () {
      const samples = FastCheck.sample(schemas, { numRuns: 150, seed: 42 })
      const { code, losses } = yield* TypeScript.generate(
        samples.map((schema, index) =>
          ToolDefinition.make({
            name: `tool_${index}`,
            inputSchema: { type: "object", properties: { value: schema }, required: ["value"], $defs }
          })
        )
      )
      expect(yield* errorsOf([code])).toEqual([])
      const lossy = new Set(losses.map(({ subject }) => subject))
      const module = yield* loaded(code)
      const counts = { valid: 0, invalid: 0 }
      for (const [index, schema] of samples.entries()) {
        if (lossy.has(`tool_${index}`)) continue
        const tool = module[`Tool${index}`] as {
          readonly parametersSchema: { readonly fields: { readonly value: Schema.Schema<unknown> } }
        }
        const made = tool.parametersSchema.fields.value
        const original = new Ajv2020({ strict: false, validateFormats: false, ownProperties: true }).compile({
          ...schema,
          $defs
        })
        const generated = new Ajv({ strict: false, validateFormats: false, ownProperties: true }).compile(
          withoutIds(JSONSchema.make(made)) as object
        )
        const decodes = Schema.is(made)
        for (const value of valuesOf(schema)) {
          const expected = original(value)
          counts[expected ? "valid" : "invalid"]++
          const told = JSON.stringify({ schema, value })
          expect([generated(value), told]).toEqual([expected, told])
          expect([decodes(value), told]).toEqual([expected, told])
        }
      }
      expect(lossy.size).toBeLessThan(samples.length / 5)
      expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(5 * samples.length)
    })
  )
})
