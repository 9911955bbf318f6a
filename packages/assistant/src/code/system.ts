/**
 * Node's file system with the system's codes. `@effect/platform`'s has neither `lstat` nor flags of `open`
 * (`O_NOFOLLOW`, `O_DIRECTORY`, `O_NONBLOCK`), by which a link differs from what it leads to.
 */
import { constants } from "node:fs"
import * as fs from "node:fs/promises"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

export class SystemFault extends Data.TaggedError("SystemFault")<{ readonly code: string }> {}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, SystemFault> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new SystemFault({
        code: Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "UNKNOWN"
      })
  })

/** Where a system has no such flag (Windows), what is opened is compared with what was looked at. */
export const noFollow: number = constants.O_NOFOLLOW ?? 0
export const directory: number = constants.O_DIRECTORY ?? 0
/** Opening a named pipe would wait for a writer. */
export const nonBlocking: number = constants.O_NONBLOCK ?? 0
export const reading: number = constants.O_RDONLY
export const creating: number = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow

export const open = (path: string, flags: number, mode?: number) =>
  Effect.acquireRelease(
    attempt(() => fs.open(path, flags, mode)),
    // Closed before, or a fault that comes too late to matter: what was written has been synced.
    (handle) => Effect.ignore(attempt(() => handle.close()))
  )

export const lstat = (path: string) => attempt(() => fs.lstat(path))
export const stat = (path: string) => attempt(() => fs.stat(path))
export const realPath = (path: string) => attempt(() => fs.realpath(path))
export const readLink = (path: string) => attempt(() => fs.readlink(path))
export const isWritable = (path: string) => Effect.isSuccess(attempt(() => fs.access(path, constants.W_OK)))
export const statOf = (handle: fs.FileHandle) => attempt(() => handle.stat())
export const rename = (from: string, to: string) => attempt(() => fs.rename(from, to))
export const link = (from: string, to: string) => attempt(() => fs.link(from, to))
export const remove = (path: string) => attempt(() => fs.unlink(path))
export const sync = (handle: fs.FileHandle) => attempt(() => handle.sync())
export const writeAll = (handle: fs.FileHandle, bytes: Uint8Array) => attempt(() => handle.writeFile(bytes))
export const changeMode = (handle: fs.FileHandle, mode: number) => attempt(() => handle.chmod(mode))
export const changeOwner = (handle: fs.FileHandle, user: number, group: number) =>
  attempt(() => handle.chown(user, group))

export const readUpTo = (handle: fs.FileHandle, limit: number): Effect.Effect<Uint8Array, SystemFault> =>
  attempt(async () => {
    const buffer = new Uint8Array(limit)
    let length = 0
    while (length < limit) {
      const { bytesRead } = await handle.read(buffer, length, limit - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.slice(0, length)
  })
