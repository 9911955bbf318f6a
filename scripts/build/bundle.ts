/**
 * Writes a package's JavaScript: each public module stays a module of its own, and what it shares with others lies in
 * few files, for a starting process has to find, read and link each. Modules are not put into one file altogether: an
 * application's bundler leaves out whole files, and much less within one.
 */
import { readdirSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { type ChunkingContext, rolldown } from "rolldown"

/** The folder of `dist` for what is shared; it is `null` in the published exports. */
const shared = "chunks"

export const bundle = async (folder: string): Promise<void> => {
  const source = join(folder, "src")
  const entries = new Map(
    readdirSync(source)
      .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
      .map((file) => [join(source, file), file.replace(/\.ts$/, "")])
  )
  const build = await rolldown({
    cwd: folder,
    input: Object.fromEntries([...entries].map(([file, name]) => [name, file])),
    external: (specifier) => !specifier.startsWith(".") && !isAbsolute(specifier),
    platform: "neutral",
    tsconfig: false,
    transform: { target: "es2022" },
    // A warning may be about what would not run.
    onLog: (_level, log) => {
      throw new Error(`${folder}: ${log.message}`)
    }
  })
  await build.write({
    dir: join(folder, "dist"),
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${shared}/[name].js`,
    sourcemap: true,
    // The sources are published beside `dist`.
    sourcemapExcludeSources: true,
    codeSplitting: {
      groups: [
        {
          debugName: "declarations",
          name: (file, context) =>
            entries.get(file) !== "index" && isDeclaration(file, entries, context) ? "declarations" : null
        }
      ]
    }
  })
  await build.close()
}

/**
 * A public module that needs no private one and no package but Effect's, nor does what it imports: schemas, errors,
 * services. They are many and small, so they share a file; as they import only each other, it cannot come to import
 * what imports it.
 */
const isDeclaration = (
  file: string,
  publicModules: { readonly has: (file: string) => boolean },
  context: ChunkingContext,
  seen = new Set<string>()
): boolean => {
  if (seen.has(file)) return true
  seen.add(file)
  return (
    publicModules.has(file) &&
    (context.getModuleInfo(file)?.importedIds ?? []).every((imported) =>
      isAbsolute(imported)
        ? isDeclaration(imported, publicModules, context, seen)
        : /^(effect|@effect|@wield)\//.test(imported)
    )
  )
}
