/**
 * Managers for tests: tools that answer with their own names, and files in a
 * folder that goes with the scope.
 */
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Toolset } from "@wield/core"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { Effect, Layer } from "effect"

export const Live = Layer.merge(NodeContext.layer, ActiveToolsets.layerMemory)

export const names = ["web_search", "get_website", "save_memory", "search_memory"]

export const modules: ToolsetManager.Modules = new Map([
  ["web", ["web_search", "get_website"]],
  ["memory", ["save_memory", "search_memory"]]
])

export const tool = (name: string): Toolset.DynamicTool => ({
  name,
  description: `Does ${name}`,
  execute: () => Effect.succeed(name)
})

export const tools = Toolset.dynamic(names.map(tool))

export const folder = Effect.flatMap(FileSystem.FileSystem, (files) =>
  files.makeTempDirectoryScoped({ prefix: "wield-toolsets-" })
)

export const write = (file: string, text: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(file, text))

export const read = (file: string) => Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file))

type Settings = Partial<ToolsetManager.Options<Toolset.DynamicTools, never, never>>

export const managed = (settings: Settings = {}) =>
  Effect.flatMap(tools, (toolset) => ToolsetManager.make({ toolset, modules, ...settings }))

/** With a user's file, and a core file where its text is given. */
export const saved = (texts: { readonly user?: string; readonly core?: string } = {}, settings: Settings = {}) =>
  Effect.gen(function* () {
    const place = yield* folder
    const userFile = `${place}/user/toolsets.json`
    const coreFile = texts.core === undefined ? undefined : `${place}/core.json`
    yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.makeDirectory(`${place}/user`))
    if (texts.user !== undefined) yield* write(userFile, texts.user)
    if (coreFile !== undefined) yield* write(coreFile, texts.core ?? "")
    const manager = yield* managed({ userFile, coreFile, ...settings })
    return { manager, userFile, coreFile: coreFile ?? "", place }
  })
