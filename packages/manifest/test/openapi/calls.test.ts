import { HttpGuard } from "@wield/http"
import { ToolCall, ToolRunner } from "@wield/core"
import { Manifest, RestExecutor } from "@wield/manifest"
import { describe, expect, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { api, json as answerJson } from "../rest/api.js"
import { json, specification } from "./specification.js"

/** Imports the specification, calls its only tool, and tells what the server was asked. */
const called = (document: unknown, parameters: object, environment: ReadonlyArray<[string, string]> = []) =>
  Effect.gen(function* () {
    const server = yield* api((_, response) => answerJson(response, { ok: true }))
    const manifest = yield* Manifest.fromOpenApi(document, { url: server.url })
    const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
    const runner = yield* ToolRunner.make(toolset)
    const [definition] = yield* runner.definitions
    const outcome = yield* runner.run(ToolCall.make("call_1", definition?.name ?? "", parameters))
    return { outcome, asked: server.asked, inputSchema: definition?.inputSchema, problems: manifest.problems }
  }).pipe(
    Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(environment)))
  )

describe("the tool of an imported operation", () => {
  it.scoped("sends each argument where the specification says, with the credentials of the environment", () =>
    Effect.gen(function* () {
      const document = specification(
        {
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "string" } },
            { name: "tags", in: "query", explode: false, schema: { type: "array", items: { type: "string" } } },
            { name: "where", in: "query", style: "deepObject", schema: { type: "object" } },
            { name: "X-Trace", in: "header", schema: { type: "string" } },
            { name: "version", in: "header", required: true, schema: { const: "2" } }
          ],
          ...json({ type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } }),
          security: [{ key: [] }]
        },
        { path: "/things/{id}", components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } } }
      )
      const { asked, outcome } = yield* called(
        document,
        { id: "a/../b", tags: ["x", "y,z"], where: { size: 2 }, "X-Trace": "t1", body_id: 7, name: "Nut" },
        [["API_KEY_TOKEN", "secret"]]
      )
      expect(outcome).toMatchObject({ _tag: "Success", encoded: { ok: true } })
      expect(asked).toMatchObject([
        {
          method: "POST",
          url: "/things/a%2F..%2Fb?tags=x,y%2Cz&where%5Bsize%5D=2",
          headers: { authorization: "Bearer secret", "x-trace": "t1", version: "2", "content-type": "application/json" }
        }
      ])
      expect(JSON.parse(asked[0]?.body ?? "")).toEqual({ id: 7, name: "Nut" })
    })
  )

  it.scoped("sends what the path has after its question mark, and leaves the connection's headers to it", () =>
    Effect.gen(function* () {
      const document = specification(
        {
          parameters: [
            { name: "kind", in: "path", required: true, schema: { type: "string" } },
            { name: "Content-Length", in: "header", required: true, schema: { type: "integer" } }
          ],
          requestBody: { content: { "": { schema: { type: "object", properties: { name: { type: "string" } } } } } }
        },
        { path: "/things?kind={kind}" }
      )
      const { asked, inputSchema, problems } = yield* called(document, { kind: "a&b", name: "Nut" })
      expect(problems).toEqual([])
      expect(inputSchema).toMatchObject({ properties: { kind: {}, name: {} }, required: ["kind"] })
      expect(asked).toMatchObject([
        { url: "/things?kind=a%26b", headers: { "content-type": "application/json" }, body: '{"name":"Nut"}' }
      ])
    })
  )

  it.scoped("sends no default: what a call leaves out is the API's to decide", () =>
    Effect.gen(function* () {
      const preset = (type: string, value: unknown) => ({ type, default: value })
      const body = {
        type: "object",
        properties: {
          description: { type: "string" },
          private: preset("boolean", false),
          more: { type: "object", properties: { archived: preset("boolean", false) } },
          rows: { type: "array", items: { $ref: "#/components/schemas/Row" }, default: [] }
        }
      }
      const bodies = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"]
      for (const type of bodies) {
        const document = specification(
          {
            parameters: [
              { name: "page", in: "query", schema: preset("integer", 1) },
              {
                name: "sort",
                in: "query",
                style: "deepObject",
                schema: { properties: { by: preset("string", "id") } }
              },
              { name: "X-Mode", in: "header", schema: preset("string", "fast") },
              { name: "theme", in: "cookie", schema: preset("string", "dark") }
            ],
            requestBody: { content: { [type]: { schema: body } } }
          },
          { components: { schemas: { Row: { type: "object", properties: { size: preset("integer", 1) } } } } }
        )
        const { asked, inputSchema } = yield* called(document, { description: "New", sort: {}, more: {}, rows: [{}] })
        expect(inputSchema).toMatchObject({
          properties: { page: { default: 1 }, "X-Mode": { default: "fast" }, private: { default: false } }
        })
        const [one] = asked
        expect(one).toMatchObject({ url: "/things" })
        expect([one?.headers["x-mode"], one?.headers.cookie]).toEqual([undefined, undefined])
        expect(one?.body).toContain("New")
        expect(one?.body).not.toMatch(/private|archived|size/)
      }
    })
  )

  it.scoped("sends a list as the whole body", () =>
    Effect.gen(function* () {
      const { asked } = yield* called(specification(json({ type: "array", items: { type: "integer" } })), {
        body: [1, 2]
      })
      expect(asked).toMatchObject([{ url: "/things", body: "[1,2]" }])
    })
  )

  it.scoped("sends bytes as they are", () =>
    Effect.gen(function* () {
      const document = specification({ requestBody: { content: { "application/octet-stream": {} } } })
      const { asked } = yield* called(document, { body: { content: "aGk=", encoding: "base64" } })
      expect(asked).toMatchObject([{ body: "hi", headers: { "content-type": "application/octet-stream" } }])
    })
  )

  it.scoped("sends files in a multipart body", () =>
    Effect.gen(function* () {
      const schema = {
        type: "object",
        properties: { file: { type: "string", format: "binary" }, about: { type: "object" } }
      }
      const document = specification({ requestBody: { content: { "multipart/form-data": { schema } } } })
      const { asked } = yield* called(document, { file: { content: "hello", filename: "a.txt" }, about: { n: 1 } })
      const parts = yield* Effect.promise(() =>
        new Response(asked[0]?.body, {
          headers: { "content-type": asked[0]?.headers["content-type"] ?? "" }
        }).formData()
      )
      const file = parts.get("file")
      expect(file instanceof File && [file.name, yield* Effect.promise(() => file.text())]).toEqual(["a.txt", "hello"])
      expect(parts.get("about")).toBe('{"n":1}')
    })
  )

  it.scoped("sends a form whose fields are a union", () =>
    Effect.gen(function* () {
      const schema = { anyOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object" }] }
      const document = specification({
        requestBody: { content: { "application/x-www-form-urlencoded": { schema } } }
      })
      const { asked } = yield* called(document, { body: { a: "x & y", b: [1, 2] } })
      expect(asked).toMatchObject([{ body: "a=x%20%26%20y&b=1&b=2" }])
    })
  )

  it.scoped("refuses arguments that the specification does not know", () =>
    Effect.gen(function* () {
      const { asked, outcome } = yield* called(
        specification(json({ type: "object", properties: { name: { type: "string" } } })),
        { name: "Nut", isAdmin: true }
      )
      expect(outcome._tag).toBe("InvalidArguments")
      expect(asked).toEqual([])
    })
  )
})

describe("an operation that no request can be made of", () => {
  it.effect("is left out with the executor's reason, and keeps no other from loading", () =>
    Effect.gen(function* () {
      const manifest = yield* Manifest.fromOpenApi({
        openapi: "3.1.0",
        servers: [{ url: "https://things.example" }],
        paths: {
          "/a/../b": { get: {} },
          "/c": { get: { parameters: [{ name: "Host", in: "header", schema: {} }] }, put: {} }
        }
      })
      expect(manifest.entries.map((entry) => entry.function.name)).toEqual(["put_c"])
      expect(manifest.problems.map((problem) => problem.message)).toMatchObject([
        expect.stringMatching(/^GET \/a\/\.\.\/b is left out: The path has a segment of dots/),
        expect.stringMatching(/^GET \/c is left out: .*Host/)
      ])
    })
  )
})
