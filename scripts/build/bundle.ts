/**
 * Writes a package's JavaScript: each public module stays a module of its own, and what it shares with others lies in
 * few files, for a starting process has to find, read and link each. Modules are not put into one file altogether: an
 * application's bundler leaves out whole files, and much less within one.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, isAbsolute, join } from "node:path"
import { type ChunkingContext, rolldown } from "rolldown"
import { readManifest } from "../pack.js"
import { licencesOf } from "./licences.js"

/** The folder of `dist` for what is shared; it is `null` in the published exports. */
const shared = "chunks"

/** Beside it, an application may have any version of Effect, or none. Its optional peers are native, or large. */
const everything = /^(?!node:|libsql$|@effect\/platform-node\/|@wield\/(?:assistant|code-mode|manifest|mcp|scripts)\/)/

/**
 * What core has within, and the file that each is in, for most programs need none of them. Installed, they are four
 * times as large as what is used of them. Hyperjump's are taken as browsers get them, which read no files.
 */
const within: Readonly<Record<string, string>> = {
  "@hyperjump/": "hyperjump",
  "@cfworker/json-schema": "cfworker",
  "@eslint-community/regexpp": "regexpp",
  re2js: "re2js"
}

/** What packages have within themselves, together with all that it imports. Everything else they name as dependencies. */
const inlined: Readonly<Record<string, RegExp>> = {
  core: new RegExp(`^(?:${Object.keys(within).join("|")})`),
  wield: everything,
  // Its own sources import the application's Effect 4; what it has within imports Effect 3.
  effect4: /^(?!node:|libsql$|@effect\/platform-node\/)/
}

/** Packages that have all of Wield within. */
const whole = new Set(["wield", "effect4"])

/** The names of modules at the top of `src`: all of them, unless the package names those that it exports. */
export const publicModules = (folder: string): ReadonlyArray<string> => {
  const { exports = {} } = readManifest(join(folder, "package.json"))
  return readdirSync(join(folder, "src"))
    .filter((file) => file.endsWith(".ts") && !/\.test(-d)?\.ts$/.test(file))
    .map((file) => file.replace(/\.ts$/, ""))
    .filter((name) => name === "index" || "./*" in exports || `./${name}` in exports)
}

/** The chunk that a file of others goes to. */
const chunkOf = (file: string, isWhole: boolean): string | null => {
  const path = file.replaceAll("\\", "/")
  const [, chunk] = Object.entries(within).find(([name]) => path.includes(`/node_modules/${name}`)) ?? []
  return chunk === undefined || (isWhole && chunk !== "hyperjump") ? null : chunk
}

/** Effect 4, which the sources of `effect4` import, and nothing else may. */
const isOfApplication = (specifier: string, importer: string | undefined, source: string): boolean =>
  basename(dirname(source)) === "effect4" && /^effect(?:\/|$)/.test(specifier) && importer?.startsWith(source) === true

/** Writes the JavaScript of the package in `folder`, beside which its declarations are. */
export const bundle = async (folder: string, dist: string = join(folder, "dist")): Promise<void> => {
  const isInlined = inlined[basename(folder)]
  const isWhole = whole.has(basename(folder))
  const source = join(folder, "src")
  const { peerDependenciesMeta = {} } = readManifest(join(folder, "package.json"))
  const isOptional = (specifier: string): boolean =>
    Object.entries(peerDependenciesMeta).some(([name, { optional }]) => optional === true && specifier.startsWith(name))
  const entries = new Map(publicModules(folder).map((name) => [join(source, `${name}.ts`), name]))
  const build = await rolldown({
    cwd: folder,
    input: Object.fromEntries([...entries].map(([file, name]) => [name, file])),
    external: (specifier, importer) =>
      !/^[.\0]/.test(specifier) &&
      !isAbsolute(specifier) &&
      (isOfApplication(specifier, importer, source) || isInlined?.test(specifier) !== true) &&
      (isInlined === undefined || importer?.includes("node_modules") !== true),
    platform: "neutral",
    resolve: { aliasFields: [["browser"]], mainFields: ["module", "main"] },
    tsconfig: false,
    transform: { target: "es2022" },
    // A warning may be about what would not run.
    onLog: (_level, log) => {
      throw new Error(`${folder}: ${log.message}`)
    }
  })
  const { output } = await build.write({
    dir: dist,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${shared}/[name].js`,
    // The sources are published beside `dist`, but for those of others.
    sourcemap: !isWhole,
    sourcemapExcludeSources: true,
    ...(isWhole && {
      // Functions and classes keep their names, so that a stack says where it was.
      minify: { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
      comments: { annotation: true, jsdoc: false, legal: false }
    }),
    codeSplitting: {
      groups: [
        // Its modules register what others look up. `sideEffects` of package.json names the file, which a bundler would drop.
        { debugName: "inlined", name: (file) => chunkOf(file, isWhole) },
        {
          debugName: "declarations",
          name: (file, context) =>
            entries.get(file) !== "index" && isDeclaration(file, entries, isOptional, context) ? "declarations" : null
        }
      ]
    }
  })
  await build.close()
  // The sources of others are not published.
  for (const name of isWhole ? [] : Object.values(within)) {
    const map = join(dist, shared, `${name}.js.map`)
    if (!existsSync(map)) continue
    const chunk = map.replace(/\.map$/, "")
    writeFileSync(chunk, readFileSync(chunk, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"))
    rmSync(map)
  }
  const licences = licencesOf(output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : [])))
  if (licences !== "") writeFileSync(join(dist, "THIRD-PARTY-LICENSES"), licences)
}

/**
 * A public module that needs no private one and no package but Effect's, nor does what it imports: schemas, errors,
 * services. They are many and small, so they share a file; as they import only each other, it cannot come to import
 * what imports it. What imports an optional peer stays apart: others have to load without it.
 */
const isDeclaration = (
  file: string,
  publicModules: { readonly has: (file: string) => boolean },
  isOptional: (specifier: string) => boolean,
  context: ChunkingContext,
  seen = new Set<string>()
): boolean => {
  if (seen.has(file)) return true
  seen.add(file)
  return (
    publicModules.has(file) &&
    (context.getModuleInfo(file)?.importedIds ?? []).every((imported) =>
      isAbsolute(imported)
        ? isDeclaration(imported, publicModules, isOptional, context, seen)
        : /^(effect|@effect|@wield)\//.test(imported) && !isOptional(imported)
    )
  )
}
