import { OpenApi } from "@wield/manifest"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { imported } from "./specification.js"

const swagger = (parameters: ReadonlyArray<unknown>, operation: object = {}, more: object = {}) => ({
  swagger: "2.0",
  host: "pets.example",
  paths: { "/pets/{id}": { post: { operationId: "post", parameters, ...operation } } },
  ...more
})

const id = { name: "id", in: "path", required: true, type: "string" }

const list = (name: string, place: string, collectionFormat?: string) => ({
  name,
  in: place,
  type: "array",
  items: { type: "string", enum: ["a", "b"] },
  collectionFormat
})

describe("Swagger 2.0", () => {
  it.effect("joins a list by commas unless its format is said", () =>
    Effect.gen(function* () {
      const { entry, problems, properties } = yield* imported(
        swagger([
          id,
          list("plain", "query"),
          list("multi", "query", "multi"),
          list("pipes", "query", "pipes"),
          list("ssv", "query", "ssv"),
          list("header", "header")
        ])
      )
      expect(problems).toEqual([])
      expect(entry.api.parameters).toEqual({
        id: { in: "path" },
        plain: { in: "query", style: "form", explode: false },
        multi: { in: "query", style: "form", explode: true },
        pipes: { in: "query", style: "pipeDelimited", explode: false },
        ssv: { in: "query", style: "spaceDelimited", explode: false },
        header: { in: "header", style: "simple", explode: false }
      })
      expect(properties).toMatchObject({ plain: { type: "array", items: { enum: ["a", "b"] } } })
    })
  )

  it.effect("keeps the schemas and formats of form fields, and takes multipart only where there is a file", () =>
    Effect.gen(function* () {
      const fields = [
        id,
        { ...list("tags", "formData"), description: "Tags", maxItems: 3 },
        list("more", "formData", "multi")
      ]
      const form = yield* imported(swagger(fields))
      expect(form.problems).toEqual([])
      expect(form.entry.api).toMatchObject({
        contentType: "application/x-www-form-urlencoded",
        parameters: {
          tags: { in: "body", style: "form", explode: false },
          more: { in: "body", style: "form", explode: true }
        }
      })
      expect(form.properties).toMatchObject({
        tags: { type: "array", items: { enum: ["a", "b"] }, maxItems: 3, description: "Tags" }
      })
      const file = yield* imported(swagger([...fields, { name: "file", in: "formData", type: "file", required: true }]))
      expect(file.entry.api).toMatchObject({
        contentType: "multipart/form-data",
        parameters: { file: { isFile: true } }
      })
      expect(file.required).toEqual(["id", "file"])
      const stated = yield* imported(swagger(fields, { consumes: ["multipart/form-data"] }))
      expect(stated.entry.api.contentType).toBe("multipart/form-data")
    })
  )

  it.effect("has parameters of a path for each of its operations, a body too", () =>
    Effect.gen(function* () {
      const { entries, problems } = yield* OpenApi.entries({
        swagger: "2.0",
        host: "pets.example",
        parameters: { Pet: { name: "pet", in: "body", schema: { $ref: "#/definitions/Pet" } } },
        paths: {
          "/pets/{id}": { parameters: [id, { $ref: "#/parameters/Pet" }], put: {}, post: { consumes: ["text/json"] } }
        },
        definitions: { Pet: { type: "object", properties: { name: { type: "string" } } } }
      })
      expect(problems).toEqual([])
      expect(entries.map(({ api, function: { parameters } }) => [api.contentType, parameters["properties"]])).toEqual([
        ["application/json", { id: { type: "string" }, name: { type: "string" } }],
        ["text/json", { id: { type: "string" }, name: { type: "string" } }]
      ])
    })
  )

  it.effect("answers with the media types of the operation before those of the document", () =>
    Effect.gen(function* () {
      const responses = { "200": { $ref: "#/responses/Pet" } }
      const more = {
        produces: ["text/csv"],
        responses: { Pet: { schema: { type: "object" } } }
      }
      const own = yield* imported(swagger([id], { responses, produces: ["application/json"] }, more))
      expect(own.entry.api.result.schema).toEqual({ type: "object" })
      expect((yield* imported(swagger([id], { responses }, more))).entry.api.result.schema).toBeUndefined()
      const file = { "200": { schema: { type: "file" } } }
      expect((yield* imported(swagger([id], { responses: file }))).entry.api.result.schema).toBeUndefined()
    })
  )

  it.effect("is called over https where it may be, at its own address without a host", () =>
    Effect.gen(function* () {
      const url = (more: object, options?: OpenApi.Options) =>
        Effect.map(imported(swagger([id], {}, more), options), ({ apis }) => apis["default"]?.url)
      expect(yield* url({ basePath: "/v1" })).toBe("https://pets.example/v1")
      expect(yield* url({ schemes: ["http", "https", "wss"] })).toBe("https://pets.example")
      expect(yield* url({ schemes: ["http"] })).toBe("http://pets.example")
      for (const scheme of ["http", "HTTP"]) {
        expect(yield* url({}, { documentUrl: `${scheme}://docs.example/swagger.json` })).toBe("http://pets.example")
      }
      expect(
        yield* url({ host: undefined, basePath: "/v2" }, { documentUrl: "https://docs.example/swagger.json" })
      ).toBe("https://docs.example/v2")
    })
  )

  it.effect("says how requests are authenticated", () =>
    Effect.gen(function* () {
      const auth = (scheme: object) =>
        Effect.map(
          imported(swagger([id], { security: [{ s: [] }] }, { securityDefinitions: { s: scheme } })),
          ({ apis }) => apis["default"]?.auth
        )
      expect(yield* auth({ type: "basic" })).toMatchObject({ type: "basic" })
      expect(yield* auth({ type: "apiKey", in: "query", name: "key" })).toMatchObject({ type: "apiKey", in: "query" })
      const tokenUrl = "https://pets.example/token"
      expect(yield* auth({ type: "oauth2", flow: "application", tokenUrl, scopes: {} })).toMatchObject({
        type: "oauth2",
        tokenUrl
      })
    })
  )
})
