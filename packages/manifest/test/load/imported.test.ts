import { expect, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor } from "@wield/manifest"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import { ConfigProvider, Effect, Layer } from "effect"
import { vi } from "vitest"

const toolsOf = (manifest: Manifest.Manifest, environment = new Map<string, string>()) =>
  Effect.gen(function* () {
    const factories = [RestExecutor.factory, GraphQlExecutor.factory]
    const runner = yield* ToolRunner.make(yield* Manifest.toToolset(manifest, { factories }))
    return (yield* runner.definitions).map(({ facts, name }) => [name, facts.isReadOnly])
  }).pipe(Effect.provide(Layer.merge(HttpGuard.layer(), Layer.setConfigProvider(ConfigProvider.fromMap(environment)))))

it.effect("an OpenAPI specification is a manifest with its APIs, whose secrets come from the environment", () =>
  Effect.gen(function* () {
    const manifest = yield* Manifest.fromOpenApi({
      openapi: "3.1.0",
      info: { title: "Orders", version: "1" },
      servers: [{ url: "https://orders.example" }],
      security: [{ key: [] }],
      paths: {
        "/orders": {
          get: { operationId: "list", summary: "All orders" },
          post: { operationId: "add", summary: "Adds an order" }
        }
      },
      components: { securitySchemes: { key: { type: "http", scheme: "bearer" } } }
    })
    const [api] = manifest.apis
    expect(api).toMatchObject({ name: "default", type: "rest", configuration: { url: "https://orders.example" } })
    const variable = /\$\{(\w+)\}/.exec(JSON.stringify(api?.configuration))?.[1]
    const error = yield* Effect.flip(toolsOf(manifest))
    expect(error.message).toContain(`The environment variable ${variable} is not set`)
    expect(yield* toolsOf(manifest, new Map([[variable ?? "", "s3cret"]]))).toStrictEqual([
      ["list", true],
      ["add", false]
    ])
  })
)

it.effect("a GraphQL schema is a manifest with the API that is given", () =>
  Effect.gen(function* () {
    const manifest = yield* Manifest.fromGraphQL(
      "type Query { orders(limit: Int): [String] } type Mutation { add(name: String!): Boolean }",
      { configuration: { type: "graphql", url: "https://orders.example/graphql" } }
    )
    expect(yield* toolsOf(manifest)).toStrictEqual([
      ["orders", true],
      ["add", false]
    ])
  })
)

it.effect("no schema of a large specification is compiled before its tool is called", () =>
  Effect.gen(function* () {
    const compilations = vi.spyOn(globalThis, "Function")
    const compilationsIn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const before = compilations.mock.calls.length
        return Effect.map(effect, (result) => [compilations.mock.calls.length - before, result] as const)
      })
    const reference = { $ref: "#/components/schemas/Part" }
    const parameters = ["name", "count"].map((name) => ({ name, in: "query", schema: reference }))
    const bind = (count: number) =>
      Effect.gen(function* () {
        const operations = Array.from({ length: count }, (_, index) => ({ operationId: `part_${index}`, parameters }))
        const manifest = yield* Manifest.fromOpenApi({
          openapi: "3.1.0",
          info: { title: "Parts", version: "1" },
          servers: [{ url: "http://127.0.0.1:9" }],
          paths: Object.fromEntries(operations.map((get, index) => [`/parts/${index}`, { get }])),
          components: { schemas: { Part: { type: "string", pattern: "^[a-z]+$", maxLength: 10 } } }
        })
        const runner = yield* ToolRunner.make(
          yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
        )
        expect(yield* runner.definitions).toHaveLength(count)
        return runner
      })
    yield* bind(1)
    const [ofOne] = yield* compilationsIn(bind(1))
    const [ofMany, runner] = yield* compilationsIn(bind(100))
    // What asks whether functions may be made from text at all.
    expect(ofMany).toBe(ofOne)
    const [called, outcome] = yield* compilationsIn(runner.run(ToolCall.make("call_1", "part_7", { name: "A" })))
    expect(outcome._tag).toBe("InvalidArguments")
    expect(called).toBeGreaterThan(0)
  }).pipe(Effect.provide(HttpGuard.layer()), Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())))
)
