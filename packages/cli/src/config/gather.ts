/** The tools of a project: one toolset of all its sources, and what is wrong with them. */
import { resolve } from "node:path"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { Policy, ToolDefinition } from "@wield/core"
import * as Approval from "@wield/core/Approval"
import * as Toolset from "@wield/core/Toolset"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { CodeSource, Config, FileSource } from "../Config.js"
import { messageOf, Refused } from "../output/Refused.js"
import type { Project } from "./load.js"

export type Tools = Toolset.Toolset<Toolset.DynamicTools, never, unknown>

export type Platform = FileSystem.FileSystem | Path.Path

/** `describe` reads definitions only: nothing is started, and nothing is sent. */
export type Purpose = "describe" | "run"

export interface Source {
  /** As a person knows it, such as `scripts tools/`. */
  readonly name: string
  readonly toolset: Tools
}

export interface Problem {
  readonly source: string
  readonly severity: "error" | "warning"
  readonly message: string
}

export interface Gathered {
  readonly toolset: Tools
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  /** By the tools' names. */
  readonly sources: ReadonlyMap<string, string>
  readonly problems: ReadonlyArray<Problem>
  readonly policy: Policy.Policy
  /** What the configuration's layer provides: handlers take it from the context of their calls. */
  readonly services: Context.Context<never>
}

/** `tool` is the only one of which the caller needs to know: MCP servers that cannot have it stay unstarted. */
export const gather = (
  project: Project,
  purpose: Purpose,
  tool?: string
): Effect.Effect<Gathered, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const { config, folder } = project
    const services = yield* servicesOf(config)
    // Whether a rule's name is that of a tool, all sources together say.
    const only = typeof config.approval === "object" ? undefined : tool
    const problems: Array<Problem> = []
    const named = config.tools.map((source, index) => ({ source, name: nameOf(source, index) }))
    const loaded = yield* Effect.forEach(
      named,
      ({ name, source }) => {
        const at = (path: string) => resolve(folder, path)
        const report = (severity: Problem["severity"], message: string) =>
          problems.push({ source: name, severity, message })
        return toolsOf(source, { at, project, purpose, report, services, tool: only }).pipe(
          Effect.map((toolset): Source => ({ name, toolset: withPrefix(toolset, source) })),
          // A toolset's own failure shows here as well, so that the other sources stay usable.
          Effect.flatMap((one) => Effect.map(one.toolset.offer, ({ entries }) => ({ ...one, entries }))),
          Effect.catchAll((error) => {
            report("error", messageOf(error))
            return Effect.succeed(undefined)
          })
        )
      },
      { concurrency: 4 }
    )
    const sources = new Map<string, string>()
    const kept: Array<Tools> = []
    const definitions: Array<ToolDefinition.ToolDefinition> = []
    for (const one of loaded) {
      if (one === undefined) continue
      const taken = [...one.entries.keys()].filter((name) => sources.has(name))
      if (taken.length > 0) {
        const message = `${taken.join(", ")}: another source has a tool of this name, so this one is left out; give it a prefix`
        problems.push({ source: one.name, severity: "error", message })
        continue
      }
      kept.push(one.toolset)
      for (const [name, { definition }] of one.entries) {
        sources.set(name, one.name)
        definitions.push(definition)
      }
    }
    // Rules may name tools of a source that cannot be loaded.
    const isWhole = loaded.every((one) => one !== undefined)
    const empty: Tools = yield* Effect.orDie(isWhole ? Toolset.constant([]) : Toolset.dynamic([]))
    return {
      toolset: kept.reduce((all, one) => Toolset.combine(all, one), empty),
      definitions,
      sources,
      problems,
      policy: yield* policyOf(config),
      services
    }
  })

const policyOf = ({ approval, policy = {}, timeout }: Config): Effect.Effect<Policy.Policy, Refused> =>
  Effect.gen(function* () {
    const base = { ...policy, approval: typeof approval === "string" ? yield* ruleOf(approval) : approval }
    if (timeout === undefined) return base
    const limits = { ...policy.limits, default: { timeout: Duration.seconds(timeout), ...policy.limits?.default } }
    return { ...base, limits }
  })

/** A misspelt name must not allow every call. */
const ruleOf = (name: string): Effect.Effect<Approval.Rule, Refused> =>
  isRule(name)
    ? Effect.succeed(rules[name])
    : Refused.usage(`approval: expected allow, ask, cautious or rules, not ${JSON.stringify(name)}`)

const isRule = (name: string): name is keyof typeof rules => Object.hasOwn(rules, name)

const rules = {
  allow: () => Approval.allow,
  ask: () => Approval.ask("the configuration asks about every call"),
  cautious: Approval.cautious
} as const satisfies { readonly [name: string]: Approval.Rule }

const servicesOf = ({ layer }: Config): Effect.Effect<Context.Context<never>, Refused, Scope.Scope> =>
  layer === undefined
    ? Effect.succeed(Context.empty())
    : Effect.mapError(Layer.build(layer), (error) =>
        Refused.unusable(`The layer of the configuration cannot be built: ${messageOf(error)}`)
      )

const nameOf = (source: FileSource | CodeSource, index: number): string => {
  if ("manifest" in source) return `manifest ${source.manifest}`
  if ("scripts" in source) return `scripts ${source.scripts}`
  if ("functions" in source) return `functions ${source.functions}`
  if ("openapi" in source) return `openapi ${source.openapi}`
  if ("mcp" in source) return `mcp ${typeof source.mcp === "string" ? source.mcp : Object.keys(source.mcp).join(", ")}`
  return "dynamic" in source ? `tool ${source.name}` : `tools[${index}]`
}

const withPrefix = (toolset: Tools, source: object): Tools =>
  "prefix" in source && typeof source.prefix === "string" ? Toolset.prefix(toolset, source.prefix) : toolset

interface Loading {
  readonly at: (path: string) => string
  readonly project: Project
  readonly purpose: Purpose
  readonly report: (severity: Problem["severity"], message: string) => void
  readonly services: Context.Context<never>
  readonly tool: string | undefined
}

/** Each kind of source is loaded with the module that reads it. */
const toolsOf = (
  source: FileSource | CodeSource,
  loading: Loading
): Effect.Effect<Tools, unknown, Platform | Scope.Scope> =>
  Effect.suspend(() => {
    const sources = Effect.promise(() => import("./fileSources.js"))
    if ("manifest" in source) return Effect.flatMap(sources, ({ fromManifest }) => fromManifest(source, loading))
    const scripts = Effect.promise(() => import("./scriptSources.js"))
    if ("scripts" in source) return Effect.flatMap(scripts, ({ fromScripts }) => fromScripts(source, loading))
    if ("functions" in source) return Effect.flatMap(scripts, ({ fromFunctions }) => fromFunctions(source, loading))
    if ("openapi" in source) return Effect.flatMap(sources, ({ fromOpenApi }) => fromOpenApi(source, loading))
    if ("mcp" in source) {
      return Effect.flatMap(
        Effect.promise(() => import("./mcpSource.js")),
        ({ fromMcp }) => fromMcp(source, loading)
      )
    }
    return fromCode(source, loading.services)
  })

export type { Loading }

const fromCode = (source: unknown, services: Context.Context<never>): Effect.Effect<Tools, unknown, Scope.Scope> => {
  // What it needs stands in the services of the configuration; what does not is a defect that names it.
  const provided = <A, E>(effect: Effect.Effect<A, E, unknown>) =>
    Effect.mapInputContext(
      effect,
      // As above.
      (input: Context.Context<never>) => Context.merge(services, input) as Context.Context<unknown>
    ) as Effect.Effect<A, E, Scope.Scope>
  if (isObject(source)) {
    // Each is what `Config` says of it; its other types are erased here as everywhere inside.
    if ("offer" in source) return Effect.succeed(source as unknown as Tools)
    // A toolkit is an effect, too: of its handlers.
    if ("toLayer" in source) {
      // What has `toLayer` is a toolkit; its handlers stand in the services.
      const made = Toolset.fromToolkit(source as never) as unknown as Effect.Effect<Tools, unknown, unknown>
      return provided(made)
    }
    if (Effect.isEffect(source)) {
      // A source that is an effect may need anything and fail with anything.
      const made = provided(source as Effect.Effect<unknown, unknown, unknown>)
      return Effect.flatMap(made, (toolset) => fromCode(toolset, services))
    }
    if (Effect.isEffect(source["dynamic"])) {
      // The key is Wield's own: it holds a dynamic tool.
      const tool = source["dynamic"] as Effect.Effect<Toolset.DynamicTool, unknown>
      return Effect.flatMap(tool, (one) => Toolset.constant([one]))
    }
  }
  return Effect.fail(
    Refused.usage(
      "It is no source of tools: expected a toolset, a toolkit, a tool, or { manifest }, { scripts }, { functions }, { openapi }, { mcp }"
    )
  )
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  (typeof value === "object" && value !== null) || typeof value === "function"
