/** The named toolsets of a project. */
import { resolve } from "node:path"
import * as ActiveToolsets from "@wield/toolset-manager/ActiveToolsets"
import * as ToolsetManager from "@wield/toolset-manager/ToolsetManager"
import type { ToolDefinition } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { messageOf, Refused } from "../output/Refused.js"
import { type Gathered, type Platform, type Tools } from "./gather.js"
import type { Project } from "./load.js"

/** The definitions of a named toolset; all where no name is given. */
export const selectToolset = (
  { definitions, toolset }: Pick<Gathered, "definitions" | "toolset">,
  project: Project,
  name: string | undefined
): Effect.Effect<ReadonlyArray<ToolDefinition.ToolDefinition>, Refused, Platform | Scope.Scope> =>
  name === undefined
    ? Effect.succeed(definitions)
    : Effect.gen(function* () {
        const chosen = yield* namedToolset(toolset, project, name)
        const { entries } = yield* Effect.mapError(chosen.offer, (error) => Refused.unusable(messageOf(error)))
        return Array.from(entries.values(), ({ definition }) => definition)
      })

export const namedToolset = (
  toolset: Tools,
  { config, folder }: Project,
  name: string
): Effect.Effect<Tools, Refused, Platform | Scope.Scope> =>
  Effect.gen(function* () {
    const userFile = config.toolsets === undefined ? undefined : resolve(folder, config.toolsets)
    const manager = yield* ToolsetManager.make({ toolset, userFile, conversationOf: () => "wield" })
    yield* manager.activate("wield", name)
    return manager.toolset
  }).pipe(
    Effect.provide(ActiveToolsets.layerMemory),
    Effect.mapError((error) => Refused.usage(messageOf(error)))
  )
