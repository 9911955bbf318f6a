/**
 * The function files of some folders, each read once.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import { languageOf } from "../folder/languages.js"
import { list } from "../folder/list.js"
import { fileWarning } from "../folder/problem.js"
import { readText } from "../folder/readText.js"
import { withoutGone } from "../folder/withoutGone.js"
import type { Problem } from "@wield/core/Problem"
import { UnreadableScript } from "../ScriptError.js"
import type { FunctionFile } from "./model.js"
import type { ReadFile, Running } from "./read.js"

/** One file: what it has, unless it is broken, and what is wrong. */
export interface Reading {
  readonly file: string
  readonly text: string | undefined
  readonly found: FunctionFile | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** One folder, its files in the order of their names. */
export interface FolderReading {
  readonly folder: string
  readonly readings: ReadonlyArray<Reading>
  readonly problems: ReadonlyArray<Problem>
}

export interface HowToRead {
  readonly read: ReadFile
  readonly running: Running | undefined
  readonly linkRoots: ReadonlyArray<string>
}

/** `known` is what files were when they were last read: the same text is not looked at again. */
export const readFolders = (
  folders: ReadonlyArray<string>,
  how: HowToRead,
  known: ReadonlyMap<string, Reading> = new Map()
): Effect.Effect<ReadonlyArray<FolderReading>, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const there = yield* Effect.filter(folders, (folder) => Effect.orElseSucceed(files.exists(folder), () => false))
    const [first] = folders
    if (there.length === 0 && first !== undefined) {
      return yield* new UnreadableScript({ file: first, detail: "there is no such folder" })
    }
    return yield* Effect.forEach(folders, (folder) =>
      there.includes(folder) ? readFolder(folder, how, known) : Effect.succeed(missing(folder))
    )
  })

const missing = (folder: string): FolderReading => ({
  folder,
  readings: [],
  problems: [fileWarning(folder, "missing-folder", "There is no such folder; it is looked at again when it is there")]
})

const readFolder = (folder: string, how: HowToRead, known: ReadonlyMap<string, Reading>) =>
  Effect.gen(function* () {
    const { files, problems } = yield* list(folder, undefined)
    const roots = [folder, ...how.linkRoots]
    const readings = yield* Effect.forEach(
      files.filter((file) => languageOf(file) === "python"),
      (file) => readOne(file, roots, how, known.get(file)),
      { concurrency: 8 }
    )
    return { folder, readings: yield* withoutGone(folder, readings), problems }
  })

const readOne = (
  file: string,
  roots: ReadonlyArray<string>,
  { read, running }: HowToRead,
  known: Reading | undefined
): Effect.Effect<Reading, never, FileSystem.FileSystem | Path.Path> =>
  readText(file, roots).pipe(
    Effect.flatMap((text) =>
      known?.text === text
        ? Effect.succeed(known)
        : Effect.match(read({ file, text }, running), {
            onSuccess: (found): Reading => ({ file, text, found, problems: found.problems }),
            onFailure: ({ problems }): Reading => ({ file, text, found: undefined, problems })
          })
    ),
    Effect.catchAll((problem) =>
      Effect.succeed<Reading>({ file, text: undefined, found: undefined, problems: [problem] })
    )
  )
