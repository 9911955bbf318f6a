import { OpenApi } from "@wield/manifest"
import { describe, expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sized } from "../../../../test/sizes.js"
import { imported, specification } from "./specification.js"

const names = (all: OpenApi.Imported) => all.entries.map((entry) => entry.function.name)

const shop = {
  openapi: "3.1.0",
  servers: [{ url: "https://shop.example" }],
  paths: {
    "/orders": {
      get: { operationId: "orders/list", tags: ["orders"] },
      post: { operationId: "orders list", tags: ["orders"] }
    },
    "/orders/{id}": { delete: { tags: ["orders", "admin"], parameters: [{ name: "id", in: "path", required: true }] } },
    "/users": { get: { operationId: "x".repeat(80), deprecated: true }, head: { operationId: `${"x".repeat(80)}y` } },
    "x-paths": { get: {} }
  },
  webhooks: { paid: { post: {} } }
}

describe("operations of a specification", () => {
  it.effect("get names that models take, each once, from their ids or their methods and paths", () =>
    Effect.gen(function* () {
      const found = names(yield* OpenApi.entries(shop))
      expect(found).toEqual(["orders_list", "orders_list_2", "delete_orders_id", "x".repeat(64), `${"x".repeat(62)}_2`])
      for (const name of found) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(names(yield* OpenApi.entries(shop, { toolName: ({ method }) => method }))).toEqual([
        "GET",
        "POST",
        "DELETE",
        "GET_2",
        "HEAD"
      ])
      // As plain JavaScript may give it.
      const numbered = () => 5 as unknown as string
      const cause = yield* Effect.flip(Effect.sandbox(OpenApi.entries(shop, { toolName: numbered })))
      expect(Cause.pretty(cause)).toContain("What `toolName` gives must be a text, but is 5")
    })
  )

  it.effect("are chosen by tag, path, method, id and whatever else", () =>
    Effect.gen(function* () {
      const chosen = (options: OpenApi.Options) => Effect.map(OpenApi.entries(shop, options), names)
      expect(yield* chosen({ tags: ["admin"] })).toEqual(["delete_orders_id"])
      expect(yield* chosen({ paths: ["/orders"] })).toHaveLength(2)
      expect(yield* chosen({ paths: ["/orders*"] })).toHaveLength(3)
      expect(yield* chosen({ methods: ["get"], tags: ["orders"] })).toEqual(["orders_list"])
      expect(yield* chosen({ operations: ["orders/list"] })).toEqual(["orders_list"])
      expect(yield* chosen({ filter: ({ id }) => id === undefined })).toEqual(["delete_orders_id"])
      expect(yield* chosen({ isDeprecatedLeftOut: true, paths: ["/users"] })).toHaveLength(1)
    })
  )

  it.effect("state the facts of their methods", () =>
    Effect.gen(function* () {
      const facts = (method: string) => Effect.map(imported(specification({}, { method })), ({ entry }) => entry.facts)
      const reads = { kind: "api", isReadOnly: true, isDestructive: false, isIdempotent: true }
      const repeats = { kind: "api", isReadOnly: false, isDestructive: true, isIdempotent: true }
      const writes = { ...repeats, isIdempotent: false }
      expect(yield* facts("get")).toEqual(reads)
      expect(yield* facts("head")).toEqual(reads)
      expect(yield* facts("put")).toEqual(repeats)
      expect(yield* facts("delete")).toEqual(repeats)
      expect(yield* facts("post")).toEqual(writes)
      expect(yield* facts("patch")).toEqual(writes)
    })
  )

  it.effect("that cannot be called are left out with a reason, and the others are not", () =>
    Effect.gen(function* () {
      const all = yield* OpenApi.entries({
        openapi: "3.0.0",
        servers: [{ url: "https://shop.example" }],
        paths: { "/a": { trace: {}, get: "nothing", put: {} }, "/b": { $ref: "other.yaml#/b" } }
      })
      expect(names(all)).toEqual(["put_a"])
      expect(all.problems.map(({ path, rule, severity }) => [severity, rule, path.join(" ")])).toEqual([
        ["error", "malformed-operation", "paths /a get"],
        ["error", "unsupported-method", "paths /a trace"],
        ["error", "unresolved-reference", "paths /b"]
      ])
    })
  )
})

describe("a document", () => {
  it.effect("may be YAML or JSON text", () =>
    Effect.gen(function* () {
      expect(names(yield* OpenApi.entries(JSON.stringify(shop)))).toHaveLength(5)
      const yaml =
        'openapi: 3.0.1\nservers: [{url: "https://a.example"}]\npaths:\n  /a:\n    get:\n      responses:\n        200: {content: {application/json: {schema: {type: integer}}}}\n'
      const { entry } = yield* imported(yaml)
      expect(entry.api.result.schema).toEqual({ type: "integer" })
      expect(
        names(yield* OpenApi.entries("{openapi: 3.1.0, paths: {/a: {get: {}}}, servers: [{url: 'https://a.example'}]}"))
      ).toEqual(["get_a"])
    })
  )

  it.effect("of Swagger 2.0 is converted, and the object that was given stays as it was", () =>
    Effect.gen(function* () {
      const swagger = {
        swagger: "2.0",
        host: "pets.example",
        basePath: "/v1",
        schemes: ["https"],
        consumes: ["application/json"],
        securityDefinitions: { key: { type: "apiKey", in: "header", name: "X-Key" } },
        security: [{ key: [] }],
        paths: {
          "/pets/{id}": {
            put: {
              operationId: "putPet",
              parameters: [
                { name: "id", in: "path", required: true, type: "integer" },
                { name: "tags", in: "query", type: "array", items: { type: "string" }, collectionFormat: "pipes" },
                { name: "pet", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } }
              ],
              responses: { "200": { schema: { $ref: "#/definitions/Pet" } } }
            },
            post: {
              operationId: "picture",
              consumes: ["multipart/form-data"],
              parameters: [
                { name: "id", in: "path", required: true, type: "integer" },
                { name: "file", in: "formData", type: "file" }
              ]
            }
          }
        },
        definitions: { Pet: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } }
      }
      const before = JSON.stringify(swagger)
      const { apis, entries, problems } = yield* OpenApi.entries(swagger)
      expect(JSON.stringify(swagger)).toBe(before)
      expect(problems).toEqual([])
      expect(apis).toEqual({
        default: {
          type: "rest",
          url: "https://pets.example/v1",
          auth: { type: "apiKey", in: "header", name: "X-Key", value: "${API_KEY_KEY}" }
        }
      })
      const [put, picture] = entries
      expect(put?.function.parameters).toMatchObject({
        required: ["id", "name"],
        properties: { name: { type: "string" } }
      })
      expect(put?.api.parameters).toMatchObject({ tags: { in: "query", style: "pipeDelimited" }, name: { in: "body" } })
      expect(put?.api.result.schema).toMatchObject({ $ref: "#/$defs/Pet" })
      expect(picture?.api).toMatchObject({ contentType: "multipart/form-data", parameters: { file: { isFile: true } } })
    })
  )

  it.effect("that refers to files and addresses reads nothing, and says what is missing", () =>
    Effect.gen(function* () {
      const { problems, properties } = yield* imported(
        specification({
          requestBody: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    a: { $ref: "file:///etc/passwd" },
                    b: { $ref: "http://127.0.0.1:1/schema.json#/a" },
                    c: { $ref: "./common.yaml#/C" }
                  }
                }
              }
            }
          }
        })
      )
      expect(properties).toEqual({ a: {}, b: {}, c: {} })
      expect(problems.map(({ rule, severity }) => [severity, rule])).toEqual(
        ["a", "b", "c"].map(() => ["warning", "unresolved-reference"])
      )
    })
  )

  it.effect("gets what it refers to from the documents that the program gives", () =>
    Effect.gen(function* () {
      const { entry, problems, properties } = yield* imported(
        specification({ parameters: [{ $ref: "common.yaml#/parameters/Page" }] }),
        {
          documentUrl: "https://things.example/api/openapi.json",
          documents: {
            "https://things.example/api/common.yaml": {
              parameters: { Page: { name: "page", in: "query", schema: { $ref: "#/schemas/Page" } } },
              schemas: { Page: { $ref: "types/page.json" } }
            },
            "types/page.json": { type: "integer" }
          }
        }
      )
      expect(problems).toEqual([])
      expect(properties).toEqual({ page: { $ref: "#/$defs/Page" } })
      expect(entry.function.parameters["$defs"]).toMatchObject({
        Page: { $ref: "#/$defs/1" },
        "1": { type: "integer" }
      })
    })
  )

  it.effect("that is none is an error that says what was expected", () =>
    Effect.gen(function* () {
      const failing = (specification: unknown) =>
        Effect.map(
          Effect.either(OpenApi.entries(specification)),
          (result) => Either.isLeft(result) && result.left.message
        )
      expect(yield* failing("a: [")).toMatch(/neither JSON nor YAML/)
      expect(yield* failing("just text")).toMatch(/no object/)
      expect(yield* failing({ openapi: "4.0.0" })).toMatch(/"4\.0\.0"; versions 3\.0, 3\.1/)
      expect(yield* failing({ swagger: "1.2" })).toMatch(/not "2\.0"/)
      expect(yield* failing({})).toMatch(/has no `openapi`/)
    })
  )

  it.effect("of many keys in YAML is read in time that grows with its length, and keeps merge keys", () =>
    Effect.gen(function* () {
      // A parser that compares each key with all others takes minutes.
      const keys = Array.from({ length: sized(20_000, 60_000) }, (_, index) => `x-${index}: 1`)
      const merged = "x-a: &a { get: { operationId: a } }\npaths: { /a: { <<: *a }, /b: { <<: *a } }"
      const { entries } = yield* OpenApi.entries(
        ["openapi: 3.1.0", "servers: [{ url: https://a.example }]", merged, ...keys].join("\n")
      )
      expect(entries.map(({ api }) => api.path)).toEqual(["/a", "/b"])
    })
  )

  it.effect("with a key that is there twice, or nested without end, is refused with its place", () =>
    Effect.gen(function* () {
      const twice = yield* Effect.flip(OpenApi.entries("openapi: 3.1.0\npaths: {}\npaths: {}"))
      expect(twice.message).toMatch(/neither JSON nor YAML: 3:1: This key is here for the second time/)
      const deep = yield* Effect.flip(OpenApi.entries(`openapi: 3.1.0\nx: ${"[".repeat(100_000)}`))
      expect(deep.message).toMatch(/2:204: Values nest deeper/)
    })
  )

  it.effect("with aliases that multiply is refused instead of filling the memory", () =>
    Effect.gen(function* () {
      const bomb = [
        "a: &a0 [1,1,1,1,1,1,1,1,1]",
        ...Array.from({ length: 9 }, (_, i) => `b${i}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(",")}]`)
      ]
      const result = yield* Effect.either(OpenApi.entries(`openapi: 3.1.0\n${bomb.join("\n")}\n`))
      expect(Either.isLeft(result) && result.left.message).toMatch(/alias/i)
    })
  )
})
