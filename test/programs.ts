/** Programs that tests start as processes, each as a bundle: a process that reads the sources takes seconds to start. */
import { mkdtemp } from "node:fs/promises"
import { basename, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { inject } from "vitest"
import { bundlePrograms } from "../scripts/bundle-programs.js"

const bundles = new Map<string, Promise<string>>()

const bundle = async (program: string): Promise<string> => {
  const name = basename(program, extname(program))
  const folder = await mkdtemp(join(inject("runFolder"), `${name}-`))
  return (await bundlePrograms(new Map([[name, program]]), { folder })).get(name)!
}

/** The path of the program's bundle, which is made at its first use. */
export const bundleOf = (program: string | URL): Effect.Effect<string> =>
  Effect.promise(() => {
    const path = typeof program === "string" ? program : fileURLToPath(program)
    const made = bundles.get(path) ?? bundle(path)
    bundles.set(path, made)
    return made
  })
