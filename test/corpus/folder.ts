/**
 * Where the recorded material made by others lies. It is read in place and
 * never copied into the repository. A folder may hold a part of it only: what is absent is read as empty.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..")

/** The folder that is looked for: `WIELD_CORPUS`, or `../shared/corpus` from the repository's root. */
export const corpusFolder: string = resolve(root, process.env["WIELD_CORPUS"] ?? "../shared/corpus")

export const hasCorpus = (part: string): boolean => existsSync(resolve(corpusFolder, part))

/** The names of the files in a folder and in those below it, in their order. */
export const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => name.replaceAll("\\", "/"))
        .filter((name) => name.endsWith(ending))
        .sort()
    : []

// The material's SOURCES.md states the shape of its lines; a file that breaks it fails the run.
export const readLines = <A>(file: string): ReadonlyArray<A> =>
  existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as A)
    : []
