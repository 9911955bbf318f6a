/** Tools from a file: read it, give what runs its calls, and have a toolset. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { Facts, ToolsetError } from "@wield/core"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import { anything, aText, type Checks, fields, holds, list, orThrow, record, texts } from "@wield/core/Options"
import type * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Arguments, Executor } from "./Executor.js"
import type { ExecutorFactory } from "./ExecutorFactory.js"
import type * as FromGraphQl from "./FromGraphQl.js"
import type * as Binding from "./load/requirements.js"
import { bindTools } from "./load/bind.js"
import { checkOptions } from "./file/options.js"
import { build, readTexts, referencesOf, type Texts } from "./load/build.js"
import { aManifest, executorChecks, executorsOf, folderOf } from "./load/executors.js"
import { factsOf } from "./load/facts.js"
import { finish, rules } from "./load/parts.js"
import { read } from "./file/read.js"
import { InvalidManifest, UnreadableManifest } from "./ManifestError.js"
import type { Entry, Source } from "./ManifestEntry.js"
import * as OpenApi from "./OpenApi.js"
import type { ManifestProblem } from "./ManifestProblem.js"
import { isInternal as isInternalEntry } from "./load/parameters.js"

/**
 * A manifest: what was read, as data, without secrets.
 *
 * @category models
 */
export interface Manifest {
  readonly entries: ReadonlyArray<Entry>
  readonly apis: ReadonlyArray<ApiDeclaration>
  /** Hidden fields of all entries that name none themselves, with their marks (`region?`); already applied to them. */
  readonly context: ReadonlyArray<string>
  readonly prompt: string | undefined
  /** As the file has it. */
  readonly model: Json.JsonSchema | undefined
  /** Warnings: a text with errors gives no manifest. */
  readonly problems: ReadonlyArray<ManifestProblem>
}

/**
 * An API as a configuration declares it; `${NAME}` is not filled in.
 *
 * @category models
 */
export interface ApiDeclaration {
  /** `default` where the configuration gives no name. */
  readonly name: string
  /** Lower case. */
  readonly type: string
  /** Without `type`. */
  readonly configuration: { readonly [key: string]: unknown }
  readonly source: Source | undefined
}

/**
 * The configuration of an API as a file has it, with what its type needs besides.
 *
 * @category models
 */
export type ApiConfiguration = { readonly type: string } | { readonly type: string; readonly [key: string]: unknown }

/**
 * Handles calls of a local tool with valid arguments, hidden fields included.
 *
 * @category models
 */
export type Handler<R = never> = (parameters: Arguments) => Effect.Effect<unknown, unknown, R>

/**
 * A local tool that is defined in code, for files that have only its name.
 *
 * @category models
 */
export interface LocalTool<R = never> {
  readonly description?: string | undefined
  readonly parameters?: Json.JsonSchema | undefined
  readonly facts?: Partial<Facts.Facts> | undefined
  readonly handle: Handler<R>
}

/**
 * What makes or is the executors of a manifest.
 *
 * @category models
 */
export interface ExecutorOptions {
  /** Make executors of the `apis` of the manifest, each of its own types. */
  readonly factories?: ReadonlyArray<ExecutorFactory<unknown>> | undefined
  /** Executors, or effects that make them, by the names of their APIs in any case; they come before what `apis` declares. */
  readonly executors?: { readonly [name: string]: Executor | Effect.Effect<Executor, unknown, unknown> } | undefined
}

/**
 * What a program gives a manifest, so that its tools can be run.
 *
 * @category models
 */
export interface Options extends ExecutorOptions {
  /** What handles local tools, by their names. */
  readonly handlers?: { readonly [name: string]: Handler<unknown> | LocalTool<unknown> } | undefined
}

/**
 * How a text is read.
 *
 * @category models
 */
export interface ParseOptions {
  /** The file that problems name; its extension decides between JSON and YAML. */
  readonly file?: string | undefined
  /** The texts of files of client tools, by their paths as `functions` has them. */
  readonly files?: Texts | undefined
}

/**
 * A manifest from JSON, JSON with comments, or YAML. Fails with all that is wrong and where; warnings are `problems`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Manifest } from "@wield/manifest"
 * import { Either } from "effect"
 *
 * const manifest = Manifest.parse("- { type: api, function: { name: advice }, api: { path: /advice, method: 7 } }")
 * assert.match(Either.isLeft(manifest) ? manifest.left.message : "", /manifest:1:74: api.method must be a text, but is 7/)
 * ```
 *
 * @category constructors
 */
export const parse = (text: string, options: ParseOptions = {}): Either.Either<Manifest, InvalidManifest> => {
  orThrow(aText(text), "The text of a manifest")
  orThrow(checkParse(options), "How a manifest is read")
  return build(read(text, options.file), readTexts(options.files))
}

const checkParse = fields({ file: aText, files: record(aText) } satisfies Checks<ParseOptions>)

/**
 * A manifest from a file, and the files of client tools it names, relative to it.
 *
 * @category constructors
 */
export const load = (
  file: string,
  options: Pick<ParseOptions, "files"> = {}
): Effect.Effect<Manifest, InvalidManifest | UnreadableManifest, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    orThrow(aText(file), "The file of a manifest")
    orThrow(checkParse(options), "How a manifest is read")
    const source = read(yield* textOf(file), file)
    const given = readTexts(options.files)
    const missing = referencesOf(source.value).filter(({ isFile, text }) => isFile && !given.has(text))
    const found = yield* Effect.forEach(missing, ({ text }) => clientFile(folderOf(file) ?? ".", text))
    return yield* build(source, new Map([...given, ...found.flat()]))
  })

/** Bytes of one file. A device or a pipe may have no end at all, and what is read may grow meanwhile. */
const largest = 16 * 1024 * 1024

const textOf = (file: string): Effect.Effect<string, UnreadableManifest, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const { size, type } = yield* files.stat(file)
    if (type !== "File") return yield* unreadable(file, "it is no regular file")
    if (size > largest) {
      return yield* unreadable(file, `it has more than ${largest / 1024 / 1024} MiB; split it into several`)
    }
    return yield* files.stream(file, { bytesToRead: largest }).pipe(Stream.decodeText(), Stream.mkString)
  }).pipe(Effect.catchTag("BadArgument", "SystemError", ({ message }) => unreadable(file, message)))

const unreadable = (file: string, detail: string) => new UnreadableManifest({ file, detail })

/** One that is not there is a problem of the configuration, at its place, as all others are. */
const clientFile = (folder: string, path: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const file = (yield* Path.Path).resolve(folder, path)
    const isThere = yield* Effect.orElseSucceed(files.exists(file), () => false)
    return isThere ? [[path, read(yield* textOf(file), file)] as const] : []
  })

/**
 * The manifest of a file, again whenever it changes; a broken file is a `Left`. Files of client tools are not watched.
 *
 * @category constructors
 */
export const watch = (
  file: string,
  options: Pick<ParseOptions, "files"> = {}
): Stream.Stream<
  Either.Either<Manifest, InvalidManifest | UnreadableManifest>,
  UnreadableManifest,
  FileSystem.FileSystem | Path.Path
> => {
  const current = Effect.either(load(file, options))
  const name = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1)
  // The folder is watched: an editor that replaces the file would take the watched one away.
  const changes = Stream.unwrap(Effect.map(FileSystem.FileSystem, (files) => files.watch(folderOf(file) ?? "."))).pipe(
    Stream.mapError((error) => new UnreadableManifest({ file, detail: error.message })),
    Stream.filter(({ path }) => path === name || path.endsWith(`/${name}`) || path.endsWith(`\\${name}`)),
    // Editors write a file in several steps; within this time they count as one.
    Stream.debounce("100 millis"),
    Stream.mapEffect(() => current)
  )
  return Stream.merge(Stream.fromEffect(current), changes)
}

/**
 * A manifest from entries that were made in code or imported.
 *
 * @category constructors
 */
export const fromEntries = (
  entries: ReadonlyArray<Entry>,
  options: {
    /** As in a file, by name. */
    readonly apis?: { readonly [name: string]: ApiConfiguration } | undefined
    readonly context?: ReadonlyArray<string> | undefined
    readonly prompt?: string | undefined
    readonly model?: Json.JsonSchema | undefined
    /** What is already known to be wrong. */
    readonly problems?: ReadonlyArray<ManifestProblem> | undefined
  } = {}
): Either.Either<Manifest, InvalidManifest> => {
  orThrow(list(anEntry)(entries), "The entries of a manifest")
  orThrow(checkFromEntries(options), "What else a manifest is made from")
  const { context = [], model, problems = [], prompt } = options
  const wrong: Array<ManifestProblem> = []
  const apis = Object.entries(options.apis ?? {}).flatMap(([name, { type, ...configuration }]) => {
    // Without a compiler it may be left out.
    if (typeof type === "string") return [{ name, type: type.toLowerCase(), configuration, source: undefined }]
    const path = ["apis", name, "type"]
    const message = `${Issue.pathToText(path)} must be a text, such as "rest", but is ${Issue.show(type)}`
    wrong.push({ severity: "error", rule: "type", message, tool: undefined, path, place: undefined })
    return []
  })
  return finish({ entries, apis, context, prompt, model }, [...problems, ...wrong])
}

const anEntry = holds(
  "an entry, such as ManifestEntry.local(…)",
  (value) => Json.isObject(value) && Json.isObject(value["function"]) && Array.isArray(value["context"])
)

const checkFromEntries = fields({
  apis: record(holds("an object with its type", Json.isPlain)),
  context: texts,
  prompt: aText,
  model: holds("a JSON Schema", Json.isObject),
  problems: list(anything)
} satisfies Checks<NonNullable<Parameters<typeof fromEntries>[1]>>)

/**
 * Several manifests as one, with the first prompt and model. The same name twice is an error.
 *
 * @category combinators
 */
export const combine = (...manifests: ReadonlyArray<Manifest>): Either.Either<Manifest, InvalidManifest> => {
  const apis = manifests.flatMap((manifest) => manifest.apis)
  const parts = {
    entries: manifests.flatMap(({ entries }) => entries),
    apis,
    context: [...new Set(manifests.flatMap(({ context }) => context))],
    prompt: manifests.find(({ prompt }) => prompt !== undefined)?.prompt,
    model: manifests.find(({ model }) => model !== undefined)?.model
  }
  // What the rules find is found again over all entries.
  const found = manifests.flatMap(({ entries, problems }) => {
    const again = new Set(rules(entries).map(({ message, path, rule }) => `${rule} ${path.join(" ")} ${message}`))
    return problems.filter(({ message, path, rule }) => !again.has(`${rule} ${path.join(" ")} ${message}`))
  })
  return finish(parts, [...found, ...sameApis(apis)])
}

const sameApis = (apis: ReadonlyArray<ApiDeclaration>): ReadonlyArray<ManifestProblem> =>
  apis.flatMap(({ name, source }, index) => {
    const isFirst = apis.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index
    const message = `The API ${JSON.stringify(name)} is declared twice; leave one of them out`
    const place = source?.at([])
    return isFirst
      ? []
      : [{ severity: "error", rule: "duplicate-api", message, tool: undefined, path: source?.path ?? [], place }]
  })

/**
 * A manifest from a GraphQL schema, with its API; loads GraphQL. What is not imported is among its `problems`.
 *
 * @category constructors
 */
export const fromGraphQL = (
  schema: Parameters<typeof FromGraphQl.entries>[0],
  options: FromGraphQl.Options & {
    /** The configuration of the API, such as `{ type: "graphql", url: "https://…" }`. */
    readonly configuration?: ApiConfiguration | undefined
  } = {}
): Effect.Effect<Manifest, InvalidManifest | Effect.Effect.Error<ReturnType<typeof FromGraphQl.entries>>> =>
  Effect.gen(function* () {
    yield* checkOptions(holds("an object", Json.isPlain), options)
    const { configuration, ...rest } = options
    // It brings GraphQL's reference implementation along.
    const FromGraphQl = yield* Effect.promise(() => import("./FromGraphQl.js"))
    const { entries, problems } = yield* FromGraphQl.entries(schema, rest)
    return yield* fromEntries(entries, {
      apis: configuration === undefined ? {} : { [rest.api ?? "default"]: configuration },
      problems: problems.map(asWarning)
    })
  })

/**
 * A manifest from an OpenAPI specification, with its APIs. What is not imported is among its `problems`.
 *
 * @category constructors
 */
export const fromOpenApi = (
  specification: unknown,
  options: OpenApi.Options = {}
): Effect.Effect<Manifest, InvalidManifest | Effect.Effect.Error<ReturnType<typeof OpenApi.entries>>> =>
  Effect.flatMap(OpenApi.entries(specification, options), ({ apis, entries, problems }) =>
    // Where nothing is left, what was wrong is not a matter of some operations.
    fromEntries(entries, { apis, problems: entries.length === 0 ? problems : problems.map(asWarning) })
  )

/** What is left out keeps the rest from nothing. A name of what is to be hidden or kept out, and is not, does. */
const asWarning = (problem: ManifestProblem): ManifestProblem =>
  problem.rule === "unmatched-context" || problem.rule === "unmatched-exclude"
    ? problem
    : { ...problem, severity: "warning" }

/**
 * The toolset of a manifest: each entry of type `api` with its executor, each
 * `local` one with its handler, each `client` one deferred. It can be changed
 * while it is in use: `replace` takes what `toTools` makes of another manifest.
 *
 * Fails with all that keeps tools from being run: an undeclared
 * executor, an environment variable that is not set, a placeholder without a
 * parameter, a local tool without a handler. Warnings are logged.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall, ToolRunner } from "@wield/core"
 * import { Manifest } from "@wield/manifest"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const manifest = yield* Manifest.parse('[{ "type": "local", "function": { "name": "greet" } }]')
 *   const toolset = yield* Manifest.toToolset(manifest, { handlers: { greet: () => Effect.succeed("Hello") } })
 *   return yield* (yield* ToolRunner.make(toolset)).forRun({ context: {} }).run(ToolCall.make("call_1", "greet", "{}"))
 * })
 * Effect.runPromise(program).then((outcome) => assert.strictEqual(outcome._tag, "Success"))
 * ```
 *
 * @category conversions
 */
export const toToolset = <O extends Options = {}>(
  manifest: Manifest,
  options?: O & Options
): Binding.Bound<
  Toolset.DynamicToolset<Binding.HandlerRequirements<O>>,
  O,
  Exclude<ToolsetError, { readonly _tag: "InvalidPolicy" }>
> =>
  // As in `toTools`.
  Effect.map(bindTools(manifest, options ?? {}), ({ toolset }) => toolset) as Binding.Bound<
    Toolset.DynamicToolset<Binding.HandlerRequirements<O>>,
    O,
    Exclude<ToolsetError, { readonly _tag: "InvalidPolicy" }>
  >

/**
 * The tools of a manifest, for a dynamic toolset that has others or `replace`s them.
 *
 * @category conversions
 */
export const toTools = <O extends Options = {}>(
  manifest: Manifest,
  options?: O & Options
): Binding.Bound<ReadonlyArray<Toolset.DynamicTool<Binding.HandlerRequirements<O>>>, O> =>
  // Inside, what handlers and executors require is erased; the options say it.
  Effect.map(bindTools(manifest, options ?? {}), ({ tools }) => tools) as Binding.Bound<
    ReadonlyArray<Toolset.DynamicTool<Binding.HandlerRequirements<O>>>,
    O
  >

/**
 * The executors of APIs that entries name, by their names in lower case.
 *
 * @category conversions
 */
export const executors = <O extends ExecutorOptions = {}>(
  manifest: Manifest,
  options?: O & ExecutorOptions
): Binding.Bound<ReadonlyMap<string, Executor>, O> =>
  Effect.gen(function* () {
    orThrow(aManifest(manifest), "What has the APIs")
    orThrow(fields(executorChecks)(options ?? {}), "What the manifest is given")
    const entries = manifest.entries.filter((entry) => entry._tag === "Api")
    const { all, problems } = yield* executorsOf(manifest, entries, options ?? {})
    return problems.length === 0 ? all : yield* new InvalidManifest({ problems })
    // As in `toTools`.
  }) as Binding.Bound<ReadonlyMap<string, Executor>, O>

/**
 * Whether an entry keeps messages (`InternalSaveChatMessage`, `InternalGetChatMessages`) and is offered to no model.
 *
 * @category guards
 */
export const isInternal = (entry: Entry): boolean => isInternalEntry(entry)

/**
 * The facts that an entry states or implies. `kind` is its executor's, such as `sql`, where it is known.
 *
 * @category conversions
 */
export const facts = (entry: Entry, kind?: string): Facts.Facts => factsOf(entry, kind)
