/** Tools of files, specifications and statements: manifests, OpenAPI, GraphQL and SQL. Needs `@wield/manifest`. */
import type { Facts, Json } from "@wield/core"
import * as JsonValue from "@wield/core/Json"
import { aFunction, aText, orThrow, record } from "@wield/core/Options"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import type * as FromGraphQl from "@wield/manifest/FromGraphQl"
import * as Manifest from "@wield/manifest/Manifest"
import * as ManifestFile from "@wield/manifest/ManifestFile"
import type * as OpenApi from "@wield/manifest/OpenApi"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { checkFacts, checkKind, checkNames } from "./internal/checkNames.js"
import { following } from "./internal/client.js"
import { sourceOf, type ToolSource } from "./internal/source.js"
import { type Call, type CallValues, executeOf } from "./tool.js"

export type { ToolSource }

/** A text, an object, or a file that has one: its path, or its `file:` URL. */
export type Document = { readonly file: string | URL } | { readonly text: string | Json.JsonObject }

interface WithEnvironment {
  /** Values of environment variables that the tools use, such as keys; they come before those of the process. */
  readonly environment?: { readonly [name: string]: string }
}

/**
 * Tools from a manifest. `handlers` run its local tools.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { wield } from "wield"
 * import { manifest } from "wield/manifest"
 *
 * const text = "- { type: local, function: { name: greet, parameters: { properties: { name: { type: string } } } } }"
 * const greetings = manifest({ text, handlers: { greet: async ({ name }) => `Hello, ${name}` } })
 * await using tools = await wield({ toolsets: [greetings] })
 * assert.strictEqual(await tools.run().call("greet", { name: "Ada" }), "Hello, Ada")
 * ```
 */
export const manifest = (
  options: Document &
    WithEnvironment & {
      readonly handlers?: { readonly [name: string]: (parameters: CallValues, call: Call) => unknown }
    }
): ToolSource => {
  checkNames("`manifest`", options ?? null, ["file", "text", "handlers", "environment"])
  checkDocument("`manifest`", options)
  orThrow(record(aFunction)(options.handlers ?? {}, ["manifest", "handlers"]))
  const handlers = Object.entries(options.handlers ?? {}).map(([name, handle]): [string, Manifest.Handler] => [
    name,
    executeOf((parameters, call) =>
      // The parameters of a tool are an object.
      handle(parameters as CallValues, call)
    )
  ])
  const read = Effect.flatMap(textOf(options), (text) =>
    Manifest.parse(text, "file" in options ? { file: pathOf(options.file) } : {})
  )
  return toolsOf(read, options, Object.fromEntries(handlers))
}

/**
 * Tools from an OpenAPI specification: `openApi({ file: "orders.yaml", name: "orders", methods: ["GET"] })`. Keys are
 * environment variables whose names begin with `name`, such as `ORDERS_KEY_TOKEN`.
 */
export const openApi = (options: Document & WithEnvironment & OpenApi.Options): ToolSource => {
  checkDocument("`openApi`", options)
  const { environment: _, ...rest } = options
  return toolsOf(
    Effect.flatMap(textOf(options), (text) => Manifest.fromOpenApi(text, without(rest))),
    options
  )
}

/** Tools from the schema of a GraphQL API, as SDL or as what an introspection gives. */
export const graphQl = (
  options: Document &
    WithEnvironment & {
      readonly url: string
      readonly headers?: { readonly [name: string]: string }
    } & Omit<FromGraphQl.Options, "api">
): ToolSource => {
  checkDocument("`graphQl`", options)
  const { environment: _, headers = {}, url, ...rest } = options
  orThrow(record(aText)(headers, ["graphQl", "headers"]))
  const configuration = { type: "graphql", url, headers }
  return toolsOf(
    Effect.flatMap(textOf(options), (text) => Manifest.fromGraphQL(text, { ...without(rest), configuration })),
    options
  )
}

/** The import checks its own options. */
const checkDocument = (what: string, options: unknown): void => {
  checkKind(`What ${what} takes`, options ?? null, "an object with `file` or `text`", JsonValue.isPlain(options))
  const { file, text }: { readonly file?: unknown; readonly text?: unknown } = JsonValue.isPlain(options) ? options : {}
  const isFile = typeof file === "string" || (file instanceof URL && file.protocol === "file:")
  checkKind(`\`file\` of ${what}`, file, "a path, or a URL of a file", isFile)
  checkKind(`\`text\` of ${what}`, text, "a text, or an object", typeof text === "string" || JsonValue.isPlain(text))
  if ((file === undefined) === (text === undefined)) {
    throw new TypeError(
      `${what} needs a \`file\` or a \`text\`, ${file === undefined ? "and has neither" : "not both"}`
    )
  }
}

const pathOf = (file: string | URL): string => (typeof file === "string" ? file : fileURLToPath(file))

/** A statement that is a tool: the model gives values for its `:name`s, and the statement stays as it is. */
export interface SqlTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: Json.JsonSchema
  /** Parameters that `run({ context })` gives. */
  readonly hidden?: ReadonlyArray<string>
  readonly query: string
  readonly facts?: Partial<Facts.Facts>
}

const sqlNames = ["name", "description", "parameters", "hidden", "query", "facts"]

/** Tools of SQL statements, over `file:shop.db`, `postgres://…` or `mysql://…`, whose driver is a peer of `@wield/manifest`. */
export const sql = (options: WithEnvironment & { readonly url: string; readonly tools: ReadonlyArray<SqlTool> }) => {
  checkNames("`sql`", options ?? null, ["url", "tools", "environment"])
  checkKind("`tools` of `sql`", options.tools ?? null, "an array of statements", Array.isArray(options.tools))
  const tools = options.tools.map((tool, index) => {
    checkNames(`The tool ${String(tool?.name ?? index)} of \`sql\``, tool ?? null, sqlNames)
    const { description, facts, hidden = [], name, parameters, query } = tool
    checkFacts(String(name), facts)
    return {
      type: "api",
      function: { name, description, parameters },
      context: hidden,
      facts: facts && ManifestFile.encodeFacts(facts),
      api: { query }
    }
  })
  return toolsOf(
    Effect.suspend(() => Manifest.parse(JSON.stringify({ apis: { type: "sql", url: options.url }, tools }))),
    options
  )
}

const without = <Options extends object>(options: Options): Omit<Options, "file" | "text"> =>
  // No other key of these names is left.
  Object.fromEntries(Object.entries(options).filter(([name]) => name !== "file" && name !== "text")) as never

const textOf = (document: Document): Effect.Effect<string> => {
  const { file, text } = { file: undefined, text: undefined, ...document }
  if (file !== undefined) return Effect.promise(() => readFile(file, "utf8"))
  return Effect.succeed(typeof text === "string" ? text : JSON.stringify(text))
}

const toolsOf = (
  read: Effect.Effect<Manifest.Manifest, unknown>,
  { environment = {} }: WithEnvironment,
  handlers: { readonly [name: string]: Manifest.Handler } = {}
): ToolSource => {
  // The process's own is not what a literal makes.
  if (environment !== process.env) orThrow(record(aText)(environment, ["environment"]))
  return sourceOf(
    Effect.gen(function* () {
      const made = yield* read
      const factories = [RestExecutor.factory, GraphQlExecutor.factory]
      if (!made.apis.some(({ type }) => type === "sql" || type === "jdbc")) {
        return yield* Manifest.toToolset(made, { factories, handlers })
      }
      // It brings the drivers of databases along.
      const { factory } = yield* Effect.promise(() => import("@wield/manifest/SqlExecutor"))
      return yield* Manifest.toToolset(made, { factories: [...factories, factory], handlers })
    }).pipe(
      Effect.withConfigProvider(
        ConfigProvider.orElse(ConfigProvider.fromMap(new Map(Object.entries(environment))), () =>
          ConfigProvider.fromEnv()
        )
      )
    ),
    following
  )
}
