/** Which names the tools of a folder have. */
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { FunctionFolder, ScriptFolder, type ToolFileTemplate } from "@wield/scripts"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { Refused } from "./Refused.js"

/** `except` is a file of the folder whose names are not taken. */
export const namesIn = (
  folder: string,
  kind: ToolFileTemplate.Kind,
  except?: string
): Effect.Effect<ReadonlyArray<string>, Refused, FileSystem.FileSystem | Path.Path> => {
  const isOther = ({ file }: { readonly file: string }) => except === undefined || resolve(file) !== resolve(except)
  const names = ({ name }: { readonly name: string }) => name
  const found =
    kind === "function-file"
      ? Effect.map(FunctionFolder.load([folder]), ({ files }) =>
          files.filter(isOther).flatMap(({ tools }) => tools.map(names))
        )
      : Effect.map(ScriptFolder.load(folder), ({ scripts }) =>
          scripts.filter(isOther).flatMap(({ functions }) => functions.map(names))
        )
  return Effect.mapError(found, ({ message }) => new Refused({ message }))
}
