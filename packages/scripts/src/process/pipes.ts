/**
 * Pipes for what scripts print. Node gives a child sockets, which a script
 * cannot open as `/dev/stdout` or `/dev/stderr` and of which it cannot tell
 * whether all was read; so named pipes are made, opened at both ends, unlinked.
 */
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { closeSync, constants, openSync, unlinkSync } from "node:fs"
import { join } from "node:path"

/** Descriptors of the two ends of a pipe; whoever takes it closes both. */
export interface Pipe {
  readonly read: number
  readonly write: number
}

export interface Pipes {
  /** A new pipe; nothing where the machine has no named pipes. */
  readonly take: Effect.Effect<Pipe | undefined>
}

/** `mkfifo` is a process of its own (2 ms), so pipes are made some at a time. */
const atOnce = 16

const open = (path: string): Pipe | undefined => {
  let read: number | undefined
  try {
    // Non-blocking, since opening for reading waits for a writer otherwise.
    read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const write = openSync(path, constants.O_WRONLY)
    unlinkSync(path)
    return { read, write }
  } catch {
    if (read !== undefined) closeSync(read)
    return undefined
  }
}

export const makePipes = (folder: string): Pipes => {
  const made: Array<string> = []
  let count = 0
  let isPossible = process.platform !== "win32"

  const make = Effect.async<void>((resume) => {
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
    return isPossible ? Effect.zipRight(make, take) : Effect.succeed(undefined)
  })

  return { take }
}
