/** Which file is meant: a root and the names below it, from what a model sent. Nothing is looked at on disk. */
import * as Either from "effect/Either"
import { FileRefused } from "../CodeError.js"

export interface Location {
  /** As it was asked for, put together. */
  readonly file: string
  readonly root: string
  readonly folders: ReadonlyArray<string>
  readonly name: string
}

export const locate = (
  roots: ReadonlyArray<string>,
  workingDir: string,
  fileName: string
): Either.Either<Location, FileRefused> => {
  const file = `${workingDir}/${fileName}`
  const refuse = (reason: FileRefused["reason"]) =>
    Either.left(new FileRefused({ file, reason, allowed: allowedIn(roots) }))
  if (isAbsolute(workingDir) || isAbsolute(fileName)) return refuse("NotRelative")
  const folder = parts(workingDir)
  const below = parts(fileName)
  const [root, ...folders] = [...folder, ...below.slice(0, -1)]
  const name = below.at(-1)
  if ([...folder, ...below].includes("..")) return refuse("Outside")
  // The root is named by the folder: a file name alone could not be told from a root.
  if (root === undefined || folder.length === 0 || !roots.includes(root)) return refuse("UnknownRoot")
  if (name === undefined || fileName.endsWith("/")) return refuse("InvalidName")
  const names = [...folders, name]
  if (!names.every(isName)) return refuse("InvalidName")
  if (names.some(isGit)) return refuse("Protected")
  return Either.right({ file: [root, ...names].join("/"), root, folders, name })
}

/** For a message to a model: names of roots, never where they are. */
export const allowedIn = (roots: ReadonlyArray<string>): string =>
  `files in the folders ${roots.map((root) => JSON.stringify(root)).join(", ")} and below, given as such a name and a relative path`

const parts = (path: string): ReadonlyArray<string> => path.split("/").filter((part) => part !== "" && part !== ".")

/** On every system what is absolute on any: a model cannot know on which it is. */
const isAbsolute = (path: string): boolean => /^(?:[/\\~]|[A-Za-z]:)/.test(path)

/** No separator of Windows, no control character, and nothing longer than file systems take. */
const isName = (name: string): boolean =>
  !/[\\\p{Cc}]/u.test(name) &&
  Buffer.byteLength(name) <= 255 &&
  // On Windows a colon names a stream of the file, and a dot or a space at the end is dropped.
  (process.platform !== "win32" || (!/[:<>"|?*]/.test(name) && !/[. ]$/.test(name)))

/**
 * Also as file systems see it that do not tell cases apart (macOS, Windows),
 * pass over invisible characters (HFS+) or have short names (`GIT~1`).
 */
const isGit = (name: string): boolean =>
  /^(?:\.git|git~\d+)(?:[. ]*$|:)/.test(
    name
      .normalize("NFKC")
      .replaceAll(/[\p{Cf}\p{Cc}]/gu, "")
      .toLowerCase()
  )
