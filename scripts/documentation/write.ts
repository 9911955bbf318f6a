/** Writes the modules of pages to a folder inside the repository, where their imports resolve as those of the workspace do. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { extract, type Module, type Page } from "./extract.js"
import type { Problem } from "./problem.js"

export interface WrittenModule extends Module {
  readonly file: string
}

/** The pages whose code is that of an application on Effect 4. */
const onEffect4 = ["docs/effect-4.md", "packages/effect4"]

/** Where such an application is, with all that it imports. */
const applicationOnEffect4 = "examples/effect-4/node_modules"

export interface WrittenPages {
  readonly modules: ReadonlyArray<WrittenModule>
  /** Of the blocks themselves, such as a tag that is unknown. */
  readonly problems: ReadonlyArray<Problem>
}

/** The folder, which lies in another one of the root, is emptied first. */
export const writePages = (pages: ReadonlyArray<Page>, folder: string): WrittenPages => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const path of onEffect4) {
    if (!pages.some((page) => page.path.startsWith(path))) continue
    mkdirSync(join(folder, path), { recursive: true })
    symlinkSync(join(dirname(dirname(folder)), applicationOnEffect4), join(folder, path, "node_modules"), "junction")
  }
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
