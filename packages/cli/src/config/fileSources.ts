/** Tools from manifests and specifications. Where a folder is not trusted, or only definitions are wanted, nothing can run. */
import type { Executor, ExecutorFactory } from "@wield/manifest"
import * as Manifest from "@wield/manifest/Manifest"
import { toLine } from "@wield/manifest/ManifestError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { FileSource } from "../Config.js"
import type { Loading, Platform, Tools } from "./gather.js"
import { readData } from "./readData.js"

export type Loaded = Effect.Effect<Tools, unknown, Platform | Scope.Scope>

export type Of<Key extends string> = Extract<FileSource, { readonly [K in Key]: unknown }>

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
    const manifest = yield* Manifest.fromOpenApi(yield* readData(file), { url: source.url })
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
    const factories = yield* factoriesFor(manifest)
    // What handlers require is in the context of their calls.
    if (purpose === "describe" || !project.isTrusted) {
      // A manifest's tools have names that only the run time knows.
      return (yield* Manifest.toToolset(quiet, {
        handlers,
        executors: standIns(manifest, factories)
      })) as unknown as Tools
    }
    const isSql = manifest.apis.some(({ type }) => type === "sql" || type === "jdbc")
    const sql = isSql ? [(yield* Effect.promise(() => import("@wield/manifest/SqlExecutor"))).factory] : []
    const options = { handlers, factories: [...factories, ...sql] }
    const HttpGuard = yield* Effect.promise(() => import("@wield/http/HttpGuard"))
    const http = yield* Layer.build(
      HttpGuard.layer({ allowedHosts: project.config.allowedHosts, allowedHostsOf: project.file })
    )
    // As above.
    return (yield* Effect.provide(Manifest.toToolset(quiet, options), http)) as unknown as Tools
  })

/** Those that send requests; they are loaded where there are APIs. */
const factoriesFor = ({ entries }: Manifest.Manifest) =>
  Effect.promise(async () => {
    if (!entries.some(({ _tag }) => _tag === "Api")) return []
    const [{ factory: graphQl }, { factory: rest }] = await Promise.all([
      import("@wield/manifest/GraphQlExecutor"),
      import("@wield/manifest/RestExecutor")
    ])
    return [rest, graphQl]
  })

const withoutHandler = (name: string) => () =>
  Effect.fail(`The tool ${name} is run by the program, which is not here: give its handler in wield.config.ts`)

/** They check as the executors do, and run nothing. */
const standIns = (
  { apis, entries }: Manifest.Manifest,
  factories: ReadonlyArray<ExecutorFactory.ExecutorFactory<unknown>>
): { readonly [api: string]: Executor.Executor } =>
  Object.fromEntries(
    entries.flatMap((entry) => {
      if (entry._tag !== "Api") return []
      const name = entry.api.name.toLowerCase()
      const type = apis.find((api) => api.name.toLowerCase() === name)?.type ?? ""
      const factory = factories.find(({ types }) => types.includes(type))
      const check = factory?.check ?? (() => [])
      return [[name, { kind: type, check, prepare: () => () => Effect.dieMessage("Nothing runs here") }]]
    })
  )
