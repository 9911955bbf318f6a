/** A program as one file of JavaScript: a process that reads the sources takes seconds to start. */
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const agentPackage = fileURLToPath(new URL("../../packages/agent/package.json", import.meta.url))

/** The path of the bundle, in a folder that goes with the scope. */
export const bundled = (program: URL): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-kill-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const file = join(folder, "child.mjs")
    yield* Effect.promise(async () => {
      const build = await rolldown({
        input: fileURLToPath(program),
        platform: "node",
        tsconfig: false,
        plugins: [
          {
            name: "native-modules",
            resolveId: (specifier) => {
              // Has native code, which no file of JavaScript can hold.
              if (specifier === "libsql") return { id: createRequire(agentPackage).resolve(specifier), external: true }
              // Is asked for by pg, which does without it.
              return specifier === "pg-native" ? { id: specifier, external: true } : null
            }
          }
        ]
      })
      await build.write({ file, format: "esm" })
      await build.close()
    })
    return file
  })

export const bundledChild = bundled(new URL("child.ts", import.meta.url))
