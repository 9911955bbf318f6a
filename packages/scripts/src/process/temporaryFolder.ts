/**
 * The folder of one executor for what exists only while it runs: pipes until
 * they are opened, and the files named by `LLM_OUTPUT`.
 *
 * Here it has only its name, which no one can guess. It is made for the first
 * program (see `outputFile.ts`), when there is a guardian that removes it where
 * this process is killed.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

export const temporaryFolder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => join(tmpdir(), `wield-scripts-${randomUUID()}`)),
  (folder) =>
    Effect.tryPromise(() => rm(folder, { recursive: true, force: true })).pipe(
      // A script may have put folders into each other until their path is too long for Node.
      Effect.catchAll(() => removeByName(folder))
    )
)

const removeByName = (folder: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    execFile("rm", ["-rf", "--", folder], () => resume(Effect.void))
  })
