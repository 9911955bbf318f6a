/**
 * What the conformance suite runs as a client: it connects to the last argument,
 * and does what the scenario needs.
 */
import { Json } from "@wield/core"
import { Credentials, McpClient } from "@wield/mcp"
import { Effect, Redacted } from "effect"

const url = process.argv.at(-1) ?? ""
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? ""
const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly client_id?: string
  readonly client_secret?: string
  readonly private_key_pem?: string
  readonly signing_algorithm?: string
  readonly idp_client_id?: string
  readonly idp_id_token?: string
  readonly idp_token_endpoint?: string
  readonly valid_jwt?: string
  readonly toolCalls?: ReadonlyArray<{ readonly name: string; readonly arguments?: Json.JsonObject }>
}

const guard = { allowedHosts: ["localhost", "127.0.0.1"] }

const credentialsOf = (store: Credentials.Store): Credentials.Credentials => {
  const clientId = given.client_id ?? ""
  const secret = given.client_secret === undefined ? undefined : Redacted.make(given.client_secret)
  switch (scenario) {
    case "auth/client-credentials-basic":
      return Credentials.clientCredentials({ clientId, clientSecret: secret ?? Redacted.make("") })
    case "auth/client-credentials-jwt":
      return Credentials.clientCredentials({
        clientId,
        privateKey: Redacted.make(given.private_key_pem ?? ""),
        algorithm: given.signing_algorithm ?? "ES256"
      })
    case "auth/wif-jwt-bearer":
      return Credentials.jwtBearer({
        clientId,
        assertion: () => Effect.succeed(Redacted.make(given.valid_jwt ?? ""))
      })
    case "auth/enterprise-managed-authorization":
      return Credentials.jwtBearer({
        clientId,
        clientSecret: secret,
        assertion: Credentials.identityAssertion({
          tokenUrl: given.idp_token_endpoint ?? "",
          clientId: given.idp_client_id ?? "",
          idToken: Effect.succeed(Redacted.make(given.idp_id_token ?? ""))
        })
      })
    default:
      return Credentials.oauth({
        store,
        guard,
        redirectUrl: "http://localhost:3000/callback",
        clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
        dpop: scenario.startsWith("auth/dpop"),
        client: given.client_id === undefined ? undefined : { id: clientId, secret }
      })
  }
}

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
  const credentials = credentialsOf(yield* Credentials.memoryStore)
  const server = McpClient.http(url, { credentials, guard })
  const use = Effect.scoped(
    Effect.gen(function* () {
      const client = yield* McpClient.connect("server", server, {
        limits: { connect: 20_000, call: 20_000 },
        elicit: (request) =>
          Effect.succeed({ action: "accept", content: request.mode === "form" ? form(request.requestedSchema) : {} })
      })
      const tools = yield* client.listTools
      const calls =
        given.toolCalls ??
        tools.map(({ inputSchema, name }) => ({
          name,
          arguments:
            name === "json_schema_echo"
              ? { schema: Json.from(tools.find((tool) => tool.name === "json_schema_2020_12_tool")?.inputSchema) }
              : Object.fromEntries(
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
  // A person who is asked again and again would give up, too.
  yield* attempt(3)
})

Effect.runPromise(program).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
