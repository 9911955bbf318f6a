/**
 * Gives a toolset its tools. One whose schema no validator can take is left
 * out, and the others stay.
 */
import { type Toolset, ToolNameCollision } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Problem } from "@wield/core/Problem"
import { fileError } from "./problem.js"
import type { ScriptFolder } from "./ScriptFolder.js"

export const offerTools = (
  toolset: Toolset.DynamicToolset,
  folder: ScriptFolder,
  tools: ReadonlyArray<Toolset.DynamicTool>
): Effect.Effect<ReadonlyArray<Problem>> =>
  toolset.replace(tools).pipe(
    Effect.as([]),
    Effect.catchAll((error) => {
      // The names of a folder's tools are distinct.
      if (error instanceof ToolNameCollision) return Effect.die(error)
      const others = tools.filter(({ name }) => name !== error.tool)
      return Effect.map(offerTools(toolset, folder, others), (problems) => [
        fileError(fileOf(folder, error.tool), "invalid-schema", error.message),
        ...problems
      ])
    })
  )

const fileOf = ({ folder, scripts }: ScriptFolder, tool: string): string =>
  scripts.find(({ functions }) => functions.some(({ name }) => name === tool))?.file ?? folder
