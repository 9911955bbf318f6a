/** Specifications that are small and mean without end. */
import { assert, describe, it } from "@effect/vitest"
import { Time } from "@wield/core"
import * as OpenApi from "@wield/manifest/OpenApi"
import { Effect, Fiber } from "effect"

const specification = (schemas: object, more: object = {}) => ({
  openapi: "3.1.0",
  info: { title: "x", version: "1" },
  servers: [{ url: "https://api.example" }],
  paths: {
    "/a": {
      post: {
        operationId: "constructor",
        requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/s0" } } } },
        responses: {
          "200": { description: "ok", content: { "application/json": { schema: { $ref: "#/components/schemas/s0" } } } }
        },
        ...more
      }
    }
  },
  components: { schemas }
})

const levels = (count: number, of: (next: { $ref: string }) => object) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `s${index}`,
      of({ $ref: `#/components/schemas/s${index + 1}` })
    ]).concat([[`s${count}`, { type: "object", properties: { leaf: { type: "string" } } }]])
  )

const ten = (item: unknown) => Array.from({ length: 10 }, () => item)

const laughs: { readonly [what: string]: object } = {
  "allOf of allOf": levels(19, (next) => ({ allOf: ten(next) })),
  "allOf of allOf beside properties": levels(40, (next) => ({
    properties: { a: { type: "string" } },
    allOf: ten(next)
  })),
  "oneOf of oneOf": levels(40, (next) => ({ oneOf: ten(next) })),
  "properties of properties": levels(40, (next) => ({
    properties: Object.fromEntries(ten(next).map((item, i) => [`p${i}`, item]))
  })),
  "a discriminator over allOf": levels(40, (next) => ({
    allOf: ten(next),
    oneOf: [next],
    discriminator: { propertyName: "kind" }
  })),
  "a circle of allOf": { s0: { allOf: ten({ $ref: "#/components/schemas/s0" }) } },
  "a circle of two": { s0: { $ref: "#/components/schemas/s1" }, s1: { $ref: "#/components/schemas/s0" } },
  "a circle through a list": { s0: { type: "array", items: { $ref: "#/components/schemas/s0" } } },
  "an enum of 100,000": { s0: { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) } },
  "names that every object has": {
    s0: {
      type: "object",
      properties: JSON.parse(
        '{"__proto__":{"type":"string"},"constructor":{"type":"string"},"toString":{"$ref":"#/components/schemas/__proto__"}}'
      ),
      required: ["__proto__", "constructor"]
    }
  }
}

describe("a specification", () => {
  for (const [what, schemas] of Object.entries(laughs)) {
    // What is read once for each way that leads to it would not end in any time: the guard of the test stops it.
    it.live(`with ${what} is read`, () =>
      Effect.gen(function* () {
        const { entries } = yield* OpenApi.entries(specification(schemas))
        assert.strictEqual(entries[0]?.function.name, "constructor")
      })
    )
  }
})

it.effect(
  "an operation of 40,000 parameters costs itself only, and JSON that nests without end is no specification",
  () =>
    Effect.gen(function* () {
      const get = (operationId: string, parameters: ReadonlyArray<object>) => ({
        get: { operationId, parameters, responses: {} }
      })
      const wide = Array.from({ length: 40_000 }, (_, index) => ({
        name: `p${index}`,
        in: "query",
        schema: { type: "string" }
      }))
      const document = {
        openapi: "3.1.0",
        info: { title: "a", version: "1" },
        servers: [{ url: "https://a.example" }],
        paths: { "/wide": get("wide", wide), "/good": get("good", []) }
      }
      const { entries, problems } = yield* OpenApi.entries(document)
      assert.deepStrictEqual(
        entries.map((entry) => entry.function.name),
        ["good"]
      )
      assert.include(
        problems.map(({ rule }) => rule),
        "invalid-schema"
      )
      const deep = `{"openapi": "3.1.0", "paths": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`
      assert.include((yield* Effect.flip(OpenApi.entries(deep))).message, "nest")
    })
)

it.live("thousands of operations are read beside others, who have their turns", () =>
  Effect.gen(function* () {
    const paths = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [
        `/${index}`,
        { get: { operationId: `get_${index}`, responses: {} } }
      ])
    )
    const document = { openapi: "3.1.0", servers: [{ url: "https://a.example" }], paths }
    let turns = 0
    const ticking = yield* Effect.fork(
      Effect.forever(Effect.flatMap(Time.nextTurn, () => Effect.sync(() => void turns++)))
    )
    const { entries } = yield* OpenApi.entries(document)
    yield* Fiber.interrupt(ticking)
    assert.strictEqual(entries.length, 3_000)
    assert.isAbove(turns, 3)
  })
)
