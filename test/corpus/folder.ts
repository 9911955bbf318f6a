/**
 * Where the recorded material made by others lies. It is read in place and
 * never copied into the repository.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..")

/** The folder that is looked for: `WIELD_CORPUS`, or `../shared/corpus` from the repository's root. */
export const corpusFolder: string = resolve(root, process.env["WIELD_CORPUS"] ?? "../shared/corpus")

export const hasCorpus = (part: string): boolean => existsSync(resolve(corpusFolder, part))
