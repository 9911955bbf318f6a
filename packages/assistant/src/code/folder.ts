/**
 * A folder below a root, reached without a symbolic link.
 *
 * Between looking at a path and using it, somebody can put a link into it. Where
 * the system lets a name be looked up in a folder that is open (Linux, through
 * `/proc/self/fd`), each folder is opened in the one above it with `O_NOFOLLOW`,
 * and everything is done through the last of them: a link that is put in between
 * changes nothing. Elsewhere each part of the path is looked at before and after,
 * which leaves a moment between the last look and the use.
 */
import { join } from "node:path"
import * as Effect from "effect/Effect"
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

/** Whether names can be looked up in a folder that is open. */
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
  /** The real path of the root. */
  readonly root: string
  readonly folders: ReadonlyArray<string>
  readonly anchored: boolean
}

export const openFolder = (asked: Asked): Effect.Effect<Folder, FileRefused | FileFailed, Scope.Scope> =>
  asked.anchored ? anchored(asked) : looked(asked)

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

const looked = ({ file, folders, root }: Asked) =>
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
