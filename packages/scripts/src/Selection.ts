/**
 * Which files of a folder are read and which of their tools are offered, as
 * Loki's configuration says it: `visible_tools`, `enabled_tools` and
 * `mapping_tools` for all, `enabled_tools` for a role, `global_tools` for an
 * agent.
 */
import * as Json from "@wield/core/Json"
import * as NearestNames from "@wield/core/NearestNames"
import { fields, orThrow, texts } from "@wield/core/Options"
import * as Toolset from "@wield/core/Toolset"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Either from "effect/Either"
import * as select from "./folder/select.js"
import * as Schema from "effect/Schema"
import type { Problem } from "@wield/core/Problem"
import * as SchemaTree from "@wield/core/SchemaTree"
import type { ScriptFolder } from "./ScriptFolder.js"
import { InvalidSelection } from "./SelectionError.js"

/**
 * Which files and tools are taken.
 *
 * An alias is the name of several tools; its members may be aliases themselves.
 * An alias that has the name of a tool hides it, and may have it for a member.
 *
 * @category models
 */
export interface Selection {
  /** Names of files with their extensions; absent for all files. */
  readonly visibleTools: ReadonlyArray<string> | undefined
  /** Names of tools and of aliases; none where it is empty. */
  readonly enabledTools: "all" | ReadonlyArray<string>
  /** Names for several tools. Members are names of tools, or of other aliases. */
  readonly mappingTools: { readonly [alias: string]: ReadonlyArray<string> }
  /** What its problems name: the file it was read from. */
  readonly file: string
}

/**
 * Which tools a role may use; absent where the role does not say, and all that
 * are enabled anyway remain.
 *
 * @category models
 */
export interface Role {
  readonly enabledTools: "all" | ReadonlyArray<string> | undefined
}

/**
 * The files whose tools an agent has besides its own.
 *
 * @category models
 */
export interface Agent {
  readonly globalTools: ReadonlyArray<string>
}

/**
 * A selection made in code: all of a folder, unless it says otherwise.
 *
 * @category constructors
 */
export const make = (parts: Partial<Selection> = {}): Selection => {
  orThrow(fields(select.selectionChecks)(parts), "What `Selection.make` takes")
  return {
    visibleTools: parts.visibleTools,
    enabledTools: parts.enabledTools ?? "all",
    mappingTools: parts.mappingTools ?? {},
    file: parts.file ?? "selection"
  }
}

/**
 * The selection of a configuration that has been read from YAML or JSON. Keys
 * other than `visible_tools`, `enabled_tools` and `mapping_tools` are for
 * others, unless they are almost one of these.
 *
 * - `visible_tools`: names of files with their extensions. Absent or null, all
 *   files are read.
 * - `enabled_tools`: `all`, or names of tools and aliases. Absent or null, no
 *   tool is enabled.
 * - `mapping_tools`: names of tools by alias.
 *
 * Names stand in a list, or in a text with commas between them.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Selection } from "@wield/scripts"
 * import { Either } from "effect"
 *
 * const selection = Selection.decode({
 *   model: "openai:gpt-4o",
 *   visible_tools: ["fs_cat.sh", "web_search.py"],
 *   enabled_tools: "fs, web_search",
 *   mapping_tools: { fs: "fs_cat, fs_ls" }
 * })
 * assert.deepStrictEqual(Either.getOrThrow(selection).mappingTools, { fs: ["fs_cat", "fs_ls"] })
 *
 * const misspelt = Selection.decode({ visible_tool: ["fs_cat.sh"] }, { file: "config.yaml" })
 * assert.ok(Either.isLeft(misspelt))
 * assert.strictEqual(misspelt.left.message, "config.yaml: visible_tool: is not known; visible_tools is")
 * ```
 *
 * @category decoding
 */
export const decode = (
  configuration: unknown,
  { file = "selection" }: { readonly file?: string | undefined } = {}
): Either.Either<Selection, InvalidSelection> =>
  Either.map(decodeKeys(configuration, file), ({ enabled_tools, mapping_tools, visible_tools }) => ({
    visibleTools: visible_tools === undefined || visible_tools === null ? undefined : namesOf(visible_tools),
    enabledTools: enabledOf(enabled_tools),
    mappingTools: Object.fromEntries(
      Object.entries(mapping_tools ?? {}).map(([alias, names]) => [alias, namesOf(names)])
    ),
    file
  }))

/**
 * The `enabled_tools` of a role: null for none; absent, the role has those of
 * all.
 *
 * @category decoding
 */
export const decodeRole = (
  configuration: unknown,
  { file = "role" }: { readonly file?: string | undefined } = {}
): Either.Either<Role, InvalidSelection> =>
  Either.map(decodeKeys(configuration, file), ({ enabled_tools }) => ({
    enabledTools: enabled_tools === undefined ? undefined : enabledOf(enabled_tools)
  }))

/**
 * The `global_tools` of an agent: none where they are absent or null.
 *
 * @category decoding
 */
export const decodeAgent = (
  configuration: unknown,
  { file = "agent" }: { readonly file?: string | undefined } = {}
): Either.Either<Agent, InvalidSelection> =>
  Either.map(decodeKeys(configuration, file), ({ global_tools }) => ({ globalTools: namesOf(global_tools) }))

/** A list, or its members with commas between them; nothing, where there is null. */
const Names = Schema.Union(Schema.String, Schema.Array(Schema.String), Schema.Null).annotations({
  message: () => ({
    message: 'must be a list of names, or names with commas between them, such as "fs, web_search"',
    override: true
  })
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Configuration = Schema.Struct({
  visible_tools: optional(Names),
  enabled_tools: optional(Names),
  mapping_tools: optional(
    Schema.Record({ key: Schema.String, value: Names }).annotations({
      message: () => 'must be an object of names by alias, such as { "fs": "fs_cat, fs_ls" }'
    })
  ),
  global_tools: optional(Names)
}).annotations({ message: () => 'must be an object with keys such as "enabled_tools"' })

type NamesOf = string | ReadonlyArray<string> | null | undefined

const namesOf = (names: NamesOf): ReadonlyArray<string> =>
  (typeof names === "string" ? names.split(",") : (names ?? []))
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** `all` alone, or among others. */
const enabledOf = (names: NamesOf): "all" | ReadonlyArray<string> => {
  const listed = namesOf(names)
  return listed.includes("all") ? "all" : listed
}

/** A key without a value, as YAML has it. */
const withoutNoAliases = (value: unknown): unknown => {
  if (!Json.isObject(value) || value["mapping_tools"] !== null) return value
  const { mapping_tools: _, ...rest } = value
  return rest
}

const keys = Object.keys(Configuration.fields)

const decodeKeys = (
  value: unknown,
  file: string
): Either.Either<Schema.Schema.Type<typeof Configuration>, InvalidSelection> => {
  /** Each as `path: what is wrong`. */
  const invalid = (details: ReadonlyArray<string>) => Either.left(new InvalidSelection({ file, details }))
  const decoded = Schema.decodeUnknownEither(Configuration, { errors: "all" })(withoutNoAliases(value))
  if (Either.isLeft(decoded)) {
    return invalid(
      SchemaTree.linesOf(decoded.left.issue).map(({ message, path }) =>
        path.length === 0 ? message : `${path.join(".")}: ${message}`
      )
    )
  }
  // The configuration holds much else, but nothing else that is almost one of these.
  const misspelt = Object.keys(Object(value)).flatMap((key) => {
    const meant = keys.includes(key) ? undefined : NearestNames.nearest(key, keys, 2)
    return meant === undefined ? [] : [`${key}: is not known; ${meant} is`]
  })
  return misspelt.length > 0 ? invalid(misspelt) : Either.right(decoded.right)
}

/**
 * The selection while a role is taken.
 *
 * @category combinators
 */
export const forRole = (selection: Selection, role: Role): Selection => {
  orThrow(fields({ enabledTools: select.names })(role), "The role of a selection")
  return { ...selection, enabledTools: role.enabledTools ?? selection.enabledTools }
}

/**
 * What an agent has of the folder of all: every tool of the files that it
 * names, whatever is enabled elsewhere. The tools of its own folder are always
 * on: `Toolset.combine` puts both together.
 *
 * @category combinators
 */
export const forAgent = (selection: Selection, agent: Agent): Selection => {
  orThrow(fields({ globalTools: texts }, ["globalTools"])(agent), "The agent of a selection")
  return {
    ...selection,
    visibleTools: agent.globalTools,
    enabledTools: "all",
    // Where all is enabled no alias is needed, and the members of most are not among the agent's files.
    mappingTools: {}
  }
}

/**
 * What a selection leaves of a folder that has been loaded; what it names and
 * is not there is among the problems. With `selection` among the options of
 * `ScriptFolder.load`, files that are not visible are not even read.
 *
 * @category combinators
 */
export const applyToFolder = (folder: ScriptFolder, selection: Selection): ScriptFolder => {
  orThrow(select.aSelection(selection), "A selection")
  return select.applyToFolder(folder, selection)
}

/**
 * What `enabled_tools` leaves of a toolset, now and after it changes, and the
 * names that stand for no tool now. `visible_tools` is about files, of which a
 * toolset knows nothing.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolRunner, Toolset } from "@wield/core"
 * import { Selection } from "@wield/scripts"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const all = yield* Toolset.dynamic(["fs_cat", "fs_ls"].map((name) => ({ name, execute: () => Effect.succeed(name) })))
 *   const { problems, toolset } = yield* Selection.apply(all, Selection.make({ enabledTools: ["fs_cat", "fs_lss"] }))
 *   const { definitions } = yield* ToolRunner.make(toolset)
 *   return [(yield* definitions).map(({ name }) => name), problems.map(({ message }) => message)]
 * })
 * Effect.runPromise(program).then((result) =>
 *   assert.deepStrictEqual(result, [
 *     ["fs_cat"],
 *     ['"fs_lss" is neither a tool nor an alias (did you mean "fs_ls"?)']
 *   ])
 * )
 * ```
 *
 * @category combinators
 */
export const apply = <R, E>(
  toolset: Toolset.Toolset<Toolset.DynamicTools, R, E>,
  selection: Selection
): Effect.Effect<
  {
    readonly toolset: Toolset.Toolset<Toolset.DynamicTools, R, E>
    readonly problems: ReadonlyArray<Problem>
  },
  E
> =>
  Effect.map(toolset.offer, ({ entries, withheld }) => {
    orThrow(select.aSelection(selection), "A selection")
    const known = new Set([...entries.keys(), ...withheld.keys()])
    const { enabled, problems } = select.expand(selection, known)
    if (enabled === "all") return { toolset, problems }
    // Where the tools cannot change, no tool of that name comes later: it is among the problems only.
    const names = Exit.isExit(toolset.offer) ? [...enabled].filter((name) => known.has(name)) : enabled
    return { toolset: Toolset.select(...names)(toolset), problems }
  })
