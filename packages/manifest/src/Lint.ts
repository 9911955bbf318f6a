/** What is wrong with a manifest, or could be better, found without calling anything. */
import { anything, aText, type Checks, fields, list, orThrow, record, texts } from "@wield/core/Options"
import * as WireFormat from "@wield/providers/WireFormat"
import type { Executor } from "./Executor.js"
import type { ExecutorFactory } from "./ExecutorFactory.js"
import * as Effect from "effect/Effect"
import type { ApiDeclaration, Manifest } from "./Manifest.js"
import { place } from "./ManifestError.js"
import * as ManifestProblem from "./ManifestProblem.js"
import { read } from "./file/read.js"
import { gather, readTexts, type Texts } from "./load/build.js"
import { compileTools } from "./load/bind.js"
import { executorsOf, inConfiguration, invalidConfiguration } from "./load/executors.js"
import { examine, inOrder } from "./load/parts.js"
import { toTools } from "./load/toTools.js"
import type { ApiEntry } from "./ManifestEntry.js"
import type { Loss, ToolDefinition } from "@wield/core"
import * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigProvider from "effect/ConfigProvider"
import * as GraphQlExecutor from "./GraphQlExecutor.js"
import { interpolate, variablesOf } from "./load/environment.js"
import * as RestExecutor from "./RestExecutor.js"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type { GraphQLSchema } from "graphql"
import { check as checkGraphQl } from "./graphql/check.js"
import { check as checkRest } from "./rest/check.js"
import { check as checkSql, checkAnyDialect } from "./sql/check.js"
import { targetOf } from "./sql/connection.js"
import { read as readSchema } from "./graphql/schema.js"
import { addParameters, allNames, contextFaults, parametersTaken } from "./messages/fields.js"
import { isInternal, looksLikeGraphQl } from "./load/parameters.js"

/**
 * What you can give the linter besides the manifest.
 *
 * - `file`: the file that problems name; its extension decides between JSON and YAML.
 * - `files`: the texts of files of client tools, by their paths as `functions` has them.
 * - `executors`: those that the program gives in code, by the names of their APIs.
 * - `factories`: for other `apis` than those of REST and GraphQL; that of SQL
 *   checks configurations too (statements are checked without it).
 * - `handlers`: the names of the local tools that the program handles; any, unless given.
 * - `schemas`: GraphQL schemas (SDL or introspection) by the names of their APIs.
 * - `dialects`: the wire formats whose losses are reported; all eight unless given.
 *
 * @category models
 */
export interface Options {
  readonly file?: string | undefined
  readonly files?: Texts | undefined
  readonly executors?: { readonly [name: string]: Executor } | undefined
  readonly factories?: ReadonlyArray<ExecutorFactory<unknown>> | undefined
  readonly handlers?: ReadonlyArray<string> | undefined
  readonly schemas?: { readonly [api: string]: string | { readonly [key: string]: unknown } } | undefined
  readonly dialects?: ReadonlyArray<WireFormat.WireFormat> | undefined
}

/**
 * All problems of a manifest, in the order of the file. There is an error among
 * them exactly if the file would not load with these executors and handlers;
 * what only the environment can tell (variables, addresses that come from them,
 * databases) is not looked at.
 *
 * A text that declares no APIs is checked by the look of its entries: a path is
 * REST, a query GraphQL or SQL.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Lint } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const text = '[{ "type": "api", "function": { "name": "advice" }, "api": { "path": "/advice/{slip_id}" } }]'
 * const problems = await Effect.runPromise(Lint.lint(text, { file: "advice.tools.json" }))
 * assert.match(Lint.toText(problems), /^advice\.tools\.json:1:.* error placeholder-without-parameter: .*slip_id/m)
 * assert.strictEqual(Lint.exitCode(problems), 1)
 * ```
 *
 * @category linting
 */
export const lint = (
  input: string | Manifest,
  options: Options = {}
): Effect.Effect<ReadonlyArray<ManifestProblem.ManifestProblem>> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options), "What `Lint.lint` takes")
    const manifest = typeof input === "string" ? parsed(input, options) : input
    const factories = [...(options.factories ?? []), ...own]
    const schemas = schemasOf(manifest, options.schemas ?? {})
    const executors = standIns(manifest, options, factories, schemas.all)
    const binding = { executors, factories, handlers: handlersOf(manifest, options.handlers) }
    // With nothing but stand-ins, nothing is required and nothing fails.
    const made = yield* toTools(manifest, binding) as Effect.Effect<Effect.Effect.Success<ReturnType<typeof toTools>>>
    const { definitions, problems: invalid } = yield* compileTools(manifest, made)
    const found = [
      ...manifest.problems,
      ...schemas.problems,
      ...(yield* Effect.forEach(manifest.apis, (api) => problemsOf(api, factories))).flat(),
      ...made.problems,
      ...(yield* internalProblems(manifest, binding)),
      ...invalid,
      ...dialectProblems(manifest, definitions, options.dialects ?? WireFormat.all)
    ]
    return inOrder(distinct(found))
  })

// Of a name that is misspelt, less would be looked at, and a manifest that does not load pass.
const checkOptions = fields({
  file: aText,
  files: record(aText),
  executors: record(anything),
  factories: list(anything),
  handlers: texts,
  schemas: record(anything),
  dialects: list(anything)
} satisfies Checks<Options>)

/**
 * `file:line:column: severity rule: message` for each of the first hundred problems, and how many there are.
 *
 * @category rendering
 */
export const toText = (problems: ReadonlyArray<ManifestProblem.ManifestProblem>): string =>
  [...ManifestProblem.toLines(problems, toLine), summary(problems)].join("\n")

/**
 * One problem in one line.
 *
 * @category rendering
 */
export const toLine = (problem: ManifestProblem.ManifestProblem): string => {
  const [first = "", ...rest] = problem.message.split("\n")
  return [`${place(problem)}: ${problem.severity} ${problem.rule}: ${first}`, ...rest.map((line) => `  ${line}`)].join(
    "\n"
  )
}

/**
 * How many errors and warnings there are, in words.
 *
 * @category rendering
 */
export const summary = (problems: ReadonlyArray<ManifestProblem.ManifestProblem>): string => {
  const errors = problems.filter(ManifestProblem.isError).length
  return problems.length === 0
    ? "No problems"
    : `${counted(errors, "error")}, ${counted(problems.length - errors, "warning")}`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`

/**
 * The exit code of a command: 1 for an error, or more warnings than allowed (any number unless given); else 0.
 *
 * @category rendering
 */
export const exitCode = (
  problems: ReadonlyArray<ManifestProblem.ManifestProblem>,
  options: { readonly maxWarnings?: number | undefined } = {}
): 0 | 1 => {
  const errors = problems.filter(ManifestProblem.isError).length
  return errors > 0 || problems.length - errors > (options.maxWarnings ?? Infinity) ? 1 : 0
}

/** Errors do not end it: what can be read is looked at further. */
const parsed = (text: string, { file, files }: Options): Manifest => {
  const { parts, problems } = gather(read(text, file), readTexts(files))
  return examine(parts, problems)
}

/** Any handler will do, unless it is known which there are. */
const handlersOf = (manifest: Manifest, names: ReadonlyArray<string> | undefined) => {
  const local = manifest.entries.filter(({ _tag }) => _tag === "Local").map((entry) => entry.function.name)
  return Object.fromEntries((names ?? local).map((name) => [name, () => Effect.dieMessage("The linter calls nothing")]))
}

/** Entries that keep messages are no tools; a store made of them finds the same problems. */
const internalProblems = (manifest: Manifest, binding: Parameters<typeof toTools>[1]) =>
  Effect.gen(function* () {
    const entries = manifest.entries.filter((entry): entry is ApiEntry => entry._tag === "Api" && isInternal(entry))
    // As in `lint`.
    const { all, problems } = yield* executorsOf(manifest, entries, binding) as Effect.Effect<
      Effect.Effect.Success<ReturnType<typeof executorsOf>>
    >
    const faults = entries.flatMap((entry) => {
      const { names } = parametersTaken(entry, [...entry.context, ...allNames])
      const found = all.get(entry.api.name.toLowerCase())?.check(addParameters(entry, names)) ?? []
      return [...contextFaults(entry), ...found].map((fault) => ManifestProblem.at(entry, fault))
    })
    return [...problems, ...faults]
  })

/** What two checks say alike is said once. */
const distinct = (
  problems: ReadonlyArray<ManifestProblem.ManifestProblem>
): ReadonlyArray<ManifestProblem.ManifestProblem> => [
  ...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()
]

/** What the models' APIs cannot say of the tools' parameters. */
const dialectProblems = (
  manifest: Manifest,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  dialects: ReadonlyArray<WireFormat.WireFormat>
): ReadonlyArray<ManifestProblem.ManifestProblem> =>
  definitions.flatMap((definition) => {
    const entry = manifest.entries.find((other) => other.function.name === definition.name)
    if (entry === undefined) return []
    return merged(definition, dialects).map(({ loss, titles }) =>
      ManifestProblem.at(entry, {
        severity: "warning",
        rule: "dialect-loss",
        message: `${loss.keyword} (${titles.join(", ")}): ${loss.reason}`,
        path: ["function", "parameters", ...loss.path, loss.keyword]
      })
    )
  })

const merged = (definition: ToolDefinition.ToolDefinition, dialects: ReadonlyArray<WireFormat.WireFormat>) => {
  const all = new Map<string, { readonly loss: Loss.Loss; readonly titles: Array<string> }>()
  for (const { encodeTools, title } of dialects) {
    for (const loss of encodeTools([definition]).losses) {
      const key = JSON.stringify([loss.path, loss.keyword, loss.reason])
      const known = all.get(key)
      if (known === undefined) all.set(key, { loss, titles: [title] })
      else if (!known.titles.includes(title)) known.titles.push(title)
    }
  }
  return [...all.values()]
}

/** Those that need no more than a client, which making them does not use. */
const own: ReadonlyArray<ExecutorFactory<HttpClient.HttpClient>> = [RestExecutor.factory, GraphQlExecutor.factory]

/** What is wrong with a configuration, as far as it can be known without its environment, and without asking its API. */
const problemsOf = (api: ApiDeclaration, factories: ReadonlyArray<ExecutorFactory<unknown>>) => {
  const { configuration } = api
  const variables = variablesOf(configuration)
  return interpolate(configuration).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(variables.map((name) => [name, name])))),
    Effect.matchEffect({
      onFailure: (faults) => Effect.succeed(faults.map((fault) => inConfiguration(api, fault))),
      onSuccess: (filled) => {
        const factory = own.find(({ types }) => types.includes(api.type))
        const other = factories.find(({ types }) => types.includes(api.type))
        // What the environment says of an address is not known here.
        return factory === undefined || variables.length > 0
          ? Effect.sync(() =>
              (other?.checkConfiguration?.(filled) ?? []).map((fault) => invalidConfiguration(api, fault))
            )
          : made(api, factory)
      }
    })
  )
}

const made = (api: ApiDeclaration, factory: ExecutorFactory<HttpClient.HttpClient>) => {
  // Linting asks no API for its schema.
  const { introspect: _introspect, ...configuration } = api.configuration
  return factory.make(configuration, { name: api.name, type: api.type, folder: undefined }).pipe(
    Effect.provideService(HttpClient.HttpClient, client),
    Effect.match({
      onFailure: ({ faults }) => faults.map((fault) => invalidConfiguration(api, fault)),
      onSuccess: () => []
    })
  )
}

const client = HttpClient.make(() => Effect.dieMessage("The linter sends nothing"))

/** By the names of their APIs in lower case: for each API that is known, or for all where nothing is known of any. */
const standIns = (
  manifest: Manifest,
  options: Options,
  factories: ReadonlyArray<ExecutorFactory<unknown>>,
  schemas: ReadonlyMap<string, GraphQLSchema>
): { readonly [name: string]: Executor } => {
  const given = Object.entries(options.executors ?? {}).map(([name, one]) => [name.toLowerCase(), one] as const)
  const declared = manifest.apis.flatMap((api) => {
    const name = api.name.toLowerCase()
    const check = checkOf(api, factories, schemas.get(name))
    return check === undefined ? [] : [[name, standIn(api.type, check)] as const]
  })
  // Tools alone say nothing of executors: the look of the entries does.
  const isBare = manifest.apis.length === 0 && options.executors === undefined
  const meant = isBare
    ? manifest.entries.flatMap((entry) => {
        if (entry._tag !== "Api") return []
        const name = entry.api.name.toLowerCase()
        return [[name, guessed(schemas.get(name))] as const]
      })
    : []
  return Object.fromEntries([...meant, ...declared, ...given])
}

type Check = Executor["check"]

const standIn = (kind: string, check: Check): Executor => ({
  kind,
  check,
  prepare: () => () => Effect.dieMessage("The linter calls nothing")
})

/** `undefined` for an unknown type, which loading reports. */
const checkOf = (
  { configuration, type }: ApiDeclaration,
  factories: ReadonlyArray<ExecutorFactory<unknown>>,
  schema: GraphQLSchema | undefined
): Check | undefined => {
  if (type === "graphql") return (entry) => checkGraphQl(entry, schema)
  if (type === "sql" || type === "jdbc") {
    const { url } = configuration
    const target =
      typeof url === "string" ? Either.getOrUndefined(targetOf({ url: Redacted.make(url) }, ".")) : undefined
    return target === undefined ? checkAnyDialect : (entry) => checkSql(entry, target.dialect)
  }
  return factories.find(({ types }) => types.includes(type))?.check
}

const guessed = (schema: GraphQLSchema | undefined): Executor =>
  standIn("guessed", (entry) => {
    if (entry.api.query === undefined) return checkRest(entry)
    return schema !== undefined || looksLikeGraphQl(entry.api.query)
      ? checkGraphQl(entry, schema)
      : checkAnyDialect(entry)
  })

/** Those that are given, and those that configurations hold. Problems of the latter belong to the configuration. */
const schemasOf = (manifest: Manifest, given: NonNullable<Options["schemas"]>) => {
  const all = new Map<string, GraphQLSchema>()
  const problems: Array<ManifestProblem.ManifestProblem> = []
  for (const { configuration, name, type } of manifest.apis) {
    if (type !== "graphql" || configuration["schema"] === undefined) continue
    const schema = readSchema(configuration["schema"])
    if (Either.isRight(schema)) all.set(name.toLowerCase(), schema.right)
  }
  for (const [name, text] of Object.entries(given)) {
    const schema = readSchema(text)
    if (Either.isRight(schema)) all.set(name.toLowerCase(), schema.right)
    else {
      const message = `The schema of the API ${JSON.stringify(name)}: ${schema.left.message}`
      problems.push(ManifestProblem.make({ severity: "error", rule: "graphql-schema", message }))
    }
  }
  return { all, problems }
}
