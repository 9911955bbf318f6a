/**
 * What the conformance suite runs as a client: it connects to the last argument,
 * and does what the scenario needs.
 */
import { type Json } from "@wield/core"
import { Credentials, McpClient } from "@wield/mcp"
import { Effect, Redacted } from "effect"

const url = process.argv.at(-1) ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly client_id?: string
  readonly client_secret?: string
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments?: Json.JsonObject }>
}

const guard = { allowedHosts: ["localhost", "127.0.0.1"] }

const credentialsOf = Effect.map(Credentials.memoryStore, (store) => {
  const { client_id: id, client_secret: secret } = given
  return scenario.startsWith("auth/client-credentials") && id !== undefined && secret !== undefined
    ? Credentials.clientCredentials({ clientId: id, clientSecret: Redacted.make(secret) })
    : Credentials.oauth({
        store,
        guard,
        redirectUrl: "http://localhost:3000/callback",
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
        ...(id === undefined
          ? {}
          : { client: { id, ...(secret === undefined ? {} : { secret: Redacted.make(secret) }) } })
      })
})

/** The authorization server of the suite grants access without a person. */
const grant = (credentials: Credentials.Credentials, to: string) =>
  Effect.gen(function* () {
    const response = yield* Effect.promise(() => fetch(to, { redirect: "manual" }))
    const location = response.headers.get("location")
    if (location === null) return yield* Effect.fail(`no redirect from ${to}`)
    yield* credentials.complete(url, new URL(location, to))
  })

/** Something of the type that a parameter asks for. */
const sample = (schema: unknown): Json.Json => {
  const {
    default: value,
    enum: choices,
    type
  } = schema as {
    readonly default?: Json.Json
    readonly enum?: ReadonlyArray<Json.Json>
    readonly type?: string
  }
  if (value !== undefined) return value
  if (choices?.[0] !== undefined) return choices[0]
  return type === "number" || type === "integer"
    ? 1
    : type === "boolean"
      ? true
      : type === "array"
        ? []
        : type === "object"
          ? {}
          : "test"
}

const form = (schema: Json.JsonSchema): Json.JsonObject =>
  Object.fromEntries(
    Object.entries((schema["properties"] ?? {}) as Json.JsonObject)
      // What has no default and is not required stays out.
      .filter(([, property]) => Object.hasOwn(property as object, "default"))
      .map(([name, property]) => [name, sample(property)])
  )

const program = Effect.gen(function* () {
  const credentials = yield* credentialsOf
  const server = McpClient.http(url, { credentials, guard })
  const use = Effect.scoped(
    Effect.gen(function* () {
      const client = yield* McpClient.connect("server", server, {
        limits: { connect: 20_000, call: 20_000 },
        elicit: (request) =>
          Effect.succeed({ action: "accept", content: request.mode === "form" ? form(request.requestedSchema) : {} })
      })
      const calls =
        given.toolCalls ??
        (yield* client.listTools).map(({ inputSchema, name }) => ({
          name,
          arguments: Object.fromEntries(
            Object.entries((inputSchema["properties"] ?? {}) as Json.JsonObject).map(([key, property]) => [
              key,
              sample(property)
            ])
          )
        }))
      for (const { arguments: parameters = {}, name } of calls) yield* client.callTool(name, parameters)
    })
  )
  const attempt = (left: number): typeof use =>
    Effect.catchIf(
      use,
      (error) => error._tag === "AuthorizationRequired" && error.url !== undefined && left > 0,
      (error) =>
        Effect.zipRight(
          Effect.orDie(grant(credentials, "url" in error && error.url !== undefined ? error.url : "")),
          attempt(left - 1)
        )
    )
  yield* attempt(4)
})

Effect.runPromise(program).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
