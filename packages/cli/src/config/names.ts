/** The names of a project's tools, kept in the user's cache for shell completion, which must run no code. */
import { createHash } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import * as Effect from "effect/Effect"
import { Shell } from "../output/Shell.js"
import type { Project } from "./load.js"

/** `bin/complete.js` finds the file by the same rule. */
const cacheOf = (environment: { readonly [name: string]: string | undefined }, folder: string): string => {
  const given = environment["XDG_CACHE_HOME"] ?? ""
  const cache = isAbsolute(given) ? given : join(homedir(), ".cache")
  return join(cache, "wield", `${createHash("sha256").update(folder).digest("hex").slice(0, 32)}.names`)
}

/** Names that a shell could take for something else are left out. */
const isSafe = (name: string): boolean => /^[A-Za-z_][\w.-]{0,127}$/.test(name)

export const rememberNames = (
  { folder }: Project,
  tools: ReadonlyArray<{ readonly name: string }>
): Effect.Effect<void> =>
  Effect.flatMap(Shell, ({ environment }) => {
    const file = cacheOf(environment, folder)
    const names = tools.flatMap(({ name }) => (isSafe(name) ? [name] : [])).slice(0, 10_000)
    // A cache that cannot be written completes no names, and nothing else.
    return Effect.promise(async () => {
      try {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await writeFile(file, names.map((name) => `${name}\n`).join(""), { mode: 0o600 })
      } catch {
        return
      }
    })
  })
