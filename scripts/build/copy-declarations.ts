/**
 * The types of `@wield/effect4`: those that its public modules reach, and nothing that stands behind them. A type of
 * what it has within (Effect 3, Wield's own packages) in one of them fails the build.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { publicModules } from "./bundle.js"

/** What an import of a declaration names. */
const imported = /\b(?:from |import\(|import )"([^"]+)"/g

/** The declarations of the package in `folder`, by their paths below `types`. */
export const publicDeclarations = (folder: string, types: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const follow = (file: string): void => {
    if (found.has(file)) return
    const text = readFileSync(join(types, file), "utf8")
    found.set(file, text)
    for (const [, name = ""] of text.replaceAll(/\/\*\*[^]*?\*\//g, "").matchAll(imported)) {
      if (name.startsWith(".")) follow(join(dirname(file), name.replace(/\.js$/, ".d.ts")))
      else if (!/^effect(?:\/|$)/.test(name)) throw new Error(`${file} of ${folder} has a type of ${name}`)
    }
  }
  for (const name of publicModules(folder)) follow(`${name}.d.ts`)
  return found
}

export const copyDeclarations = (folder: string, dist: string = join(folder, "dist")): void => {
  for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (/\.d\.ts(?:\.map)?$/.test(file)) rmSync(join(dist, file))
  }
  for (const [file, text] of publicDeclarations(folder, join(folder, ".tsbuild", "types"))) {
    mkdirSync(dirname(join(dist, file)), { recursive: true })
    writeFileSync(join(dist, file), text)
  }
}
