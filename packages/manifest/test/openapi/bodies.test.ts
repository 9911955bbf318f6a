import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { imported, json, specification } from "./specification.js"

const content = (type: string, schema: unknown, encoding?: unknown) =>
  specification({ requestBody: { required: true, content: { [type]: { schema, encoding } } } })

describe("the body of an OpenAPI operation", () => {
  it.effect("that is an object becomes parameters, without those that are read-only", () =>
    Effect.gen(function* () {
      const { entry, properties, required } = yield* imported(
        specification(
          json({
            allOf: [
              { $ref: "#/components/schemas/Base" },
              { properties: { name: { type: "string" } }, required: ["name", "id"] }
            ]
          }),
          {
            components: {
              schemas: {
                Base: {
                  type: "object",
                  properties: { id: { type: "string", readOnly: true }, size: { type: "integer" } }
                }
              }
            }
          }
        )
      )
      expect(properties).toEqual({ size: { type: "integer" }, name: { type: "string" } })
      expect(required).toEqual(["name"])
      expect(entry.api).toMatchObject({
        contentType: "application/json",
        parameters: { size: { in: "body" }, name: { in: "body" } }
      })
      expect(entry.api.body).toBeUndefined()
    })
  )

  it.effect("that is anything else is one parameter", () =>
    Effect.gen(function* () {
      const schemas = [
        { type: "array", items: { type: "string" } },
        { oneOf: [{ type: "object" }, { type: "string" }] },
        { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } },
        { type: "object", properties: { a: {} }, minProperties: 1 },
        { type: "object" }
      ]
      for (const schema of schemas) {
        const { entry, properties, required } = yield* imported(specification(json(schema)))
        expect(properties).toEqual({ body: schema })
        expect(required).toEqual(["body"])
        expect(entry.api.body).toBe("body")
      }
    })
  )

  it.effect("gets out of the way of a parameter named body", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(
        specification({
          parameters: [{ name: "body", in: "query", schema: { type: "string" } }],
          ...json({ type: "array" })
        })
      )
      expect(entry.api.body).toBe("body_body")
    })
  )

  it.effect("that need not be there is not required", () =>
    Effect.gen(function* () {
      const { required } = yield* imported(specification(json({ type: "array" }, false)))
      expect(required).toBeUndefined()
    })
  )

  it.effect("of several media types is JSON where it can be", () =>
    Effect.gen(function* () {
      const schema = { type: "object", properties: { a: { type: "string" } } }
      const { entry } = yield* imported(
        specification({
          requestBody: { content: { "multipart/form-data": { schema }, "application/merge-patch+json": { schema } } }
        })
      )
      expect(entry.api.contentType).toBe("application/merge-patch+json")
    })
  )

  it.effect("of a PATCH is a merge-patch where it is an object, and JSON otherwise, unless the program says", () =>
    Effect.gen(function* () {
      const object = { type: "object", properties: { a: { type: "string" } } }
      const typeOf = (
        method: string,
        content: { readonly [type: string]: unknown },
        contentTypes?: ReadonlyArray<string>
      ) => {
        const bodies = Object.entries(content).map(([type, schema]) => [type, { schema }] as const)
        const document = specification({ requestBody: { content: Object.fromEntries(bodies) } }, { method })
        return Effect.map(imported(document, { contentTypes }), ({ entry, rules }) => [entry.api.contentType, ...rules])
      }
      const json = "application/json"
      const merge = "application/merge-patch+json"
      const changes = "application/json-patch+json"
      const list = { type: "array", items: object }
      expect(yield* typeOf("patch", { [changes]: list, [json]: object, [merge]: object })).toEqual([merge])
      expect(yield* typeOf("patch", { [changes]: list, [merge]: { allOf: [object] } })).toEqual([merge])
      expect(yield* typeOf("patch", { [json]: list, [merge]: list })).toEqual([json])
      expect(yield* typeOf("patch", { [changes]: list, "text/json": object })).toEqual(["text/json"])
      expect(yield* typeOf("put", { [merge]: object, [json]: object })).toEqual([json])
      const all = { [json]: object, [merge]: object, [changes]: list }
      expect(yield* typeOf("patch", all, [changes.toUpperCase()])).toEqual([changes])
      expect(yield* typeOf("patch", all, ["text/csv", json])).toEqual([json, "unmatched-option"])
    })
  )

  it.effect("of multipart takes files as their content", () =>
    Effect.gen(function* () {
      const { entry, properties } = yield* imported(
        content(
          "multipart/form-data",
          {
            type: "object",
            properties: {
              picture: { type: "string", format: "binary", description: "A picture" },
              pages: { type: "array", items: { type: "string", contentMediaType: "application/pdf" }, maxItems: 3 },
              about: { type: "object" }
            }
          },
          { picture: { contentType: "image/png" } }
        )
      )
      expect(entry.api.parameters).toEqual({
        picture: { in: "body", contentType: "image/png", isFile: true },
        pages: { in: "body", isFile: true },
        about: { in: "body" }
      })
      expect(properties).toMatchObject({
        picture: { type: "object", required: ["content"], description: "A picture" },
        pages: { type: "array", items: { type: "object", required: ["content"] }, maxItems: 3 },
        about: { type: "object" }
      })
    })
  )

  it.effect("of multipart takes a file as one also where it is a member of a union", () =>
    Effect.gen(function* () {
      const file = { type: "string", format: "binary" }
      const union = (...members: ReadonlyArray<unknown>) => ({ oneOf: members })
      const { entry, problems, properties } = yield* imported(
        content("multipart/form-data", {
          type: "object",
          properties: {
            mask: { anyOf: [file, { type: "null" }] },
            images: union(file, { type: "array", items: file }),
            source: union(file, { type: "string", format: "uri" }),
            size: union({ type: "string" }, { type: "integer" })
          }
        })
      )
      expect(entry.api.parameters).toEqual({
        mask: { in: "body", isFile: true },
        images: { in: "body", isFile: true },
        source: { in: "body" },
        size: { in: "body" }
      })
      expect(properties).toMatchObject({
        mask: { type: "object", required: ["content"] },
        images: { anyOf: [{ required: ["content"] }, { type: "array", items: { required: ["content"] } }] }
      })
      expect(problems.map(({ message, rule, severity }) => [severity, rule, message])).toEqual([
        [
          "warning",
          "unsupported-encoding",
          "the part source may be a file or something else: it is sent as text, and a file cannot be given"
        ]
      ])
    })
  )

  it.effect("of a form keeps the styles of its fields", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(
        content(
          "application/x-www-form-urlencoded",
          { type: "object", properties: { tags: { type: "array" } } },
          { tags: { style: "spaceDelimited", explode: false } }
        )
      )
      expect(entry.api).toMatchObject({
        contentType: "application/x-www-form-urlencoded",
        parameters: { tags: { in: "body", style: "spaceDelimited", explode: false } }
      })
    })
  )

  it.effect("that is text or bytes is the text, or a file", () =>
    Effect.gen(function* () {
      const text = yield* imported(content("application/sdp", { type: "string" }))
      expect(text.properties).toEqual({ body: { type: "string" } })
      expect(text.entry.api).toMatchObject({
        contentType: "application/sdp",
        body: "body",
        parameters: { body: { in: "body" } }
      })
      const bytes = yield* imported(content("application/octet-stream", {}))
      expect(bytes.entry.api.parameters["body"]).toEqual({ in: "body", isFile: true })
      expect(bytes.properties).toMatchObject({ body: { type: "object", required: ["content"] } })
    })
  )

  it.effect("of a GET is left out with a reason", () =>
    Effect.gen(function* () {
      const { properties, rules } = yield* imported(
        specification(json({ type: "object", properties: { a: {} } }), { method: "get" })
      )
      expect(properties).toEqual({})
      expect(rules).toEqual(["body-of-get"])
    })
  )
})
