/** Saves a tool file where no other is. */
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import type { ToolFileTemplate } from "@wield/scripts"
import * as Effect from "effect/Effect"
import { Refused } from "./Refused.js"

export const save = (
  folder: string,
  { file, text }: Pick<ToolFileTemplate.Accepted, "file" | "text">
): Effect.Effect<void, Refused, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = (yield* Path.Path).join(folder, file)
    yield* files
      .writeFileString(path, text, { flag: "wx" })
      .pipe(
        Effect.mapError((error) =>
          error._tag === "SystemError" && error.reason === "AlreadyExists"
            ? new Refused({ message: `${path} exists already; remove it, or give the new one another --name` })
            : new Refused({ message: `${path} cannot be written: ${error.message}` })
        )
      )
  })
