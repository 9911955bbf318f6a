/** Options that a program without a compiler may give: one that means nothing must not go unnoticed. */
import type { HttpClient } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { FromGraphQl, GraphQlExecutor, Manifest, ManifestEntry, OpenApi, RestExecutor } from "@wield/manifest"
import * as ApiConversationStore from "@wield/manifest/ApiConversationStore"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Cause, Effect, Either, Exit } from "effect"
import { causeOf, untyped } from "../../../../test/untyped.js"

const specification = {
  openapi: "3.1.0",
  servers: [{ url: "https://orders.example" }],
  paths: { "/orders": { get: { operationId: "list" }, post: { operationId: "add" } } }
}
const schema = "type Query { list: ID } type Mutation { add: ID }"
const url = "https://orders.example"

const misspelt: ReadonlyArray<readonly [string, (options: never) => Effect.Effect<unknown, unknown>, object, string]> =
  [
    ["OpenApi.entries", (options) => OpenApi.entries(specification, options), { method: ["GET"] }, '"methods"'],
    ["Manifest.fromOpenApi", (options) => Manifest.fromOpenApi(specification, options), { contxt: [] }, '"context"'],
    ["FromGraphQl.entries", (options) => FromGraphQl.entries(schema, options), { excludes: ["add"] }, '"exclude"'],
    ["Manifest.fromGraphQL", (options) => Manifest.fromGraphQL(schema, options), { exclud: ["add"] }, '"exclude"'],
    ["RestExecutor.make", (options) => guarded(RestExecutor.make(options)), { url, maxByte: 1 }, '"maxBytes"'],
    ["GraphQlExecutor.make", (options) => guarded(GraphQlExecutor.make(options)), { url, timout: 1 }, '"timeout"'],
    [
      "GraphQlExecutor.introspect",
      (options) => guarded(GraphQlExecutor.introspect(options)),
      { url, timout: 1 },
      '"timeout"'
    ],
    ["SqlExecutor.make", (options) => withClient(SqlExecutor.make(options)), { maxRow: 1 }, '"maxRows"']
  ]

const guarded = <A, E>(made: Effect.Effect<A, E, HttpClient.HttpClient>) => Effect.provide(made, HttpGuard.layer())

/** No statement is run. */
const withClient = <A, E>(made: Effect.Effect<A, E, SqlClient.SqlClient>) =>
  Effect.provideService(made, SqlClient.SqlClient, SqlClient.SqlClient.of(Object.create(null)))

it.effect.each(misspelt)("%s refuses a misspelt option", ([, use, options, meant]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(use(options as never)))
    expect(error).toMatchObject({ _tag: "InvalidConfiguration" })
    expect(String(error)).toContain(`did you mean ${meant}?`)
  })
)

const mistyped: ReadonlyArray<readonly [object, string]> = [
  [{ methods: "GET" }, 'options: methods must be an array of texts, but is "GET"'],
  [{ filter: "list" }, 'options: filter must be a function, but is "list"'],
  [{ isResultLeftOut: "yes" }, 'options: isResultLeftOut must be true or false, but is "yes"'],
  [{ maxDescription: NaN }, "options: maxDescription must be a number of at least 0, but is NaN"],
  [["GET"], "options: They must be an object, but is an array of 1"]
]

it.effect.each(mistyped)("an import refuses %j", ([options, message]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(OpenApi.entries(specification, options as never)))
    expect(error.message).toBe(message)
  })
)

it.effect("an API says which header is no text", () =>
  Effect.gen(function* () {
    const options = { url, headers: { accept: 1 } } as never
    const error = yield* Effect.flip(Effect.asVoid(guarded(RestExecutor.make(options))))
    expect(error.message).toBe("headers.accept: headers.accept must be a text")
  })
)

it.effect("an option that is undefined is an absent one", () =>
  Effect.gen(function* () {
    const { entries } = yield* OpenApi.entries(specification, { tags: undefined, methods: ["post"] })
    expect(entries.map((entry) => entry.function.name)).toEqual(["add"])
  })
)

it.effect("the configuration of an API needs its type", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(Manifest.fromGraphQL(schema, { configuration: { url } as never })))
    expect(error.message).toContain('apis.default.type must be a text, such as "rest", but is nothing')
  })
)

const bindings: ReadonlyArray<readonly [object, string]> = [
  [{ factorys: [RestExecutor.factory] }, 'factorys must be named as an option is (did you mean "factories"?)'],
  [{ factories: { rest: RestExecutor.factory } }, "factories must be an array, but is an object with rest"],
  [{ factories: [RestExecutor] }, "factories[0] must be a factory, such as RestExecutor.factory"],
  [{ executors: { default: RestExecutor.factory } }, "executors.default must be an executor"],
  [{ handlers: { greet: "hello" } }, "handlers.greet must be a function, or an object with `handle`"]
]

it.effect.each(bindings)("a manifest is not bound to %j", ([given, message]) =>
  Effect.gen(function* () {
    const manifest = yield* Manifest.fromOpenApi(specification)
    // As plain JavaScript gives it.
    const error: unknown = yield* Effect.flip(Effect.asVoid(Manifest.toToolset(manifest, given as {})))
    expect(error).toMatchObject({ _tag: "InvalidManifest" })
    expect(String(error)).toContain(message)
  })
)

it.effect("a filter that gives a promise imports nothing", () =>
  Effect.gen(function* () {
    // As above.
    const options = { filter: async () => false } as unknown as OpenApi.Options
    const exit = yield* Effect.exit(OpenApi.entries(specification, options))
    expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("`filter` must give true or false")
  })
)

it.effect("a name in place of an operation is refused: nothing would be left out by it", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.asVoid(FromGraphQl.entries(schema, { operations: ["list"] })))
    expect(String(error)).toContain(
      'operations[0] must be a GraphQL document, or an object with one as `text` (`include` chooses fields by name), but is "list"'
    )
  })
)

const entries: ReadonlyArray<readonly [(parts: never) => unknown, object, string]> = [
  [ManifestEntry.local, { name: "orders", contxt: ["customer"] }, 'did you mean "context"?'],
  [ManifestEntry.client, { name: "orders", context: "customer" }, "context must be an array of texts"],
  [ManifestEntry.client, { name: "orders", facts: { isDestructve: true } }, 'did you mean "isDestructive"?'],
  [ManifestEntry.local, Promise.resolve({ name: "orders" }), "What `ManifestEntry.local` takes must be an object"],
  [ManifestEntry.api, { name: "orders" }, "api must be an object"],
  [ManifestEntry.api, { name: "orders", api: { path: "/", isWritng: true } }, 'did you mean "isWriting"?'],
  [ManifestEntry.api, { name: "orders", api: { path: "/", limits: { timeot: 5 } } }, 'did you mean "timeout"?'],
  [ManifestEntry.api, { name: "orders", api: { path: "/", limits: { maxRows: NaN } } }, "maxRows must be a number"]
]

it.each(entries)("an entry made in code is refused: %o %j", (make, parts, words) => {
  expect(() => untyped(make)(parts)).toThrow(words)
})

it("what else a manifest is made from is refused where it is misspelt or of another kind", () => {
  const greet = ManifestEntry.local({ name: "greet" })
  const make = untyped(Manifest.fromEntries)
  expect(() => make([greet], { contxt: ["user"] })).toThrow('did you mean "context"?')
  expect(() => make([greet], { context: "user" })).toThrow("context must be an array of texts")
  expect(() => make([greet], { apis: { shop: null } })).toThrow("apis.shop must be an object with its type")
  expect(() => make([{ name: "greet" }])).toThrow("[0] must be an entry, such as ManifestEntry.local(…)")
  expect(() => untyped(Manifest.parse)("[]", { fiels: {} })).toThrow("fiels must be named as an option is")
})

it.effect("what is to be hidden or kept out, and that nothing is named like, keeps an import from being used", () =>
  Effect.gen(function* () {
    const hidden = yield* causeOf(Manifest.fromOpenApi(specification, { context: ["customer"] }))
    expect(hidden).toContain('No operation that is imported has the parameter "customer" of `context`')
    const withArgument = "type Query { list(customer: ID): ID } type Mutation { add: ID }"
    const misspelt = yield* causeOf(Manifest.fromGraphQL(withArgument, { context: ["costumer"], exclude: ["ad"] }))
    expect(misspelt).toContain('has the name "ad" of `exclude` (did you mean "add"?)')
    expect(misspelt).toContain('has the parameter "costumer" of `context` (did you mean "customer"?)')
    const { entries } = yield* Manifest.fromGraphQL(withArgument, { context: ["Customer?"], exclude: [/^a/, "add"] })
    expect(entries.map((entry) => [entry.function.name, entry.context])).toEqual([["list", ["customer"]]])
    expect(yield* causeOf(untyped<ReturnType<typeof Manifest.fromGraphQL>>(Manifest.fromGraphQL)(schema, 5))).toContain(
      "They must be an object, but is 5"
    )
  })
)

it.effect("how messages are kept is refused where it is misspelt or of another kind", () =>
  Effect.gen(function* () {
    const manifest = Either.getOrThrow(Manifest.parse("[]"))
    const make = untyped<Effect.Effect<unknown>>(ApiConversationStore.make)
    const wrong: ReadonlyArray<readonly [object, string]> = [
      [{ contxt: { user: "ada" } }, 'did you mean "context"?'],
      [{ context: Promise.resolve({ user: "ada" }) }, "context must be an object"],
      [{ onSaveFailure: "ignore" }, 'onSaveFailure must be "fail" or "log"'],
      [{ limit: NaN }, "limit must be a whole number of at least 1"],
      [{ order: "asc" }, 'order must be "newest-first" or "oldest-first"'],
      [{ tokens: "o200k_base" }, "tokens must be a counter"],
      [{ factories: RestExecutor.factory }, "factories must be an array"]
    ]
    for (const [options, words] of wrong) expect(yield* causeOf(make(manifest, options))).toContain(words)
    for (const other of [undefined, Manifest.parse("[]"), "[]"]) {
      expect(yield* causeOf(make(other))).toContain("must be a manifest, such as the `right`")
      expect(yield* causeOf(untyped<Effect.Effect<unknown>>(Manifest.toToolset)(other))).toContain("must be a manifest")
    }
    expect(yield* causeOf(untyped<Effect.Effect<unknown>>(Manifest.executors)(manifest, { executor: {} }))).toContain(
      'did you mean "executors"?'
    )
  })
)
