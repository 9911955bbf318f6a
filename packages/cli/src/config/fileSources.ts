/** Tools from files and folders. Where a folder is not trusted, or only definitions are wanted, nothing can run. */
import * as Toolset from "@wield/core/Toolset"
import { isError } from "@wield/core/Problem"
import * as HttpGuard from "@wield/http/HttpGuard"
import type { Executor } from "@wield/manifest"
import * as GraphQlExecutor from "@wield/manifest/GraphQlExecutor"
import * as Manifest from "@wield/manifest/Manifest"
import * as RestExecutor from "@wield/manifest/RestExecutor"
import { toLine } from "@wield/manifest/ManifestError"
import * as FunctionFile from "@wield/scripts/FunctionFile"
import * as FunctionFolder from "@wield/scripts/FunctionFolder"
import * as ScriptExecutor from "@wield/scripts/ScriptExecutor"
import * as ScriptFolder from "@wield/scripts/ScriptFolder"
import type { Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { FileSource } from "../Config.js"
import type { Loading, Platform, Tools } from "./gather.js"
import { readData } from "./readData.js"

type Loaded = Effect.Effect<Tools, unknown, Platform | Scope.Scope>

type Of<Key extends string> = Extract<FileSource, { readonly [K in Key]: unknown }>

export const fromManifest = (
  source: Of<"manifest"> & { readonly handlers?: Manifest.Options["handlers"] },
  loading: Loading
): Loaded =>
  Effect.flatMap(Manifest.load(loading.at(source.manifest)), (manifest) =>
    bind(manifest, loading, source.handlers ?? {})
  )

export const fromOpenApi = (source: Of<"openapi">, loading: Loading): Loaded =>
  Effect.gen(function* () {
    const file = loading.at(source.openapi)
    const manifest = yield* Manifest.fromOpenApi(yield* readData(file), {
      url: source.url,
      isVerified: true
    })
    return yield* bind(manifest, loading, {})
  })

const bind = (
  manifest: Manifest.Manifest,
  { project, purpose, report }: Loading,
  given: NonNullable<Manifest.Options["handlers"]>
): Loaded =>
  Effect.gen(function* () {
    for (const problem of manifest.problems) report("warning", toLine(problem))
    const locals = manifest.entries.flatMap((entry) => (entry._tag === "Local" ? [entry.function.name] : []))
    const handlers = { ...Object.fromEntries(locals.map((name) => [name, withoutHandler(name)])), ...given }
    // The manifest has reported its warnings above.
    const quiet = { ...manifest, problems: [] }
    // What handlers require is in the context of their calls.
    if (purpose === "describe" || !project.isTrusted) {
      return (yield* Manifest.toToolset(quiet, { handlers, executors: standIns(manifest) })) as unknown as Tools
    }
    const isSql = manifest.apis.some(({ type }) => type === "sql" || type === "jdbc")
    const sql = isSql ? [(yield* Effect.promise(() => import("@wield/manifest/SqlExecutor"))).factory] : []
    const factories = [RestExecutor.factory, GraphQlExecutor.factory, ...sql]
    const http = yield* Layer.build(HttpGuard.layer({ allowedHosts: project.config.allowedHosts }))
    return (yield* Effect.provide(Manifest.toToolset(quiet, { handlers, factories }), http)) as unknown as Tools
  })

const withoutHandler = (name: string) => () =>
  Effect.fail(`The tool ${name} is run by the program, which is not here: give its handler in wield.config.ts`)

/** They check as the executors do, and run nothing. */
const standIns = ({ apis, entries }: Manifest.Manifest): { readonly [api: string]: Executor.Executor } =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      if (entry._tag !== "Api") return []
      const name = entry.api.name.toLowerCase()
      const type = apis.find((api) => api.name.toLowerCase() === name)?.type ?? ""
      const factory = [RestExecutor.factory, GraphQlExecutor.factory].find(({ types }) => types.includes(type))
      const check = factory?.check ?? (() => [])
      return [[name, { kind: type, check, prepare: () => () => Effect.dieMessage("Nothing runs here") }]]
    })
  )

export const fromScripts = (source: Of<"scripts">, loading: Loading): Loaded =>
  Effect.gen(function* () {
    const read = yield* ScriptFolder.load(loading.at(source.scripts))
    // A script's first line can name any program, which only a trusted folder may start.
    const executor = loading.project.isTrusted
      ? yield* ScriptExecutor.make()
      : { ...stopped, check: () => Effect.succeed([]) }
    const { problems, tools } = yield* ScriptFolder.toTools(read, executor)
    reportAll([...read.problems, ...problems], loading)
    return yield* Toolset.dynamic(tools)
  })

export const fromFunctions = (source: Of<"functions">, loading: Loading): Loaded =>
  Effect.gen(function* () {
    const executor = loading.project.isTrusted ? yield* ScriptExecutor.make() : undefined
    const read = yield* FunctionFolder.load([loading.at(source.functions)], { executor })
    reportAll(read.problems, loading)
    return yield* FunctionFile.toToolset(read.files, { executor: executor ?? stopped })
  })

const stopped = {
  run: () => Effect.dieMessage("Nothing runs here"),
  runFunctionFile: () => Effect.dieMessage("Nothing runs here"),
  forget: () => Effect.void
}

const reportAll = (problems: ReadonlyArray<Problem>, { report }: Loading) => {
  for (const problem of problems) {
    const where =
      problem.place === undefined ? problem.file : `${problem.file}:${problem.place.line}:${problem.place.column}`
    report(isError(problem) ? "error" : "warning", `${where}: ${problem.message}`)
  }
}
