import { mkdir, writeFile as write } from "node:fs/promises"
import { dirname } from "node:path"
import * as SharedFile from "@wield/process/SharedFile"
import * as Effect from "effect/Effect"
import { Refused } from "./Refused.js"

/** Writes a file; one that is there stays unless `isReplacing`. Its folders are made. */
export const writeFile = (
  path: string,
  text: string,
  isReplacing: boolean,
  advice = "Remove it"
): Effect.Effect<void, Refused> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(path), { recursive: true })
      await (isReplacing ? SharedFile.replace(path, text) : write(path, text, { flag: "wx" }))
    },
    catch: (error) =>
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? Refused.failed(`${path} exists already. ${advice}`)
        : Refused.failed(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  })
