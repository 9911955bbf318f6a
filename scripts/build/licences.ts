/** The licences of packages that are inlined into one of ours: most ask that their text goes along. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string
}

/** The folder of a module's package. One without a name only says of what kind its modules are. */
const packageOf = (module: string): string => {
  for (let folder = dirname(module); ; folder = dirname(folder)) {
    const path = join(folder, "package.json")
    if (existsSync(path) && readManifest(folder).name !== undefined) return folder
    if (folder === dirname(folder)) throw new Error(`${module} belongs to no package`)
  }
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest

/** Of the packages that these modules are of, each once; empty where no module is of another package. */
export const licencesOf = (modules: ReadonlyArray<string>): string => {
  const foreign = modules.filter((module) => /[\\/]node_modules[\\/]/.test(module) && !module.startsWith("\0"))
  const texts = [...new Set(foreign.map(packageOf))].map((folder) => {
    const { license, name, version } = readManifest(folder)
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file === undefined ? undefined : readFileSync(join(folder, file), "utf8").trim()
    if (license === undefined) throw new Error(`${name} says no licence: it must not be inlined`)
    return `${name} ${version} (${license})\n\n${text ?? `Its package has no text of the licence ${license}.`}`
  })
  return texts.toSorted().join(`\n\n${"-".repeat(80)}\n\n`) + (texts.length > 0 ? "\n" : "")
}
