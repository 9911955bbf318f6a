/**
 * Starts a program in a session of its own and ends it with its scope, and with
 * it all that it has started.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn as spawnChild, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, readSync } from "node:fs"
import { Socket, type OnReadOpts, type SocketConstructorOpts } from "node:net"
import type { Readable } from "node:stream"
import { delay } from "./delay.js"
import { killAllMarked, killGroup } from "./kill.js"
import type { Pipe, Pipes } from "./pipes.js"
import { markVariable } from "./processTable.js"

/** How a process ended: one of both is null. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface SpawnOptions {
  /** Absolute path of what is started. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** All of it: nothing is inherited. */
  readonly environment: { readonly [name: string]: string }
  readonly workingDirectory: string
  /** What to do where the command is missing, as a sentence of the message. */
  readonly advice: string
}

export type StreamName = "standardOutput" | "standardError"

export const streamNames: ReadonlyArray<StreamName> = ["standardOutput", "standardError"]

/** Told of what the program says. Bytes are to be copied where they are kept: the next read overwrites them. */
export interface Listener {
  readonly standardOutput: (chunk: Buffer) => void
  readonly standardError: (chunk: Buffer) => void
  readonly replies: (chunk: Buffer) => void
  /** What was sent has not reached it whole, since it has ended. */
  readonly unsent: () => void
  /** Once, after all that it had printed was told. */
  readonly ended: (ended: Ended) => void
}

export interface SpawnedProgram {
  readonly pid: number
  /** The value of `WIELD_PROCESS` of all that it starts. */
  readonly mark: string
  /** Writes to its descriptor 3. */
  readonly send: (bytes: Uint8Array) => void
  /** Says that no more will be sent, at which the program ends by itself. */
  readonly close: () => void
  /** Stops reading a stream, so that the program waits when the pipe is full. */
  readonly pause: (stream: StreamName) => void
  readonly resume: (stream: StreamName) => void
  /**
   * Tells all that both streams hold at this moment, and gives whether that was
   * possible. What a program had written before it said something is told then.
   */
  readonly drain: () => boolean
  /** Kills it; what it has started is killed when it has ended. */
  readonly kill: () => void
  /** Waits for its end and for that of all that it had started. */
  readonly end: Effect.Effect<Ended>
}

export class NotSpawned extends Data.TaggedError("NotSpawned")<{
  readonly reason: "interpreter-missing" | "internal"
  readonly detail: string
}> {}

/** How long, in milliseconds, to wait for the end of a stream whose writers were killed. */
const streamEndLimit = 500

/** Reads at most of a pipe that is always filled again: a pipe holds 1 MiB at most. */
const mostReads = 17

interface PipeReader {
  readonly stream: Socket
  /** Tells what the pipe holds at this moment. */
  readonly drain: () => void
}

const readPipe = (pipe: Pipe, told: (chunk: Buffer) => void): PipeReader => {
  const buffer = Buffer.allocUnsafe(65536)
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd: pipe.read,
    readable: true,
    writable: false,
    onread: {
      buffer,
      // Called while it is read, and not at all while paused: nothing that was
      // read waits in Node, so that what is read in other ways comes after it.
      callback: (length) => {
        told(buffer.subarray(0, length))
        return true
      }
    }
  }
  const stream = new Socket(options).resume()
  const read = (): number => {
    try {
      return readSync(pipe.read, buffer)
    } catch {
      // It is empty.
      return 0
    }
  }
  return {
    stream,
    drain: () => {
      // The descriptor of one that was destroyed may be another's by now.
      for (let left = mostReads; left > 0 && !stream.destroyed; left--) {
        const length = read()
        if (length > 0) told(buffer.subarray(0, length))
        if (length < buffer.length) return
      }
    }
  }
}

const closed = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else {
      stream.once("close", resolve)
      // A pipe that fails to be read has nothing more to tell.
      stream.once("error", () => resolve())
    }
  })

const notSpawned = (options: SpawnOptions, error: NodeJS.ErrnoException): NotSpawned => {
  if (!existsSync(options.workingDirectory)) {
    return new NotSpawned({
      reason: "internal",
      detail: "the working directory it is to be started in does not exist; create it or name another"
    })
  }
  if (error.code === "E2BIG") {
    return new NotSpawned({
      reason: "internal",
      detail:
        "its environment is larger than the system allows; make .env, or what environment.set or pass gives, smaller"
    })
  }
  return error.code === "ENOENT" || error.code === "EACCES"
    ? new NotSpawned({
        reason: "interpreter-missing",
        detail: `${options.command} ${error.code === "ENOENT" ? "does not exist" : "may not be executed"}; ${options.advice}`
      })
    : new NotSpawned({ reason: "internal", detail: `${options.command} could not be started (${error.code})` })
}

interface Started {
  readonly child: ChildProcess
  readonly pid: number
  readonly exited: Promise<Ended>
}

const start = (
  options: SpawnOptions,
  mark: string,
  output: number | "pipe",
  error: number | "pipe"
): Effect.Effect<Started, NotSpawned> =>
  Effect.async((resume) => {
    try {
      const child = spawnChild(options.command, options.arguments, {
        cwd: options.workingDirectory,
        env: { ...options.environment, [markVariable]: mark },
        stdio: ["ignore", output, error, "pipe", "pipe"],
        detached: true
      })
      const { pid } = child
      if (pid === undefined) {
        child.once("error", (cause) => resume(Effect.fail(notSpawned(options, cause))))
        return
      }
      // Listened to before anything is awaited: it may end before the next turn.
      const exited = new Promise<Ended>((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })))
      resume(Effect.succeed({ child, pid, exited }))
    } catch (cause) {
      // Node raises where the arguments are too long, or hold a NUL character.
      const thrown = cause instanceof Error ? cause : new Error(String(cause))
      resume(Effect.fail(notSpawned(options, thrown)))
    }
  })

export const spawn = (
  pipes: Pipes,
  options: SpawnOptions,
  listener: Listener
): Effect.Effect<SpawnedProgram, NotSpawned, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const mark = randomBytes(12).toString("hex")
      const output = yield* pipes.take
      const error = yield* pipes.take
      const { child, exited, pid } = yield* start(options, mark, output?.write ?? "pipe", error?.write ?? "pipe").pipe(
        Effect.onError(() =>
          Effect.sync(() => {
            for (const pipe of [output, error]) if (pipe !== undefined) closeSync(pipe.read)
          })
        ),
        Effect.ensuring(
          Effect.sync(() => {
            for (const pipe of [output, error]) if (pipe !== undefined) closeSync(pipe.write)
          })
        )
      )
      // Node gives a socket for each "pipe" asked for above; its types know only the first three descriptors.
      const [, , , calls, replies] = child.stdio as unknown as [null, Readable | null, Readable | null, Socket, Socket]
      // Writing to a program that has ended fails, and so does reading, where it
      // ended with something that it had not read: the latter only comes when read for.
      calls.on("error", listener.unsent).resume()
      replies.on("error", () => undefined)
      replies.on("data", listener.replies)
      const readers = {
        standardOutput: output && readPipe(output, listener.standardOutput),
        standardError: error && readPipe(error, listener.standardError)
      }
      const streamOf = (reader: PipeReader | undefined, stream: Readable | null, told: (chunk: Buffer) => void) =>
        reader === undefined ? (stream as Readable).on("data", told) : reader.stream
      const streams = {
        standardOutput: streamOf(readers.standardOutput, child.stdout, listener.standardOutput),
        standardError: streamOf(readers.standardError, child.stderr, listener.standardError)
      }
      for (const stream of Object.values(streams)) stream.on("error", () => undefined)

      const ended = yield* Deferred.make<Ended>()
      const all = [streams.standardOutput, streams.standardError, replies, calls]
      const allClosed = Promise.all(all.map(closed))
      const watch = Effect.gen(function* () {
        const result = yield* Effect.promise(() => exited)
        killGroup(pid)
        yield* killAllMarked(mark)
        for (const stream of all) stream.resume()
        yield* Effect.race(
          Effect.promise(() => allClosed),
          delay(streamEndLimit)
        )
        for (const stream of all) stream.destroy()
        listener.ended(result)
        yield* Deferred.succeed(ended, result)
      })
      // Interruptible, as acquiring is not: a race waits for its slower side otherwise.
      yield* Effect.forkDaemon(Effect.interruptible(watch))

      return {
        pid,
        mark,
        send: (bytes) => void calls.write(bytes),
        close: () => void calls.end(),
        pause: (name) => void streams[name].pause(),
        resume: (name) => void streams[name].resume(),
        drain: () => {
          readers.standardOutput?.drain()
          readers.standardError?.drain()
          return readers.standardOutput !== undefined && readers.standardError !== undefined
        },
        kill: () => void killGroup(pid),
        end: Deferred.await(ended)
      } satisfies SpawnedProgram
    }),
    (program) => Effect.zipRight(Effect.sync(program.kill), program.end)
  )
