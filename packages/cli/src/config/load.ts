/** Finds a project's configuration and reads it. Code runs only where the folder is trusted. */
import { lstat } from "node:fs/promises"
import { basename, dirname, extname, join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import * as Json from "@wield/core/Json"
import {
  aContext,
  aName,
  anything,
  aText,
  type Check,
  type Checks,
  fields,
  holds,
  list,
  texts,
  toText
} from "@wield/core/Options"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Config, File } from "../Config.js"
import { messageOf, quote, Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { readData } from "./readData.js"
import { readFile } from "./readFile.js"
import { isTrusted, trust } from "./trust.js"

export interface Project {
  readonly config: Config
  /** The configuration's path. */
  readonly file: string
  /** Paths in the configuration begin here. */
  readonly folder: string
  readonly isTrusted: boolean
}

export interface Given {
  readonly config: Option.Option<string>
  readonly trust: boolean
}

const names = ["ts", "mts", "js", "mjs", "json", "yaml", "yml"].map((extension) => `wield.config.${extension}`)

const isCode = (file: string): boolean => /\.[cm]?[jt]s$/.test(file)

/** The configuration that is named, that of `WIELD_CONFIG`, or the nearest one. */
export const loadProject = (given: Given): Effect.Effect<Project, Refused> =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const named = Option.getOrUndefined(given.config) ?? shell.environment["WIELD_CONFIG"]
    const file =
      named === undefined || named === ""
        ? yield* Effect.flatMap(nearest(shell.folder), Option.match({ onNone: () => notFound, onSome: Effect.succeed }))
        : resolve(shell.folder, named)
    const folder = dirname(file)
    const isAllowed = given.trust || (yield* isTrusted(folder))
    if (!isCode(file)) {
      const data = yield* Effect.mapError(readData(file), configurationError)
      return { config: yield* decode(data, file), file, folder, isTrusted: isAllowed }
    }
    if (!isAllowed && !(yield* askToTrust(folder, file))) return yield* untrusted(folder, `${file} is code`)
    return { config: yield* loadCode(file), file, folder, isTrusted: true }
  })

/** A configuration that is not there, or cannot be read, is a wrong one. */
const configurationError = ({ message }: Refused): Refused => Refused.usage(message)

const untrusted = (folder: string, why: string) =>
  Refused.unusable(
    `${why}, and the folder is not trusted. Look at what is in it, then run: wield trust ${quote(folder)}\n` +
      `For this command only, give --trust`
  )

/** For commands that run tools: handlers, scripts and requests with what the environment holds. */
export const requireTrust = (project: Project): Effect.Effect<Project, Refused> =>
  Effect.gen(function* () {
    if (project.isTrusted) return project
    if (yield* askToTrust(project.folder, project.file)) return { ...project, isTrusted: true }
    return yield* untrusted(project.folder, `The tools of ${project.file} would run`)
  })

const askToTrust = (folder: string, file: string): Effect.Effect<boolean, Refused> =>
  Effect.gen(function* () {
    const shell = yield* Shell
    if (!shell.isInteractive) return false
    const answer = yield* shell.ask(`${file} can run code. Trust ${folder}? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) return false
    yield* trust(folder)
    return true
  })

/** The configuration of a folder or of one above, up to the one with `.git`. */
export const nearest = (start: string): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    for (let folder = start; ; folder = dirname(folder)) {
      const file = yield* configurationOf(folder)
      if (Option.isSome(file)) return file
      if ((yield* exists(join(folder, ".git"))) || dirname(folder) === folder) return Option.none()
    }
  })

/** The configuration of a folder itself. */
export const configurationOf = (folder: string): Effect.Effect<Option.Option<string>> =>
  Effect.gen(function* () {
    for (const name of names) if (yield* exists(join(folder, name))) return Option.some(join(folder, name))
    return Option.none()
  })

const notFound = Refused.usage(
  `No wield.config.ts, .js, .json or .yaml is here or above. Make one (wield new project), or give --config`
)

const exists = (path: string) =>
  Effect.promise(() =>
    lstat(path).then(
      () => true,
      () => false
    )
  )

const decode = (value: unknown, file: string): Effect.Effect<Config, Refused> =>
  Effect.mapError(Schema.decodeUnknown(File)(value, { errors: "all", onExcessProperty: "error" }), ({ issue }) => {
    if (isManifest(value)) {
      const written = JSON.stringify({ tools: [{ manifest: basename(file) }] })
      return Refused.usage(`${file} is a manifest. Expected a configuration that names it, such as ${written}`)
    }
    const lines = SchemaTree.linesOf(issue).map(
      ({ message, path }) => `${file}: ${path.length === 0 ? "" : `${path.join(".")}: `}${message}`
    )
    const more = lines.length > shown ? [`${file}: and ${lines.length - shown} more problems`] : []
    return Refused.usage([...lines.slice(0, shown), ...more].join("\n"))
  })

/** One wrong tool has as many issues as there are kinds of tools. */
const shown = 20

const isManifest = (value: unknown): boolean =>
  Json.isObject(value) &&
  Array.isArray(value["tools"]) &&
  value["tools"].some((tool) => Json.isObject(tool) && "function" in tool)

const loadCode = (file: string): Effect.Effect<Config, Refused> =>
  Effect.gen(function* () {
    // A pipe or a device would block the import.
    yield* Effect.mapError(readFile(file), configurationError)
    const module = yield* Effect.tryPromise({
      try: () => importCode(file),
      catch: (error) => Refused.usage(`${file} cannot be loaded: ${messageOf(error)}`)
    })
    const config = module["default"]
    if (typeof config !== "object" || config === null || !("tools" in config) || !Array.isArray(config.tools)) {
      return yield* Refused.usage(
        `${file}: expected a default export with tools: export default defineConfig({ tools: […] })`
      )
    }
    // Of a name that is misspelt, every call would run without being asked about.
    const problem = checkCode(config)
    if (problem !== undefined) return yield* Refused.usage(`${file}: ${toText(problem, "the configuration")}`)
    // `defineConfig` has its type; a wrong part is found where it is used.
    return config as unknown as Config
  })

const checkSource = fields({
  manifest: aName,
  scripts: aName,
  functions: aName,
  openapi: aName,
  mcp: anything,
  url: aText,
  prefix: aText,
  handlers: anything
})

/** What is of code has names of its own. */
const aSource: Check = (given, path) =>
  Json.isPlain(given) && ["manifest", "scripts", "functions", "openapi", "mcp"].some((name) => name in given)
    ? checkSource(given, path)
    : undefined

const checkCode = fields({
  $schema: aText,
  tools: list(aSource),
  layer: anything,
  context: aContext,
  approval: anything,
  // There it would be passed over, and every call would run.
  policy: holds(
    "a policy without `approval` and `journal`: `approval` stands beside it",
    (value) => Json.isObject(value) && value["approval"] === undefined && value["journal"] === undefined
  ),
  model: anything,
  timeout: holds("a number of seconds above 0", (value) => typeof value === "number" && value > 0),
  allowedHosts: texts,
  instructions: aText,
  toolsets: aName,
  store: aName
} satisfies Checks<Config & { readonly $schema: string }>)

const importCode = async (file: string): Promise<{ readonly [name: string]: unknown }> => {
  // Node 20 reads no TypeScript; a newer one no TypeScript with enums.
  if (!/\.[cm]?ts$/.test(extname(file))) return import(pathToFileURL(file).href)
  if (/[#%?]/.test(file)) (await import("node:module")).register(pathsForJiti)
  const { createJiti } = await import("jiti")
  // A cache would be written into the project's folder.
  return createJiti(import.meta.url, { fsCache: false }).import(file)
}

/**
 * jiti imports packages by their paths, in which Node reads `#`, `%` and `?` as parts of a URL. What then fails it compiles
 * itself, with all of Effect: for half a minute, and as a second copy of what the command has loaded.
 */
const pathsForJiti = `data:text/javascript,${encodeURIComponent(`
import { pathToFileURL } from "node:url"
export const resolve = (name, context, next) =>
  next(name.startsWith("/") ? pathToFileURL(name).href : name, context)
`)}`
