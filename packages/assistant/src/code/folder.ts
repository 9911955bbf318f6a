/**
 * A folder below a root, reached without a symbolic link, which another program may put into a path at any time. On
 * Linux each folder is opened in the one above (`/proc/self/fd`, `O_NOFOLLOW`), so that a later link changes nothing.
 * Elsewhere a path is looked at before and after, which leaves a moment between the last look and the use.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Match from "effect/Match"
import type * as Scope from "effect/Scope"
import { FileChanged, FileFailed, FileRefused } from "../CodeError.js"
import * as system from "./system.js"

export interface Folder {
  /** What names of files are appended to. */
  readonly path: string
  /** Fails where the folder is no longer where it was asked for. */
  readonly recheck: Effect.Effect<void, FileChanged>
}

export const canAnchor: Effect.Effect<boolean> = Effect.gen(function* () {
  if (process.platform !== "linux") return false
  const handle = yield* system.open("/", system.reading | system.directory)
  const through = yield* system.stat(`/proc/self/fd/${handle.fd}/.`)
  const direct = yield* system.stat("/")
  return through.ino === direct.ino && through.dev === direct.dev
}).pipe(
  Effect.scoped,
  Effect.orElseSucceed(() => false)
)

interface Asked {
  readonly file: string
  readonly root: string
  readonly folders: ReadonlyArray<string>
  readonly openAnchored: boolean
}

export const openFolder = (asked: Asked): Effect.Effect<Folder, FileRefused | FileFailed, Scope.Scope> =>
  asked.openAnchored ? anchored(asked) : openChecked(asked)

const anchored = ({ file, folders, root }: Asked) =>
  Effect.gen(function* () {
    const flags = system.reading | system.directory | system.noFollow
    let handle = yield* system.open(root, flags).pipe(Effect.mapError(refusalOf(file)))
    for (const name of folders) {
      const path = `/proc/self/fd/${handle.fd}/${name}`
      handle = yield* system.open(path, flags).pipe(
        // Linux says ENOTDIR of a link, too.
        Effect.catchIf(
          ({ code }) => code === "ENOTDIR",
          () =>
            Effect.flatMap(system.lstat(path), (found) =>
              Effect.fail(new system.SystemFault({ code: found.isSymbolicLink() ? "ELOOP" : "ENOTDIR" }))
            )
        ),
        Effect.mapError(refusalOf(file))
      )
    }
    const path = `/proc/self/fd/${handle.fd}`
    const expected = join(root, ...folders)
    return {
      path,
      recheck: system.readLink(path).pipe(
        Effect.filterOrFail((now) => now === expected),
        Effect.mapError(() => new FileChanged({ file })),
        Effect.asVoid
      )
    }
  })

const openChecked = ({ file, folders, root }: Asked) =>
  Effect.gen(function* () {
    const path = join(root, ...folders)
    const look = Effect.reduce(folders, root, (above, name) =>
      Effect.gen(function* () {
        const folder = join(above, name)
        const found = yield* system.lstat(folder)
        if (found.isSymbolicLink()) return yield* new system.SystemFault({ code: "ELOOP" })
        if (!found.isDirectory()) return yield* new system.SystemFault({ code: "ENOTDIR" })
        return folder
      })
    ).pipe(Effect.zipRight(system.stat(path)))
    const before = yield* Effect.mapError(look, refusalOf(file))
    return {
      path,
      recheck: Effect.all([look, system.realPath(path)]).pipe(
        Effect.filterOrFail(([now, real]) => now.ino === before.ino && now.dev === before.dev && real === path),
        Effect.mapError(() => new FileChanged({ file })),
        Effect.asVoid
      )
    }
  })

const refusalOf = (file: string) =>
  Match.type<system.SystemFault>().pipe(
    Match.whenOr(
      { code: "ENOENT" },
      { code: "ENOTDIR" },
      () => new FileRefused({ file, reason: "NoSuchFolder", allowed: "files, new ones too, in folders that there are" })
    ),
    Match.when(
      { code: "ELOOP" },
      () => new FileRefused({ file, reason: "SymbolicLink", allowed: "paths through folders that are no links" })
    ),
    Match.orElse(({ code }) => new FileFailed({ file, operation: "open", code }))
  )

/** Finds the root and the names of a file in a model's arguments, without a look at the disk. */
export const locate = (roots: ReadonlyArray<string>, workingDir: string, fileName: string) => {
  const file = `${workingDir}/${fileName}`
  const refuse = (reason: FileRefused["reason"]) =>
    Either.left(new FileRefused({ file, reason, allowed: allowedIn(roots) }))
  if (isAbsolute(workingDir) || isAbsolute(fileName)) return refuse("NotRelative")
  const folder = parts(workingDir)
  const below = parts(fileName)
  const [root, ...folders] = [...folder, ...below.slice(0, -1)]
  const name = below.at(-1)
  if ([...folder, ...below].includes("..")) return refuse("Outside")
  // The root is named by the folder: a file name alone would look like a root.
  if (root === undefined || folder.length === 0 || !roots.includes(root)) return refuse("UnknownRoot")
  if (name === undefined || fileName.endsWith("/")) return refuse("InvalidName")
  const names = [...folders, name]
  if (!names.every(isName)) return refuse("InvalidName")
  if (names.some(isGit)) return refuse("Protected")
  return Either.right({ file: [root, ...names].join("/"), root, folders, name })
}

/** For a message to a model: names of roots, never where they are. */
const allowedIn = (roots: ReadonlyArray<string>): string =>
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

/** Also where names are the same in any case, invisible characters are passed over, or names are short (`GIT~1`). */
const isGit = (name: string): boolean =>
  /^(?:\.git|git~\d+)(?:[. ]*$|:)/.test(
    name
      .normalize("NFKC")
      .replaceAll(/[\p{Cf}\p{Cc}]/gu, "")
      .toLowerCase()
  )
