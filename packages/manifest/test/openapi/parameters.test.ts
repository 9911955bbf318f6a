import { describe, expect, it } from "@effect/vitest"
import { OpenApi } from "@wield/manifest"
import * as Effect from "effect/Effect"
import { imported, json, specification } from "./specification.js"

const of = (parameters: ReadonlyArray<unknown>, path = "/things") =>
  specification({ parameters }, { path, method: "get" })

describe("parameters of an OpenAPI operation", () => {
  it.effect("go where their places and styles say", () =>
    Effect.gen(function* () {
      const { entry, properties, required } = yield* imported(
        of(
          [
            { name: "id", in: "path", required: true, style: "matrix", schema: { type: "integer" } },
            { name: "tags", in: "query", style: "pipeDelimited", explode: false, schema: { type: "array" } },
            { name: "range", in: "query", style: "deepObject", schema: { type: "object" } },
            { name: "X-Trace", in: "header", schema: { type: "string" } },
            { name: "session", in: "cookie", required: true, schema: { type: "string" } }
          ],
          "/things/{id}"
        )
      )
      expect(entry.api.path).toBe("/things/{id}")
      expect(entry.api.parameters).toEqual({
        id: { in: "path", style: "matrix" },
        tags: { in: "query", style: "pipeDelimited", explode: false },
        range: { in: "query", style: "deepObject" },
        "X-Trace": { in: "header" },
        session: { in: "cookie" }
      })
      expect(required).toEqual(["id", "session"])
      expect(properties).toHaveProperty("id", { type: "integer" })
    })
  )

  it.effect("that may be lists or objects get the style that the standard has for their place", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(
        of([
          { name: "where", in: "query", schema: { type: "object" } },
          { name: "any", in: "header", schema: {} },
          { name: "plain", in: "query", schema: { type: ["string", "null"] } }
        ])
      )
      expect(entry.api.parameters).toEqual({
        where: { in: "query", style: "form" },
        any: { in: "header", style: "simple" },
        plain: { in: "query" }
      })
    })
  )

  it.effect("with content are written as JSON", () =>
    Effect.gen(function* () {
      const { entry, properties } = yield* imported(
        of([{ name: "filter", in: "query", content: { "application/json": { schema: { type: "object" } } } }])
      )
      expect(entry.api.parameters["filter"]).toMatchObject({ in: "query", contentType: "application/json" })
      expect(properties).toEqual({ filter: { type: "object" } })
    })
  )

  it.effect("of one name in several places keep their own names where the API reads them", () =>
    Effect.gen(function* () {
      const { entry, required } = yield* imported(
        specification(
          {
            parameters: [
              { name: "id", in: "query", schema: { type: "string" } },
              { name: "id", in: "path", required: true, schema: { type: "string" } }
            ],
            ...json({ type: "object", properties: { id: { type: "integer" } }, required: ["id"] })
          },
          { path: "/things/{id}" }
        )
      )
      expect(entry.api.parameters).toEqual({
        id: { in: "path" },
        query_id: { in: "query", name: "id" },
        body_id: { in: "body", name: "id" }
      })
      expect(required).toEqual(["id", "body_id"])
    })
  )

  it.effect("whose names models refuse are renamed, and sent by their own", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(of([{ name: "filter[a b]", in: "query", schema: { type: "string" } }]))
      expect(entry.api.parameters).toEqual({ filter_a_b: { in: "query", name: "filter[a b]" } })
    })
  )

  it.effect("of the operation go before those of the path, and both may be references", () =>
    Effect.gen(function* () {
      const { properties } = yield* imported({
        openapi: "3.0.3",
        servers: [{ url: "https://things.example" }],
        paths: {
          "/things/{id}": {
            parameters: [
              { $ref: "#/components/parameters/Id" },
              { name: "page", in: "query", schema: { type: "string" } }
            ],
            get: { parameters: [{ name: "page", in: "query", schema: { type: "integer" } }] }
          }
        },
        components: { parameters: { Id: { name: "id", in: "path", required: true, schema: { type: "string" } } } }
      })
      expect(properties).toEqual({ id: { type: "string" }, page: { type: "integer" } })
    })
  )

  it.effect("that only have one value are sent with it as a header, and those the standard ignores are not there", () =>
    Effect.gen(function* () {
      const { entry, properties } = yield* imported(
        of([
          { name: "box-version", in: "header", required: true, schema: { type: "string", enum: ["2025.0"] } },
          { name: "Authorization", in: "header", required: true, schema: { type: "string" } },
          { name: "x-template", in: "header", required: true, schema: { const: "{id}" } }
        ])
      )
      expect(entry.api.headers).toEqual({ "box-version": "2025.0" })
      expect(Object.keys(Object(properties))).toEqual(["x-template"])
    })
  )

  it.effect("that nobody declared are texts of the path, with a warning", () =>
    Effect.gen(function* () {
      const { problems, properties, required } = yield* imported(of([], "/things/{id}"))
      expect(properties).toEqual({ id: { type: "string" } })
      expect(required).toEqual(["id"])
      expect(problems).toMatchObject([
        {
          severity: "warning",
          rule: "placeholder-without-parameter",
          path: ["paths", "/things/{id}", "get"],
          tool: "thing"
        }
      ])
    })
  )

  it.effect("that cannot be read are left out with a reason", () =>
    Effect.gen(function* () {
      const { properties, rules } = yield* imported(
        of([{ $ref: "#/nowhere" }, { name: "q", in: "querystring" }, { name: "id", in: "path", required: true }])
      )
      expect(properties).toEqual({})
      expect(rules).toEqual(["unresolved-reference", "unsupported-parameter", "parameter-without-placeholder"])
    })
  )

  it.effect("that are deprecated are left out on request, unless they are required", () =>
    Effect.gen(function* () {
      const document = of([
        { name: "old", in: "query", deprecated: true, schema: { type: "string" } },
        { name: "needed", in: "query", deprecated: true, required: true, schema: { type: "string" } }
      ])
      expect(Object.keys(Object((yield* imported(document)).properties))).toEqual(["needed", "old"].sort().reverse())
      expect(Object.keys(Object((yield* imported(document, { isDeprecatedLeftOut: true })).properties))).toEqual([
        "needed"
      ])
    })
  )

  it.effect("that the context supplies are named in any case", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(of([{ name: "customerId", in: "query", schema: { type: "string" } }]), {
        context: ["CUSTOMERID", "tenant"]
      })
      expect(entry.context).toEqual(["customerId"])
    })
  )

  it.effect("of the name of a hidden one are not the model's", () =>
    Effect.gen(function* () {
      const properties = { customerId: { type: "string" }, items: { type: "integer" } }
      const document = (required: ReadonlyArray<string>) =>
        specification(
          {
            parameters: [{ name: "customerId", in: "path", required: true, schema: { type: "string" } }],
            ...json({ type: "object", properties, required })
          },
          { path: "/customers/{customerId}/orders" }
        )
      const optional = yield* imported(document([]), { context: ["customerID"] })
      expect(optional.entry.context).toEqual(["customerId"])
      expect(Object.keys(Object(optional.properties))).toEqual(["customerId", "items"])
      expect(Object.keys(optional.entry.api.parameters)).toEqual(["customerId", "items"])
      expect(optional.problems).toMatchObject([{ severity: "warning", rule: "hidden-name-taken" }])
      const { entries, problems } = yield* OpenApi.entries(document(["customerId"]), { context: ["customerId"] })
      expect(entries).toEqual([])
      expect(problems).toContainEqual(expect.objectContaining({ severity: "error", rule: "hidden-name-taken" }))
      const both = yield* imported(document(["customerId"]), { context: ["customerId", "body_customerId"] })
      expect(both.entry.context).toEqual(["customerId", "body_customerId"])
      expect(both.problems).toEqual([])
    })
  )

  it.effect("that the specification does not know are refused", () =>
    Effect.gen(function* () {
      const { entry } = yield* imported(of([]))
      expect(entry.function.parameters["additionalProperties"]).toBe(false)
    })
  )
})
