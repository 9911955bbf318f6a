/** Reads a file of a folder that may be hostile: never waits for a pipe, and never reads without end. */
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import * as Effect from "effect/Effect"
import { Refused } from "../output/Refused.js"

const largest = 16 * 1024 * 1024

/** The text of a regular file of at most 16 MiB. */
export const readFile = (path: string): Effect.Effect<string, Refused> =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      // A pipe without a writer would block otherwise.
      try: () => open(path, constants.O_RDONLY | constants.O_NONBLOCK),
      catch: (error) => unreadable(path, reasonOf(error))
    }),
    (file) =>
      Effect.gen(function* () {
        const attempt = <A>(work: () => Promise<A>) =>
          Effect.tryPromise({ try: work, catch: (error) => unreadable(path, reasonOf(error)) })
        const { size, isFile } = yield* attempt(async () => {
          const stat = await file.stat()
          return { size: stat.size, isFile: stat.isFile() }
        })
        if (!isFile) return yield* unreadable(path, "it is no regular file")
        if (size > largest) return yield* unreadable(path, "it has more than 16 MiB")
        const buffer = Buffer.alloc(size)
        const { bytesRead } = yield* attempt(() => file.read(buffer, 0, size, 0))
        return buffer.toString("utf8", 0, bytesRead)
      }),
    (file) => Effect.promise(() => file.close())
  )

const unreadable = (path: string, detail: string) => Refused.failed(`${path} cannot be read: ${detail}`)

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT") return "it does not exist"
  return error instanceof Error ? error.message : String(error)
}
