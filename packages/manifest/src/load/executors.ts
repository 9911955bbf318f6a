/** The executors of a manifest: those given by the program, and those that factories make. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import * as Options from "@wield/core/Options"
import type { Executor } from "../Executor.js"
import type { ExecutorFactory } from "../ExecutorFactory.js"
import type { ApiEntry } from "../ManifestEntry.js"
import * as Problems from "../ManifestProblem.js"
import type { Fault, ManifestProblem } from "../ManifestProblem.js"
import type { ApiDeclaration, ExecutorOptions, Manifest } from "../Manifest.js"
import { interpolate } from "./environment.js"

export interface Executors {
  readonly all: ReadonlyMap<string, Executor>
  readonly problems: ReadonlyArray<ManifestProblem>
}

/** A program without types may give anything; what is misspelt would be left out. */
export const executorChecks = {
  factories: Options.list(
    Options.holds(
      "a factory, such as RestExecutor.factory",
      (value) => Json.isObject(value) && typeof value["make"] === "function" && Array.isArray(value["types"])
    )
  ),
  executors: Options.record(
    Options.holds(
      "an executor, or an effect that makes one",
      (value) => Effect.isEffect(value) || (Json.isObject(value) && typeof value["prepare"] === "function")
    )
  )
} satisfies Options.Checks<ExecutorOptions>

/** What reads a text gives an Either or an effect of one. */
export const aManifest = Options.holds(
  "a manifest, such as the `right` of what `Manifest.parse` gives",
  (value) => Json.isObject(value) && Array.isArray(value["entries"]) && Array.isArray(value["apis"])
)

/** Of the APIs that these entries name. Types are erased: the signatures that programs see put them on again. */
export const executorsOf = (
  manifest: Manifest,
  entries: ReadonlyArray<ApiEntry>,
  options: ExecutorOptions
): Effect.Effect<Executors, unknown, unknown> =>
  Effect.gen(function* () {
    const all = new Map<string, Executor>()
    const problems: Array<ManifestProblem> = []
    const given = new Map(Object.entries(options.executors ?? {}).map(([name, one]) => [name.toLowerCase(), one]))
    const declared = new Map(manifest.apis.map((api) => [api.name.toLowerCase(), api]))
    for (const [name, users] of usersOf(entries)) {
      const own = given.get(name)
      const api = declared.get(name)
      if (own !== undefined) {
        all.set(name, Effect.isEffect(own) ? yield* own : own)
      } else if (api !== undefined) {
        const made = yield* Effect.either(fromDeclaration(api, options.factories ?? []))
        if (Either.isRight(made)) all.set(name, made.right)
        else problems.push(...made.left)
      } else {
        problems.push(
          ...users.map((entry) => Problems.at(entry, unknownExecutor(entry, [...given.keys(), ...declared.keys()])))
        )
      }
    }
    return { all, problems }
  })

const usersOf = (entries: ReadonlyArray<ApiEntry>): ReadonlyMap<string, ReadonlyArray<ApiEntry>> => {
  const users = new Map<string, Array<ApiEntry>>()
  for (const entry of entries) {
    const name = entry.api.name.toLowerCase()
    const others = users.get(name) ?? []
    users.set(name, others)
    others.push(entry)
  }
  return users
}

const unknownExecutor = (entry: ApiEntry, known: ReadonlyArray<string>): Fault => {
  const { name } = entry.api
  const advice = known.length === 0 ? "declare it in apis or give it in code" : `there are ${known.join(", ")}`
  const message = `There is no executor ${JSON.stringify(name)}${NearestNames.suggestion(name, known)}; ${advice}`
  return Problems.error("unknown-executor", message, ["api", "name"])
}

const fromDeclaration = (api: ApiDeclaration, factories: ReadonlyArray<ExecutorFactory<unknown>>) => {
  const factory = factories.find(({ types }) => types.includes(api.type))
  const located = (fault: Fault): ManifestProblem => inConfiguration(api, fault)
  if (factory === undefined) {
    const known = factories.flatMap(({ types }) => types)
    const message = `nothing makes executors of the type ${JSON.stringify(api.type)}${NearestNames.suggestion(api.type, known)}; pass its factory${
      known.length === 0 ? "" : ` (there are those of ${known.join(", ")})`
    }, or give the executor in code`
    return Effect.fail([located(Problems.error("unknown-api-type", message, ["type"]))])
  }
  return interpolate(api.configuration).pipe(
    Effect.mapError((faults) => faults.map(located)),
    Effect.flatMap((configuration) =>
      factory
        .make(configuration, { name: api.name, type: api.type, folder: folderOf(api.source?.file) })
        .pipe(Effect.mapError(({ faults }) => faults.map((fault) => invalidConfiguration(api, fault))))
    )
  )
}

export const invalidConfiguration = (api: ApiDeclaration, { message, path }: Pick<Fault, "message" | "path">) =>
  inConfiguration(api, Problems.error("api-configuration", message, path))

export const inConfiguration = (api: ApiDeclaration, fault: Fault): ManifestProblem => ({
  severity: fault.severity,
  rule: fault.rule,
  message: `The API ${JSON.stringify(api.name)}: ${fault.message}`,
  tool: undefined,
  path: [...(api.source?.path ?? []), ...fault.path],
  place: api.source?.at(fault.path, fault.offset)
})

export const folderOf = (file: string | undefined): string | undefined => {
  if (file === undefined) return undefined
  const end = Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\"))
  if (end === -1) return "."
  const folder = file.slice(0, end)
  // A root is named with its slash: `C:` is where a program stands on that drive.
  return /^(?:[a-z]:)?$/i.test(folder) ? file.slice(0, end + 1) : folder
}
