/** Tools from an OpenAPI specification: an entry for each operation, an executor for each server. */
import type { JsonFault } from "@wield/core/JsonText"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { InvalidConfiguration } from "./ExecutorFactory.js"
import { aFlag, aFunction, aNumber, anything, aText, type Checks, fields, record, texts } from "@wield/core/Options"
import { checkOptions } from "./file/options.js"
import type { ApiEntry } from "./ManifestEntry.js"
import { apis as makeApis } from "./openapi/apis.js"
import { entryOf } from "./openapi/entry.js"
import type { Importing, Note } from "./openapi/Importing.js"
import { makeNames } from "./openapi/names.js"
import { type Found, operationsOf } from "./openapi/operations.js"
import { bundle, resolver } from "./openapi/reference.js"
import { operationOf, pathOf } from "./openapi/served.js"
import { schemasOf } from "./openapi/schemas.js"
import { reportUnusedContext } from "./openapi/selection.js"
import { fromSwagger } from "./openapi/swagger.js"
import { isError, make, type ManifestProblem } from "./ManifestProblem.js"
import type * as RestExecutor from "./RestExecutor.js"
import * as Yaml from "./Yaml.js"
import { check } from "./rest/check.js"
import * as Json from "@wield/core/Json"
import type { ToolDefinition } from "@wield/core/ToolDefinition"
import * as JsonSchema from "@wield/core/JsonSchema"
import { makeBreathe } from "@wield/core/Time"
import * as Schema from "effect/Schema"

/**
 * What is known of an operation when it is chosen or named.
 *
 * @category models
 */
export interface Operation {
  /** Its `operationId`. */
  readonly id: string | undefined
  /** Upper case. */
  readonly method: string
  readonly path: string
  readonly tags: ReadonlyArray<string>
  readonly isDeprecated: boolean
}

/**
 * How a specification is imported. Everything is optional.
 *
 * @category models
 */
export interface Options {
  /** The executor's name, `default` unless given; where operations differ in server or security, the others' names begin with it. */
  readonly name?: string | undefined
  /** Only operations with one of these tags. */
  readonly tags?: ReadonlyArray<string> | undefined
  /** Only operations under one of these paths; one that ends in `*` means all that begin so. */
  readonly paths?: ReadonlyArray<string> | undefined
  /** Only operations with one of these methods, in any case. */
  readonly methods?: ReadonlyArray<string> | undefined
  /** Only operations with one of these ids. */
  readonly operations?: ReadonlyArray<string> | undefined
  /** Only operations for which this is true. */
  readonly filter?: ((operation: Operation) => boolean) | undefined
  /** Leaves out deprecated operations, and deprecated parameters that are not required. */
  readonly isDeprecatedLeftOut?: boolean | undefined
  /** Names a tool; what is not unique gets a number. Without it, the operation's id, or its method and path. */
  readonly toolName?: ((operation: Operation) => string) | undefined
  /** Names of parameters, in any case, that the call context supplies wherever an operation has them. A credential is a parameter only if it is named here. */
  readonly context?: ReadonlyArray<string> | undefined
  /** The media types of bodies that are preferred, the best first; merge-patch for a PATCH, else JSON unless given. */
  readonly contentTypes?: ReadonlyArray<string> | undefined
  /** Leaves out the schemas of answers. */
  readonly isResultLeftOut?: boolean | undefined
  /** The longest description of a tool, in characters: 1,000 unless given. */
  readonly maxDescription?: number | undefined
  /** The longest description of a parameter, in characters: 500 unless given. */
  readonly maxParameterDescription?: number | undefined
  /** The address of the API, whatever servers the specification names. */
  readonly url?: string | undefined
  /** Which of the servers, counted from 0. */
  readonly server?: number | undefined
  /** Values of the server's variables; their defaults unless given. */
  readonly variables?: { readonly [name: string]: string } | undefined
  /** The address of the specification itself, which relative servers and references are under. Nothing is fetched from it. */
  readonly documentUrl?: string | undefined
  /** Other documents that references lead to, by their address. Nothing is ever fetched. */
  readonly documents?: { readonly [uri: string]: unknown } | undefined
  /** Names of security schemes that every request has to meet, whatever its operation says. */
  readonly security?: ReadonlyArray<string> | undefined
  /** How the names of environment variables for credentials begin: the name of the API, or `API`. */
  readonly environmentPrefix?: string | undefined
}

const checks = fields({
  name: aText,
  tags: texts,
  paths: texts,
  methods: texts,
  operations: texts,
  filter: aFunction,
  isDeprecatedLeftOut: aFlag,
  toolName: aFunction,
  context: texts,
  contentTypes: texts,
  isResultLeftOut: aFlag,
  maxDescription: aNumber,
  maxParameterDescription: aNumber,
  url: aText,
  server: aNumber,
  variables: record(aText),
  documentUrl: aText,
  documents: record(anything),
  security: texts,
  environmentPrefix: aText
} satisfies Checks<Options>)

/**
 * How requests are authenticated; values like `${NAME}` come from the environment.
 *
 * @category models
 */
export type Auth = RestExecutor.Auth<string>

/**
 * The configuration of an executor, as it stands under `apis` in a file.
 *
 * @category models
 */
export interface ApiConfiguration {
  readonly type: "rest"
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  readonly auth?: Auth
}

/**
 * What a specification comes to.
 *
 * @category models
 */
export interface Imported {
  readonly entries: ReadonlyArray<ApiEntry>
  /** Configurations of the executors that the entries name. */
  readonly apis: { readonly [name: string]: ApiConfiguration }
  /** Errors: operations left out, options that fit nothing. Warnings: what is not as the specification has it. */
  readonly problems: ReadonlyArray<ManifestProblem>
}

/**
 * The operations of a specification as entries: OpenAPI 3.0 and 3.1, and
 * Swagger 2.0, as JSON or YAML text or as an object.
 *
 * Fails with `InvalidOpenApi` where the whole is no specification, and with `InvalidConfiguration` where an option is
 * misspelt or of another type. What is wrong with one operation is a problem and keeps no other from being imported.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { OpenApi } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const { apis, entries } = await Effect.runPromise(
 *   OpenApi.entries(`
 * openapi: 3.1.0
 * info: { title: Orders, version: "1" }
 * servers: [{ url: "https://orders.example/v1" }]
 * paths: { "/orders": { get: { operationId: listOrders, summary: All orders } } }
 * `)
 * )
 * assert.deepStrictEqual([entries[0]?.function.name, apis["default"]?.url], ["listOrders", "https://orders.example/v1"])
 * ```
 *
 * @category constructors
 */
export const entries = (
  specification: unknown,
  options: Options = {}
): Effect.Effect<Imported, InvalidOpenApi | InvalidConfiguration> =>
  Effect.gen(function* () {
    yield* checkOptions(checks, options)
    const given = yield* documentOf(specification)
    const { documentUrl, documents, maxParameterDescription: maxDescription = 500 } = options
    const { note, problems } = notes()
    const whole = documents === undefined ? given : bundle(given, documents, documentUrl)
    const document = (whole["swagger"] ?? undefined) === undefined ? whole : fromSwagger(whole, documentUrl)
    const resolve = resolver(document)
    const shared = { document, resolve, note, maxDescription }
    const importing: Importing = {
      document,
      options,
      resolve,
      note,
      inputs: schemasOf({ ...shared, absent: "readOnly" }),
      outputs: schemasOf({ ...shared, absent: "writeOnly" })
    }
    const apis = makeApis(importing)
    const takeName = makeNames()
    const compile = yield* JsonSchema.compiler
    const breathe = yield* makeBreathe
    const entries: Array<ApiEntry> = []
    for (const found of operationsOf(importing)) {
      const entry = entryOf(found, importing, apis, takeName)
      if (entry !== undefined && isCallable(entry, found, note)) {
        const usable = yield* usableEntry(entry, compile, note)
        if (usable !== undefined) entries.push(usable)
      }
      yield* breathe
    }
    reportUnusedContext(entries, importing)
    apis.reportServers()
    return { entries, apis: apis.all(), problems }
  })

/**
 * Tools as an OpenAPI 3.1 document: each is `POST /tools/{name}`, which takes its arguments as JSON and answers its
 * result. `entries` reads the same tools of it: word for word, with their facts, which stand in `x-wield-facts`.
 *
 * `failure` is the schema of all other answers; any object unless given.
 *
 * @category conversions
 */
export const ofTools = ({
  definitions,
  failure = { type: "object" },
  url
}: {
  readonly definitions: ReadonlyArray<ToolDefinition>
  readonly url: string
  readonly failure?: Json.JsonSchema | undefined
}): object => ({
  openapi: "3.1.0",
  info: { title: "Tools", version: "1" },
  servers: [{ url }],
  components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  security: [{ token: [] }],
  paths: Object.fromEntries(
    definitions.map((definition) => [pathOf(definition.name), { post: operationOf(definition, failure) }])
  )
})

/** Problems as they are found. One that concerns a schema that many operations use is reported once. */
const notes = (): { readonly note: Note; readonly problems: ReadonlyArray<ManifestProblem> } => {
  const problems: Array<ManifestProblem> = []
  const noted = new Set<string>()
  return {
    problems,
    note: (severity, rule, message, path, tool) => {
      const key = JSON.stringify([rule, message, path])
      if (noted.has(key)) return
      noted.add(key)
      problems.push(make({ severity, rule, message, tool, path }))
    }
  }
}

/** Whether the executor takes an entry; its faults are reported for the operation. */
const isCallable = (entry: ApiEntry, { at, operation }: Found, note: Note): boolean => {
  const faults = check(entry)
  const isLeftOut = faults.some(isError)
  for (const fault of faults) {
    const what = `${operation.method} ${operation.path}${isLeftOut && isError(fault) ? " is left out" : ""}`
    note(fault.severity, fault.rule, `${what}: ${fault.message}`, at, entry.function.name)
  }
  return !isLeftOut
}

/** It brings the parser of expressions along. */
const describePatterns = (schema: Json.JsonSchema) =>
  Effect.flatMap(
    Effect.promise(() => import("@wield/core/Pattern")),
    ({ describeUnsafe }) => describeUnsafe(schema)
  )

/** The entry, if a validator can be made of its parameters. Patterns that only the server can check are left to it. */
const usableEntry = (
  entry: ApiEntry,
  compile: Effect.Effect.Success<typeof JsonSchema.compiler>,
  note: Note
): Effect.Effect<ApiEntry | undefined> => {
  const { api, function: definition } = entry
  const report = (severity: "error" | "warning", problem: string): void =>
    note(severity, "invalid-schema", `${api.method} ${api.path} ${problem}`, ["paths", api.path ?? ""], definition.name)
  return Effect.catchAll(Effect.as(compile(definition.parameters, { formats: "assertion" }), entry), ({ message }) =>
    Effect.match(describePatterns(definition.parameters), {
      onFailure: () => void report("error", `is left out: its parameters cannot be validated: ${message}`),
      onSuccess: (parameters) => {
        report("warning", `has a pattern that is left to the server, and described to the model: ${message}`)
        return { ...entry, function: { ...definition, parameters } }
      }
    })
  )
}

/** A specification as an object, read from JSON or YAML, of a version that can be imported. */
const documentOf = (specification: unknown): Effect.Effect<Json.JsonSchema, InvalidOpenApi> =>
  Effect.gen(function* () {
    const given = typeof specification === "string" ? yield* read(specification) : specification
    if (!Json.isObject(given)) {
      return yield* new InvalidOpenApi({ problem: "it is no object, but a specification begins with `openapi: 3.…`" })
    }
    const swagger = given["swagger"] ?? undefined
    if (swagger !== undefined && !/^2(\.0)?$/.test(String(swagger))) {
      return yield* new InvalidOpenApi({ problem: `its \`swagger\` is ${JSON.stringify(swagger)}, not "2.0"` })
    }
    if (swagger !== undefined) return given
    const version = given["openapi"] ?? undefined
    // Without quotes, 3.0 of YAML is the number 3.
    if (!/^3(\.[0-2](\.|$)|$)/.test(String(version))) {
      const found = version === undefined ? "it has no `openapi`" : `its \`openapi\` is ${JSON.stringify(version)}`
      return yield* new InvalidOpenApi({ problem: `${found}; versions 3.0, 3.1 and Swagger 2.0 can be read` })
    }
    return given
  })

const read = (text: string): Effect.Effect<unknown, InvalidOpenApi> => {
  const yaml = Effect.suspend(() =>
    Either.match(Yaml.parse(text, { isMerging: true }), {
      onLeft: ([fault]) => new InvalidOpenApi({ problem: `it is neither JSON nor YAML: ${describeFault(fault)}` }),
      onRight: ({ value }) => Effect.succeed<unknown>(value)
    })
  )
  // JSON is YAML, but YAML's parser takes some fifty times as long.
  return /^\s*\{/.test(text)
    ? Effect.orElse(
        Effect.try((): unknown => Json.parse(text, { numbers: "rounded" })),
        () => yaml
      )
    : yaml
}

const describeFault = (fault: JsonFault | undefined): string =>
  fault === undefined ? "it cannot be read" : `${fault.place.line}:${fault.place.column}: ${fault.message}`

/**
 * What was given is no specification that can be read. Faults of single operations are problems.
 *
 * @category errors
 */
export class InvalidOpenApi extends Schema.TaggedError<InvalidOpenApi>("@wield/manifest/InvalidOpenApi")(
  "InvalidOpenApi",
  {
    /** What is wrong with it, and what was expected. */
    problem: Schema.String
  }
) {
  override get message(): string {
    return `This is no OpenAPI specification: ${this.problem}`
  }
}
