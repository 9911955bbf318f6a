/**
 * Named pipes for what programs print. Node gives a child sockets. A program
 * cannot open a socket as `/dev/stdout`, and Node cannot tell whether all of it
 * was read. So named pipes are made, opened at both ends, and unlinked.
 */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { closeSync, constants, openSync, unlinkSync } from "node:fs"
import { join } from "node:path"

/**
 * Descriptors of the two ends of a pipe. The one who takes it closes both.
 *
 * @category models
 */
export interface Pipe {
  readonly read: number
  readonly write: number
}

/** @category models */
export interface Pipes {
  /** A new pipe; `undefined` where the machine has no named pipes. */
  readonly take: Effect.Effect<Pipe | undefined>
}

/**
 * Pipes that have a name in `folder` for a moment. The folder exists when the
 * first is taken.
 *
 * @category constructors
 */
export const make = (folder: string): Pipes => {
  const made: Array<string> = []
  let count = 0
  // Deno has no socket of a descriptor.
  let isPossible = process.platform !== "win32" && !("deno" in process.versions)

  const makeMore = Effect.async<void>((resume) => {
    const paths = Array.from({ length: atOnce }, () => join(folder, `pipe-${count++}`))
    execFile("mkfifo", ["-m", "600", ...paths], (error) => {
      if (error === null) made.push(...paths)
      else isPossible = false
      resume(Effect.void)
    })
  })

  const take: Effect.Effect<Pipe | undefined> = Effect.suspend(() => {
    const path = made.pop()
    if (path !== undefined) return Effect.succeed(open(path))
    return isPossible ? Effect.zipRight(makeMore, take) : Effect.succeed(undefined)
  })

  return { take }
}

/** `mkfifo` is a process (2 ms), so several pipes are made at a time. */
const atOnce = 16

const open = (path: string): Pipe | undefined => {
  let read: number | undefined
  try {
    // Opening for reading waits for a writer unless it is non-blocking.
    read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const write = openSync(path, constants.O_WRONLY)
    unlinkSync(path)
    return { read, write }
  } catch {
    if (read !== undefined) closeSync(read)
    return undefined
  }
}
