import { expect, it } from "@effect/vitest"
import { ToolRunner } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor } from "@wield/manifest"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import { ConfigProvider, Effect, Layer } from "effect"

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
