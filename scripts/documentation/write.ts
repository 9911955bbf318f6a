/** Writes the modules of pages to a folder inside the repository, where their imports resolve as those of the workspace do. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { extract, type Module, type Page } from "./extract.js"
import type { Problem } from "./problem.js"

export interface WrittenModule extends Module {
  readonly file: string
}

export interface WrittenPages {
  readonly modules: ReadonlyArray<WrittenModule>
  /** Of the blocks themselves, such as a tag that is unknown. */
  readonly problems: ReadonlyArray<Problem>
}

/** The folder is emptied first. */
export const writePages = (pages: ReadonlyArray<Page>, folder: string): WrittenPages => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const extractions = pages.map(extract)
  const modules = extractions
    .flatMap((extraction) => extraction.modules)
    .map((module) => {
      const file = join(folder, module.page, `line-${module.line}.ts`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, module.code)
      return { ...module, file }
    })
  return { modules, problems: extractions.flatMap((extraction) => extraction.problems) }
}
