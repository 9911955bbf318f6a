/** A state of a toolset, from a file, a folder or a project: what `diff`, `replay` and `lint` look at. */
import { stat } from "node:fs/promises"
import { basename, dirname, join, resolve } from "node:path"
import * as Facts from "@wield/core/Facts"
import * as Json from "@wield/core/Json"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Common } from "../commands/common.js"
import type { Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"
import { gather, type Gathered, type Platform, type Problem, type Tools } from "./gather.js"
import { configurationOf, loadProject, type Project } from "./load.js"
import { readData } from "./readData.js"
import { isTrusted } from "./trust.js"

export interface State {
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly problems: ReadonlyArray<Problem>
  /** Absent where only definitions are known. */
  readonly toolset: Tools | undefined
  readonly sources: ReadonlyMap<string, string>
}

/** Of the nearest project, where no path is given. */
export const readState = (
  path: string | undefined,
  given: Common
): Effect.Effect<State, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    if (path === undefined) return yield* gather(yield* loadProject(given), "describe")
    const { folder } = yield* Shell
    const file = resolve(folder, path)
    if (yield* isFolder(file)) {
      const config = yield* configurationOf(file)
      if (Option.isSome(config)) return yield* gather(yield* loadProject({ ...given, config }), "describe")
      return yield* gatherOne({ scripts: file }, file, given)
    }
    if (basename(file).startsWith("wield.config.") || /\.[cm]?[jt]s$/.test(file)) {
      return yield* gather(yield* loadProject({ ...given, config: Option.some(file) }), "describe")
    }
    const data = yield* readData(file)
    const definitions = definitionsOf(data)
    if (definitions !== undefined) {
      return { definitions, problems: [], toolset: undefined, sources: new Map() }
    }
    const isOpenApi = Json.isObject(data) && ("openapi" in data || "swagger" in data)
    if (isOpenApi) return yield* gatherOne({ openapi: file }, dirname(file), given)
    const isMcp = Json.isObject(data) && ("mcpServers" in data || "servers" in data)
    return yield* gatherOne(isMcp ? { mcp: file } : { manifest: file }, dirname(file), given)
  })

/** It is the folder of the source that is trusted or not, wherever the command was started. */
const gatherOne = (
  source: Project["config"]["tools"][number],
  folder: string,
  given: Common
): Effect.Effect<Gathered, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const isAllowed = given.trust || (yield* isTrusted(folder))
    const config = { tools: [source] }
    return yield* gather({ config, file: join(folder, "-"), folder, isTrusted: isAllowed }, "describe")
  })

const isFolder = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false
    )
  )

/**
 * Definitions as `wield list --json`, an MCP server (`tools/list`) and the request bodies of model providers have them;
 * `undefined` for anything else.
 */
const definitionsOf = (data: unknown): ReadonlyArray<ToolDefinition.ToolDefinition> | undefined => {
  const list = Array.isArray(data) ? data : listOf(data)
  if (list === undefined || list.length === 0) return undefined
  const definitions = list.map(definitionOf)
  return definitions.every((one) => one !== undefined) ? definitions : undefined
}

const listOf = (data: unknown): ReadonlyArray<unknown> | undefined => {
  if (!Json.isObject(data)) return undefined
  if (Array.isArray(data["tools"])) return data["tools"]
  return Json.isObject(data["result"]) ? listOf(data["result"]) : undefined
}

const definitionOf = (value: unknown): ToolDefinition.ToolDefinition | undefined => {
  if (!Json.isObject(value)) return undefined
  if (value["type"] === "function" && Json.isObject(value["function"])) return definitionOf(value["function"])
  const { annotations, description, facts, name, outputSchema } = value
  const inputSchema = value["inputSchema"] ?? value["input_schema"] ?? value["parameters"]
  if (typeof name !== "string" || (inputSchema !== undefined && !Json.isObject(inputSchema))) return undefined
  return ToolDefinition.make({
    name,
    description: typeof description === "string" ? description : undefined,
    inputSchema,
    outputSchema: Json.isObject(outputSchema) ? outputSchema : undefined,
    facts: Facts.make({
      ...(Json.isObject(annotations) ? Facts.ofAnnotations(annotations) : {}),
      ...(Json.isObject(facts) ? facts : {})
    })
  })
}
