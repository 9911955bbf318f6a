/**
 * Which files of a folder are read. Those beside them, `_`-prefixed ones and
 * folders are what scripts import.
 */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type { Problem } from "@wield/core/Problem"
import { UnreadableScript } from "../ScriptError.js"
import { languageOf, stemOf } from "./languages.js"
import { NearestNames } from "@wield/core"
import { fileError } from "./problem.js"
import { unsupported } from "./unsupported.js"

export interface Listing {
  /** Paths, in the order of their names. */
  readonly files: ReadonlyArray<string>
  /** Of files that were selected and cannot be read. */
  readonly problems: ReadonlyArray<Problem>
  /** Names of the files that are there and were not selected. */
  readonly unselected: ReadonlyArray<string>
}

export const list = (
  folder: string,
  selected: ReadonlyArray<string> | undefined
): Effect.Effect<Listing, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const names = yield* Effect.mapError(
      files.readDirectory(folder),
      (error) => new UnreadableScript({ file: folder, detail: detailOf(error) })
    )
    const root = path.resolve(folder)
    const there = names.filter((name) => !isIgnored(name) && languageOf(name) !== undefined)
    if (selected === undefined) {
      return { files: inOrder(there).map((name) => path.join(root, name)), problems: [], unselected: [] }
    }
    const problems = selected.flatMap((name) => faultOf(path.join(root, name), name, names, there))
    const readable = inOrder(selected).filter((name) => names.includes(name) && languageOf(name) !== undefined)
    const unselected = inOrder(there).filter((name) => !selected.includes(name))
    return { files: [...new Set(readable)].map((name) => path.join(root, name)), problems, unselected }
  })

/** The message of what is not there names the path three times. */
const detailOf = (error: PlatformError): string =>
  error._tag === "SystemError" && error.reason === "NotFound" ? "there is no such folder" : error.message

/** Hidden files, and those that an author has set apart. */
const isIgnored = (name: string): boolean => name.startsWith(".") || name.startsWith("_")

/** By code units, so that every machine has the same order. */
const inOrder = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...names].sort((a, b) => (a < b ? -1 : 1))

/** What is wrong with a file that was selected. `names` are those of the folder, `known` those that may be meant. */
export const faultOf = (
  file: string,
  name: string,
  names: ReadonlyArray<string>,
  known: ReadonlyArray<string>
): ReadonlyArray<Problem> => {
  if (!names.includes(name)) {
    const meant = known.find((other) => stemOf(other) === name)
    const nearest =
      meant === undefined ? NearestNames.suggestion(name, known) : ` (did you mean ${JSON.stringify(meant)}?)`
    const message = `Tool definition file not found: ${JSON.stringify(name)}${nearest}; name files of the folder itself, with their extension`
    return [fileError(file, "missing-file", message)]
  }
  return languageOf(name) === undefined ? [unsupported(file)] : []
}
