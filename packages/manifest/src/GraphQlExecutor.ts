/** Calls GraphQL APIs: an entry's document is sent as it stands, and the arguments of a call as its variables. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { getIntrospectionQuery } from "graphql"
import { type ExecutorError, RequestFailed } from "./ExecutorError.js"
import type { Executor } from "./Executor.js"
import * as ExecutorFactory from "./ExecutorFactory.js"
import { check } from "./graphql/check.js"
import { type Api, prepare, ask } from "./graphql/execute.js"
import { within } from "./rest/paged.js"
import { read } from "./graphql/schema.js"
import { apiOf } from "./rest/api.js"
import { authOf, fields } from "./rest/configuration.js"
import { reveal } from "./rest/auth.js"
import type { Options as RestOptions, Secret } from "./RestExecutor.js"
import * as Json from "@wield/core/Json"

/**
 * How an API is reached: as for REST. A mutation is never sent again.
 *
 * @category models
 */
export interface Connection extends Omit<RestOptions, "url" | "idempotencyHeader"> {
  /** Where documents are sent to, such as `https://api.example.com/graphql`. */
  readonly url: Secret
}

/**
 * An API.
 *
 * @category models
 */
export interface Options extends Connection {
  /** SDL, or the JSON of an introspection query: documents are validated against it, and variables typed by it. */
  readonly schema?: string | { readonly [key: string]: unknown } | undefined
  /** Asks the API for its schema, where none is given. */
  readonly introspect?: boolean | undefined
}

/**
 * The executor of an API, over the `HttpClient` of the context: give it the
 * guarded one of `@wield/http`.
 *
 * A tool answers the `data` of the API's answer, or the part of it that
 * `result.path` points to. `errors` are a `GraphQlErrors` with the data that
 * came besides them, whatever the status.
 *
 * Fails with `InvalidConfiguration` when an option is misspelt, the URL or the schema is invalid, or when
 * the API does not tell its schema.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { HttpGuard } from "@wield/http"
 * import { GraphQlExecutor, ManifestEntry } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const orders = ManifestEntry.api({ name: "orders", api: { query: "query ($state: String!) { orders(state: $state) }" } })
 * const schema = "type Query { orders(status: String): [String!] }"
 * const faults = Effect.map(
 *   GraphQlExecutor.make({ url: "https://api.example.com/graphql", schema }),
 *   (executor) => executor.check(orders)
 * ).pipe(Effect.provide(HttpGuard.layer()))
 * Effect.runPromise(faults).then(([fault]) => assert.match(fault?.message ?? "", /Unknown argument "state"/))
 * ```
 *
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<Executor, ExecutorFactory.InvalidConfiguration, HttpClient.HttpClient> =>
  factory.make(options, { name: "default", type: "graphql", folder: undefined })

const executorOf = (options: Options) =>
  Effect.gen(function* () {
    const api = yield* connected(options)
    const schema = yield* schemaOf(api, options)
    const executor: Executor = {
      kind: "graphql",
      check: (entry) => check(entry, schema),
      prepare: (entry) => prepare(api, schema, entry)
    }
    return executor
  })

/**
 * The schema of an API, by its own word, for `FromGraphQl.entries` or a file.
 *
 * @category introspection
 */
export const introspect = (
  connection: Connection
): Effect.Effect<
  { readonly __schema: { readonly [key: string]: unknown } },
  ExecutorFactory.InvalidConfiguration | ExecutorError,
  HttpClient.HttpClient
> =>
  Effect.gen(function* () {
    const faults = factory.checkConfiguration?.(connection) ?? []
    if (faults.length > 0) return yield* new ExecutorFactory.InvalidConfiguration({ faults })
    return yield* introspection(yield* connected(connection))
  })

/**
 * Makes executors of type `graphql` from `Options`; an `auth` that is a text is the header `Authorization`.
 *
 * @category constructors
 */
export const factory: ExecutorFactory.ExecutorFactory<HttpClient.HttpClient> = ExecutorFactory.make({
  types: ["graphql"],
  configuration: Schema.Struct({
    ...fields,
    schema: Schema.optional(Schema.Union(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown }))),
    introspect: Schema.optional(Schema.Boolean)
  }),
  check: (entry) => check(entry, undefined),
  make: ({ auth, ...rest }) => executorOf({ ...rest, ...authOf(auth) })
})

const connected = (connection: Connection) =>
  Effect.gen(function* () {
    const api = yield* apiOf(yield* HttpClient.HttpClient, connection)
    return { ...api, url: reveal(connection.url) }
  })

const schemaOf = (api: Api, options: Options) => {
  if (options.schema !== undefined) {
    return Effect.mapError(read(options.schema), (error) => invalid("schema", error.message))
  }
  if (options.introspect !== true) return Effect.succeed(undefined)
  return introspection(api).pipe(
    Effect.flatMap(read),
    Effect.mapError((error) => invalid("introspect", `The API does not tell its schema: ${error.message}`))
  )
}

const invalid = (path: string, message: string): ExecutorFactory.InvalidConfiguration =>
  new ExecutorFactory.InvalidConfiguration({ faults: [{ path: [path], message }] })

/** Asks an API for its schema. */
const introspection = (api: Api) => {
  const asked = (options: Parameters<typeof getIntrospectionQuery>[0]) =>
    ask(
      api,
      { query: getIntrospectionQuery(options), variables: {}, operationName: "IntrospectionQuery" },
      true,
      Math.max(api.maxBytes, maxBytes)
    )
  // Without these, deprecated arguments are missing in the answer; older servers refuse them.
  return asked({ inputValueDeprecation: true, oneOf: true }).pipe(
    Effect.catchTag("GraphQlErrors", () => asked({ inputValueDeprecation: true })),
    Effect.catchTag("GraphQlErrors", () => asked({})),
    within(api.timeout),
    Effect.flatMap(({ value }) => {
      const schema = Json.isObject(value) ? value["__schema"] : undefined
      return Json.isObject(schema)
        ? Effect.succeed({ __schema: schema })
        : new RequestFailed({ reason: "invalid-answer", detail: "the answer to the introspection query has no schema" })
    })
  )
}

/** Schemas of large APIs have several MiB. */
const maxBytes = 32 * 1024 * 1024
