/** Finds the files that scripts import by relative path. */
import { realpathSync, statSync } from "node:fs"
import { dirname, extname, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const isolated = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"])

/** What TypeScript is imported as once it is compiled. */
const compiledFrom: { readonly [extension: string]: string } = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" }

/**
 * The file, where it is one that is compiled here: as it is named, with the
 * extension that its source has, or with one that the import leaves out; of a
 * folder, its index.
 */
export const resolveImport = (importer: string, specifier: string, isTypeScript: boolean): string | undefined => {
  const path = pathOf(importer, specifier)
  if (path === undefined) return undefined
  const found = candidates(path, isTypeScript).find(isFile)
  if (found === undefined || !isolated.has(extname(found))) return undefined
  const file = realpathSync(found)
  // Packages are shared by all calls, however they are imported.
  return file.includes("/node_modules/") ? undefined : file
}

const pathOf = (importer: string, specifier: string): string | undefined => {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier)
  return /^\.{0,2}\//.test(specifier) || specifier === "." || specifier === ".."
    ? resolve(dirname(importer), specifier)
    : undefined
}

const candidates = (path: string, isTypeScript: boolean): ReadonlyArray<string> => {
  const extension = extname(path)
  const source = compiledFrom[extension]
  const asSource = source === undefined ? [] : [`${path.slice(0, -extension.length)}${source}`]
  const endings = [".ts", ".mts", ".js", ".mjs", ".cjs", ".json"]
  // Where both are there, TypeScript means its source, JavaScript what it says.
  const named = isTypeScript ? [...asSource, path] : [path, ...asSource]
  return [
    ...named,
    ...endings.map((ending) => `${path}${ending}`),
    ...endings.map((ending) => resolve(path, `index${ending}`))
  ]
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true
