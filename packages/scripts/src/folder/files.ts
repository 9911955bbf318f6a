/** The files of some folders, each read once. The engine knows nothing of what a file holds: a `Format` does. */
import type { PlatformError } from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as NearestNames from "@wield/core/NearestNames"
import type { Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import { type InvalidScript, UnreadableScript } from "../ScriptError.js"
import { languageOf, nameOf, stemOf } from "./languages.js"
import { fileError, fileWarning, unsupportedExtension } from "./problem.js"
import { maximalSize, textOfBytes, tooLarge } from "./sourceText.js"
import { isInside } from "./walk.js"

export interface Source {
  readonly file: string
  readonly text: string
}

/** What a file holds, such as a script. */
export interface Held extends Source {
  readonly problems: ReadonlyArray<Problem>
}

/** What the files of a folder are. */
export interface Format<Found extends Held> {
  /** Whether files of this name are read, unless `selected` says which are. */
  readonly isRead: (name: string) => boolean
  /** Names of files with their extensions; all that are read where absent. */
  readonly selected?: ReadonlyArray<string> | undefined
  /** Folders in which linked files may lie, besides the folder itself. */
  readonly linkRoots: ReadonlyArray<string>
  readonly read: (source: Source) => Effect.Effect<Found, InvalidScript>
}

/** One file: what it holds, unless it is broken, and what is wrong. */
export interface Reading<Found> {
  readonly file: string
  /** Absent where the file could not be read. */
  readonly text: string | undefined
  readonly found: Found | undefined
  readonly problems: ReadonlyArray<Problem>
}

export interface FolderReading<Found> {
  /** In the order of the files' names. */
  readonly readings: ReadonlyArray<Reading<Found>>
  /** Problems of the folder, and of files that were selected and cannot be read. */
  readonly problems: ReadonlyArray<Problem>
  /** Names of the files that are there and were not selected. */
  readonly unselected: ReadonlyArray<string>
}

/** A folder may be missing, but not all. `known` are earlier readings: the same text is not read again. */
export const readFolders = <Found extends Held>(
  folders: ReadonlyArray<string>,
  format: Format<Found>,
  known: ReadonlyMap<string, Reading<Found>> = new Map()
): Effect.Effect<ReadonlyArray<FolderReading<Found>>, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const there = yield* Effect.filter(folders, (folder) => Effect.orElseSucceed(files.exists(folder), () => false))
    const [first] = folders
    if (there.length === 0 && first !== undefined) {
      return yield* new UnreadableScript({ file: first, detail: "there is no such folder" })
    }
    return yield* Effect.forEach(folders, (folder): ReturnType<typeof readFolder<Found>> =>
      there.includes(folder) ? readFolder(folder, format, known) : Effect.succeed(missingFolder(folder))
    )
  })

const missingFolder = (folder: string): FolderReading<never> => ({
  readings: [],
  problems: [fileWarning(folder, "missing-folder", "There is no such folder; it is looked at again when it is there")],
  unselected: []
})

const readFolder = <Found extends Held>(
  folder: string,
  format: Format<Found>,
  known: ReadonlyMap<string, Reading<Found>>
): Effect.Effect<FolderReading<Found>, UnreadableScript, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const { files, problems, unselected } = yield* list(folder, format)
    const roots = [folder, ...format.linkRoots]
    const readings = yield* Effect.forEach(files, (file) => readFile(file, roots, format, known.get(file)), {
      concurrency: 8
    })
    return { readings: yield* dropGone(folder, readings), problems, unselected }
  })

/** Hidden files, and those that an author has set apart, are what scripts import. */
export const isListed = (name: string, { isRead, selected }: Pick<Format<never>, "isRead" | "selected">): boolean =>
  isRead(name) && (selected === undefined ? !/^[._]/.test(name) : selected.includes(name))

const list = (folder: string, format: Pick<Format<never>, "isRead" | "selected">) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const names = yield* Effect.mapError(
      Effect.flatMap(FileSystem.FileSystem, (files) => files.readDirectory(folder)),
      (error) => new UnreadableScript({ file: folder, detail: detailOf(error) })
    )
    const root = path.resolve(folder)
    const all = names.filter((name) => isListed(name, { isRead: format.isRead }))
    const { selected } = format
    const listed = selected === undefined ? all : names.filter((name) => isListed(name, format))
    return {
      files: inOrder(listed).map((name) => path.join(root, name)),
      problems: (selected ?? []).flatMap((name) => selectionProblems(path.join(root, name), name, names, all)),
      unselected: inOrder(all).filter((name) => !listed.includes(name))
    }
  })

/** The message of what is not there names the path three times. */
const detailOf = (error: PlatformError): string =>
  error._tag === "SystemError" && error.reason === "NotFound" ? "there is no such folder" : error.message

/** By code units, so that every machine has the same order. */
const inOrder = (names: ReadonlyArray<string>): ReadonlyArray<string> => [...names].sort((a, b) => (a < b ? -1 : 1))

/** What is wrong with a file that was selected. `names` are those of the folder, `known` those that may be meant. */
export const selectionProblems = (
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
  return languageOf(name) === undefined ? [unsupportedExtension(file)] : []
}

const readFile = <Found extends Held>(
  file: string,
  roots: ReadonlyArray<string>,
  { read }: Format<Found>,
  known: Reading<Found> | undefined
): Effect.Effect<Reading<Found>, never, FileSystem.FileSystem | Path.Path> =>
  readText(file, roots).pipe(
    Effect.flatMap((text) =>
      known?.text === text
        ? Effect.succeed(known)
        : Effect.match(read({ file, text }), {
            onSuccess: (found): Reading<Found> => ({ file, text, found, problems: found.problems }),
            onFailure: ({ problems }): Reading<Found> => ({ file, text, found: undefined, problems })
          })
    ),
    Effect.catchAll((problem) =>
      Effect.succeed<Reading<Found>>({ file, text: undefined, found: undefined, problems: [problem] })
    )
  )

/** A link that leaves the folder is not followed: it could have any file of the machine run. */
const readText = (
  file: string,
  roots: ReadonlyArray<string>
): Effect.Effect<string, Problem, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const target = yield* orUnreadable(file, files.realPath(file))
    const allowed = yield* Effect.forEach(roots, (root) => orUnreadable(root, files.realPath(root)))
    if (!allowed.some((root) => isInside(path, root, target))) {
      const message =
        "This is a link to a file outside of the folder; copy the file, or name the folder it lies in among linkRoots"
      return yield* Effect.fail(fileError(file, "link-outside", message))
    }
    const { size, type } = yield* orUnreadable(file, files.stat(target))
    // Reading a pipe would wait for its writer.
    if (type !== "File") return yield* Effect.fail(fileError(file, "no-file", `This is no file, but: ${type}`))
    if (size > maximalSize) return yield* Effect.fail(tooLarge(file, Number(size)))
    return yield* textOfBytes(file, yield* orUnreadable(file, files.readFile(target)))
  })

const orUnreadable = <Value, R>(
  file: string,
  effect: Effect.Effect<Value, { readonly message: string }, R>
): Effect.Effect<Value, Problem, R> =>
  Effect.mapError(effect, ({ message }) => fileError(file, "unreadable", `The file cannot be read: ${message}`))

/** A file that was gone before it was read is as if it had never been listed. */
const dropGone = <Found>(
  folder: string,
  readings: ReadonlyArray<Reading<Found>>
): Effect.Effect<ReadonlyArray<Reading<Found>>, never, FileSystem.FileSystem> =>
  readings.every(({ text }) => text !== undefined)
    ? Effect.succeed(readings)
    : Effect.flatMap(FileSystem.FileSystem, (files) => files.readDirectory(folder)).pipe(
        Effect.map((names) => readings.filter(({ file, text }) => text !== undefined || names.includes(nameOf(file)))),
        // The folder is gone as a whole: the next look says so.
        Effect.orElseSucceed(() => readings)
      )
