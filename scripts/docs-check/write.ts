/** Writes modules to a folder inside the repository, where their imports resolve as those of the workspace do. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Module } from "./extract.js"

export interface WrittenModule extends Module {
  readonly file: string
}

export const writeModules = (modules: ReadonlyArray<Module>, folder: string): ReadonlyArray<WrittenModule> => {
  rmSync(folder, { recursive: true, force: true })
  return modules.map((module) => {
    const file = join(folder, module.page, `line-${module.line}.ts`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, module.code)
    return { ...module, file }
  })
}
