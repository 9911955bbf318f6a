/**
 * The tools of function files: what runs each is the file's `execute`.
 */
import { type Json, type Toolset, ToolNameCollision } from "@wield/core"
import * as Effect from "effect/Effect"
import { fileError } from "../folder/problem.js"
import type { Problem } from "@wield/core/Problem"
import type { ScriptExecutor } from "../ScriptExecutor.js"
import { withImages } from "./images.js"
import type { FunctionFile, FunctionFolder } from "./model.js"

export const toTools = (
  files: ReadonlyArray<FunctionFile>,
  executor: Pick<ScriptExecutor, "runFunctionFile">,
  config: Json.Json
): ReadonlyArray<Toolset.DynamicTool> =>
  files.flatMap(({ file, text, tools }) =>
    tools.map(({ description, facts, inputSchema, name }) => ({
      name,
      description,
      inputSchema,
      facts,
      // The input schema has accepted them, and they came as JSON.
      execute: (parameters) =>
        Effect.map(executor.runFunctionFile({ file, text }, name, parameters as Json.JsonObject, config), withImages)
    }))
  )

/** Gives a toolset its tools. One that it cannot take is left out, and the others stay. */
export const offerTools = (
  toolset: Toolset.DynamicToolset,
  { files, folders }: Pick<FunctionFolder, "files" | "folders">,
  tools: ReadonlyArray<Toolset.DynamicTool>
): Effect.Effect<ReadonlyArray<Problem>> =>
  toolset.replace(tools).pipe(
    Effect.as([]),
    Effect.catchAll((error) => {
      // The names of a collection's tools are distinct.
      if (error instanceof ToolNameCollision) return Effect.die(error)
      const others = tools.filter(({ name }) => name !== error.tool)
      const file = files.find((one) => one.tools.some(({ name }) => name === error.tool))?.file ?? folders[0] ?? ""
      return Effect.map(offerTools(toolset, { files, folders }, others), (problems) => [
        fileError(file, "invalid-schema", error.message),
        ...problems
      ])
    })
  )
