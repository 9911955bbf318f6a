import { mkdir, rename, rm, writeFile as write } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { Refused } from "./Refused.js"

/** As a whole, so that a crash or a full disk leaves what was there. */
export const replaceFile = async (path: string, text: string, mode?: number): Promise<void> => {
  const beside = `${path}.${process.pid}`
  try {
    await write(beside, text, { mode })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw error
  }
}

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
      await (isReplacing ? replaceFile(path, text) : write(path, text, { flag: "wx" }))
    },
    catch: (error) =>
      error instanceof Error && "code" in error && error.code === "EEXIST"
        ? Refused.failed(`${path} exists already. ${advice}`)
        : Refused.failed(`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  })
