import { JsonSchema } from "@wield/core"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { imported, json, specification } from "./specification.js"

/** The schema of a property `value` of the body. */
const converted = (schema: unknown, components: unknown = {}, openapi = "3.1.0") =>
  Effect.gen(function* () {
    const document = specification(json({ type: "object", properties: { value: schema } }), {
      openapi,
      components: { schemas: components }
    })
    const all = yield* imported(document)
    const { $defs } = all.entry.function.parameters
    const validator = yield* JsonSchema.compile(all.entry.function.parameters)
    return {
      ...all,
      $defs,
      value: Object(all.properties).value as unknown,
      isValid: (value: unknown) => validator.isValid({ value })
    }
  })

describe("schemas of a specification", () => {
  it.effect("keep their references, recursion included, as definitions of what uses them", () =>
    Effect.gen(function* () {
      const tree = {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } }
      }
      const { $defs, isValid, value } = yield* converted(
        { $ref: "#/components/schemas/Tree" },
        { Tree: tree, Unused: {} }
      )
      expect(value).toEqual({ $ref: "#/$defs/Tree" })
      expect($defs).toEqual({
        Tree: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } }
      })
      expect(isValid({ children: [{ children: [] }] })).toBe(true)
      expect(isValid({ children: [{ children: 1 }] })).toBe(false)
    })
  )

  it.effect("may be referred to anywhere in the document, by names with slashes and spaces", () =>
    Effect.gen(function* () {
      const { $defs, problems, value } = yield* converted(
        { anyOf: [{ $ref: "#/components/schemas/a~1b%20c" }, { $ref: "#/components/schemas/Pet/properties/name" }] },
        { "a/b c": { type: "integer" }, Pet: { type: "object", properties: { name: { type: "string" } } } }
      )
      expect(problems).toEqual([])
      expect(value).toEqual({ anyOf: [{ $ref: "#/$defs/a_b_c" }, { $ref: "#/$defs/name" }] })
      expect($defs).toEqual({ a_b_c: { type: "integer" }, name: { type: "string" } })
    })
  )

  it.effect("of OpenAPI 3.0 say null and exclusive bounds as JSON Schema does", () =>
    Effect.gen(function* () {
      const components = { Size: { type: "string", enum: ["S", "L"] } }
      const { isValid } = yield* converted(
        {
          type: "object",
          properties: {
            text: { type: "string", nullable: true, enum: ["a"] },
            size: { $ref: "#/components/schemas/Size" },
            maybe: { allOf: [{ $ref: "#/components/schemas/Size" }], nullable: true },
            count: { type: "integer", minimum: 0, exclusiveMinimum: true }
          }
        },
        components,
        "3.0.3"
      )
      expect(isValid({ text: null, maybe: null, count: 1 })).toBe(true)
      expect(isValid({ text: "a", maybe: "S" })).toBe(true)
      expect(isValid({ text: "b" })).toBe(false)
      expect(isValid({ size: null })).toBe(false)
      expect(isValid({ count: 0 })).toBe(false)
    })
  )

  it.effect("with a discriminator tell branches apart that would fit the same value", () =>
    Effect.gen(function* () {
      const pet = { type: "object", properties: { kind: { type: "string" }, name: { type: "string" } } }
      const { isValid } = yield* converted(
        {
          oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
          discriminator: { propertyName: "kind", mapping: { kitty: "#/components/schemas/Cat", tom: "Cat" } }
        },
        { Cat: pet, Dog: pet }
      )
      expect(isValid({ kind: "kitty", name: "Tom" })).toBe(true)
      expect(isValid({ kind: "tom" })).toBe(true)
      expect(isValid({ kind: "Dog" })).toBe(true)
      expect(isValid({ kind: "Cat" })).toBe(false)
      expect(isValid({})).toBe(false)
    })
  )

  it.effect("leave read-only properties out of what is sent, and write-only ones out of what is answered", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: { id: { type: "string", readOnly: true }, password: { type: "string", writeOnly: true }, name: {} },
        required: ["id", "password", "name"]
      }
      const { entry } = yield* imported(
        specification(
          {
            ...json({ type: "array", items: { $ref: "#/components/schemas/User" } }),
            responses: { "201": { content: { "application/json": { schema: { $ref: "#/components/schemas/User" } } } } }
          },
          { components: { schemas: { User: schema } } }
        )
      )
      expect(entry.function.parameters["$defs"]).toEqual({
        User: { type: "object", properties: { password: { type: "string" }, name: {} }, required: ["password", "name"] }
      })
      expect(entry.api.result.schema).toEqual({
        $ref: "#/$defs/User",
        $defs: { User: { type: "object", properties: { id: { type: "string" }, name: {} }, required: ["id", "name"] } }
      })
    })
  )

  it.effect("say nothing of vendors, examples and XML", () =>
    Effect.gen(function* () {
      const { value } = yield* converted({
        type: "string",
        "x-internal": { $ref: "https://evil.example" },
        example: "a",
        xml: { name: "b" },
        externalDocs: { url: "https://docs.example" }
      })
      expect(value).toEqual({ type: "string" })
    })
  )

  it.effect("with properties of any name, __proto__ included, keep them", () =>
    Effect.gen(function* () {
      const { isValid } = yield* converted(
        JSON.parse(
          '{"type":"object","properties":{"__proto__":{"type":"integer"},"x-a":{"type":"integer"},"$ref":{"type":"integer"}}}'
        )
      )
      expect(isValid(JSON.parse('{"__proto__":1,"x-a":1,"$ref":1}'))).toBe(true)
      for (const name of ["__proto__", "x-a", "$ref"]) expect(isValid(JSON.parse(`{"${name}":"a"}`))).toBe(false)
    })
  )

  it.effect("that refer to themselves without a value in between, or contain themselves, mean any value", () =>
    Effect.gen(function* () {
      const endless = yield* converted(
        { $ref: "#/components/schemas/A" },
        { A: { allOf: [{ $ref: "#/components/schemas/B" }] }, B: { $ref: "#/components/schemas/A" } }
      )
      expect(endless.rules).toEqual(["endless-recursion"])
      expect(endless.isValid("anything")).toBe(true)
      const cyclic: Record<string, unknown> = { type: "object" }
      cyclic["properties"] = { self: cyclic }
      const own = yield* converted(cyclic)
      expect(own.rules).toEqual(["cyclic-object"])
    })
  )

  it.effect("have their descriptions cut at the end of a sentence", () =>
    Effect.gen(function* () {
      const document = specification({
        summary: "Short",
        description: "First sentence. Second sentence, e.g. this one. Third.",
        ...json({ type: "object", properties: { a: { type: "string", description: "One two three four five six" } } })
      })
      const { entry, properties } = yield* imported(document, { maxDescription: 50, maxParameterDescription: 12 })
      expect(entry.function.description).toBe("First sentence. Second sentence, e.g. this one.")
      expect(properties).toEqual({ a: { type: "string", description: "One two…" } })
      expect(entry.facts.title).toBe("Short")
    })
  )

  it.effect("that no validator takes keep one operation out, and no other", () =>
    Effect.gen(function* () {
      const document = specification(json({ type: "object", properties: { a: { type: "no such type" } } }))
      const { entries, problems } = yield* Effect.map(
        imported({ ...document, paths: { ...Object(document["paths"]), "/b": { get: {} } } }),
        (all) => all
      )
      expect(entries.map((entry) => entry.function.name)).toEqual(["get_b"])
      expect(problems).toMatchObject([{ severity: "error", rule: "invalid-schema", tool: "thing" }])
    })
  )

  it.effect("with patterns that no engine runs are left to the server, and described to the model", () =>
    Effect.gen(function* () {
      const host = { type: "string", description: "A host.", pattern: "^((?!-)[a-z-]+[a-z]\\.)+[a-z]+$" }
      const document = specification(
        json({ type: "object", properties: { host, letters: { type: "string", pattern: "^\\p{IsLetter}+$" } } })
      )
      const { entry, problems, properties } = yield* imported(document)
      expect(properties).toEqual({
        host: { type: "string", description: "A host.\nPattern: ^((?!-)[a-z-]+[a-z]\\.)+[a-z]+$" },
        letters: { type: "string", description: "Pattern: ^\\p{IsLetter}+$" }
      })
      expect(problems).toMatchObject([{ severity: "warning", rule: "invalid-schema", tool: entry.function.name }])
    })
  )
})
