/**
 * Where the recorded material made by others lies. It is read in place and
 * never copied into the repository. A folder may hold a part of it only: what is absent is read as empty.
 */
import { Json } from "@wield/core"
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import type { Report } from "./Report.js"

const root = resolve(fileURLToPath(new URL(".", import.meta.url)), "../..")

/** The folder that is looked for: `WIELD_CORPUS`, or `../shared/corpus` from the repository's root. */
export const corpusFolder: string = resolve(root, process.env["WIELD_CORPUS"] ?? "../shared/corpus")

/** Newer recordings of the same layout: `WIELD_FRESH`, or `../shared/fresh`. */
export const freshFolder: string = resolve(root, process.env["WIELD_FRESH"] ?? "../shared/fresh")

export const hasCorpus = (part: string, folder = corpusFolder): boolean => existsSync(resolve(folder, part))

/** What stands where a file should be and is none, or no JSON of the right shape. */
const unreadable = new Set<string>()

/** A suite's report with the files that it could not read among its failures. */
export const withUnreadable = (report: Report): Report => {
  const failures = [...report.failures, ...unreadable]
  unreadable.clear()
  return { ...report, failures }
}

/** The names of the files in a folder and in those below it, in their order. */
export const filesIn = (folder: string, ending: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" })
        .map((name) => name.replaceAll("\\", "/"))
        .filter((name) => name.endsWith(ending))
        .sort()
    : []

/** The text of a file; `undefined` where there is none. */
export const readText = (file: string): string | undefined => {
  if (!existsSync(file)) return undefined
  if (statSync(file).isFile()) return readFileSync(file, "utf8")
  unreadable.add(`${file}: this is no file`)
  return undefined
}

/** The material's SOURCES.md states the shape `A` of its files; `isShape` looks at what a broken one would lack. */
export const readJson = <A>(file: string, isShape: (value: unknown) => boolean): A | undefined => {
  const text = readText(file)
  return text === undefined ? undefined : parse<A>(text, file, isShape)
}

const parse = <A>(text: string, place: string, isShape: (value: unknown) => boolean): A | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (isShape(value)) return value as A
    unreadable.add(`${place}: this has another shape than its kind of file`)
  } catch (error) {
    unreadable.add(`${place}: this is no JSON: ${String(error).slice(0, 200)}`)
  }
  return undefined
}

/** Objects, one a line. */
export const readLines = <A>(file: string): ReadonlyArray<A> =>
  (readText(file) ?? "").split("\n").flatMap((line, index) => {
    const value = line === "" ? undefined : parse<A>(line, `${file}, line ${index + 1}`, Json.isObject)
    return value === undefined ? [] : [value]
  })
