/** Scripts that the interpreter itself compiles and imports (Bun, Deno): each once, so what they keep stays. */
import * as fs from "node:fs"
import { basename, dirname } from "node:path"
import { pathToFileURL } from "node:url"
import { asWritten } from "./asWritten.mjs"
import { parametersOf } from "./compiled.mjs"
import { nameFailure } from "./result.mjs"

export const loadNative = async (files) => {
  const loaded = new Map()
  for (const { file, functions, main, text } of files) {
    const folder = dirname(main)
    const explain = (error) => {
      const named = nameFailure(error)
      return { error: named.error, detail: asWritten(named.detail, folder) }
    }
    const isCurrent = fs.readFileSync(main, "utf8") === text
    loaded.set(file, {
      failure: isCurrent
        ? undefined
        : { error: "ChangedFile", detail: `${basename(file)} has changed since it was read; load it again` },
      functions: parametersOf(functions),
      folder,
      evaluate: () => import(pathToFileURL(main).href),
      explain
    })
  }
  return loaded
}
