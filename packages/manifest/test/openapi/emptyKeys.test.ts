/** Keys without a value, which YAML reads as null, and versions without quotes, which it reads as numbers. */
import { expect, it } from "@effect/vitest"
import { OpenApi } from "@wield/manifest"
import { Effect } from "effect"

const openApi = `
openapi: 3.0
info:
servers: [{ url: https://a.example }]
security:
tags:
paths:
  /things:
    parameters:
    servers:
    post:
      operationId: add
      summary:
      tags:
      security:
      servers:
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, exclusiveMinimum: true }, style: , explode: , content: }
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, properties: { file: { type: string } } }
            encoding: { file: { contentType: text/plain, style: , explode: , allowReserved: } }
      responses:
    delete:
      operationId: remove
      parameters:
      requestBody:
components:
`

const swagger = `
swagger: 2.0
host: a.example
schemes: [http]
consumes: [application/x-www-form-urlencoded]
definitions:
securityDefinitions:
paths:
  /things:
    parameters:
    post:
      operationId: add
      schemes:
      consumes:
      parameters:
        - { name: ids, in: query, type: array, items: { type: string }, collectionFormat: }
        - { name: file, in: formData, type: string }
    delete: { operationId: remove, parameters: }
`

it.effect("OpenAPI: a key without a value is an absent one", () =>
  Effect.gen(function* () {
    const { apis, entries, problems } = yield* OpenApi.entries(openApi)
    expect(problems).toEqual([])
    expect(apis).toEqual({ default: { type: "rest", url: "https://a.example" } })
    expect(entries.map((entry) => [entry.function.name, entry.api.parameters])).toEqual([
      ["add", { limit: { in: "query" }, file: { in: "body", contentType: "text/plain" } }],
      ["remove", {}]
    ])
    // As 3.0 says it.
    expect(entries[0]?.function.parameters["properties"]).toMatchObject({ limit: { exclusiveMinimum: 1 } })
  })
)

it.effect("Swagger: a key without a value is an absent one", () =>
  Effect.gen(function* () {
    const { apis, entries, problems } = yield* OpenApi.entries(swagger)
    expect(problems).toEqual([])
    expect(apis).toEqual({ default: { type: "rest", url: "http://a.example" } })
    expect(entries.map((entry) => [entry.function.name, entry.api.contentType])).toEqual([
      ["add", "application/x-www-form-urlencoded"],
      ["remove", undefined]
    ])
    expect(entries[0]?.api.parameters["ids"]).toEqual({ in: "query", style: "form", explode: false })
  })
)

it.effect("a version is read as a text or a number, and any other than 2.0 and 3 is refused", () =>
  Effect.gen(function* () {
    for (const version of [3, 3.1, "3", "3.2.0"]) yield* OpenApi.entries({ openapi: version, swagger: null, paths: {} })
    for (const version of [2, 4, 3.9, "33", null, true]) {
      const error = yield* Effect.flip(Effect.asVoid(OpenApi.entries({ openapi: version, paths: {} })))
      expect(error.message).toContain("versions 3.0, 3.1 and Swagger 2.0 can be read")
    }
  })
)
