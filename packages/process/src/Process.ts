/**
 * A program in a session of its own. It ends with its scope, and all that it
 * has started ends with it.
 *
 * Every process that the program starts carries the variable `WIELD_PROCESS`
 * (see `ProcessTable`). On Linux, processes that left the group are found by it.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, existsSync, readSync } from "node:fs"
import { Socket, type OnReadOpts, type SocketConstructorOpts } from "node:net"
import type { Readable } from "node:stream"
import type { Pipe, Pipes } from "./Pipes.js"
import { aFunction, anObject, checkOptions, type Kind, oneOf, program } from "./internal/check.js"
import { killAllMarked, killGroup, markVariable } from "./ProcessTable.js"

/**
 * How a process ended. Exactly one of both is `null`.
 *
 * @category models
 */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/**
 * What is started.
 *
 * @category models
 */
export interface Options {
  /** An absolute path, or a name on the `PATH` of `environment`. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** The whole environment: nothing is inherited. See `Environment.inherit`. */
  readonly environment: { readonly [name: string]: string }
  readonly workingDirectory: string
  /**
   * Where the program reads what `send` writes. `standard`: its standard input.
   * `descriptors`: descriptor 3, and it may reply on descriptor 4; its standard
   * input is empty. `pipes`: the same, where both are to be opened as `/dev/fd/3` and
   * `/dev/fd/4`, which sockets cannot be: Deno knows no descriptors of its starter.
   */
  readonly channel: "standard" | "descriptors" | "pipes"
  /** Pipes for its standard output and error, and for its channel where that is `pipes`. Sockets unless given. */
  readonly pipes?: Pipes | undefined
}

/**
 * A stream that the program writes to.
 *
 * @category models
 */
export type StreamName = "standardOutput" | "standardError"

/** @category models */
export const streamNames: ReadonlyArray<StreamName> = ["standardOutput", "standardError"]

/**
 * Receives what the program writes. Copy the bytes that you keep: the next
 * read overwrites them.
 *
 * @category models
 */
export interface Listener {
  readonly standardOutput: (chunk: Buffer) => void
  readonly standardError: (chunk: Buffer) => void
  /** Bytes of descriptor 4. */
  readonly replies?: (chunk: Buffer) => void
  /** The program ended, or closed its channel, before it had read all that was sent. */
  readonly unsent?: () => void
  /** Nothing will come on its standard output any more. The program may still run. */
  readonly outputEnded?: () => void
  /** Called once, after all output was delivered. */
  readonly ended: (ended: Ended) => void
}

/**
 * A running program.
 *
 * @category models
 */
export interface Process {
  readonly pid: number
  /** The value of `WIELD_PROCESS` in all that it starts. */
  readonly mark: string
  /** Writes to the channel. `done` is called when the program can take more, or has not taken this. */
  readonly send: (bytes: Uint8Array, done?: (isSent: boolean) => void) => void
  /** Closes the channel. A program that reads to its end then ends by itself. */
  readonly close: () => void
  /** Stops reading a stream, until the program has ended. It waits when the pipe is full. */
  readonly pause: (stream: StreamName) => void
  readonly resume: (stream: StreamName) => void
  /** Delivers all that both streams hold at this moment, and returns whether that was possible (it needs `pipes`). */
  readonly drain: () => boolean
  /** Signals its group, with `SIGKILL` unless given. What left the group is killed after its end. */
  readonly kill: (signal?: NodeJS.Signals) => void
  /** Waits for its end and for the end of all that it had started. */
  readonly end: Effect.Effect<Ended>
}

/**
 * The program could not be started.
 *
 * @category errors
 */
export class NotStarted extends Data.TaggedError("NotStarted")<{
  /**
   * `command`: it does not exist or may not be executed. `environment`: it is
   * larger than the system allows. `working-directory`: it does not exist.
   */
  readonly reason: "command" | "environment" | "working-directory" | "other"
  readonly detail: string
}> {}

/**
 * Waits by the machine's clock: processes end in its time, also where a test
 * has replaced the clock of Effect.
 *
 * @category time
 */
export const sleep = (milliseconds: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })

/**
 * Starts a program. Closing the scope kills it and all that it has started, and
 * waits for their end.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment, Process } from "@wield/process"
 * import { Effect } from "effect"
 *
 * const printed: Array<string> = []
 * const program = Process.start(
 *   {
 *     command: process.execPath,
 *     arguments: ["-p", "6 * 7"],
 *     environment: Environment.inherit(process.env),
 *     workingDirectory: ".",
 *     channel: "standard"
 *   },
 *   {
 *     standardOutput: (chunk) => printed.push(chunk.toString()),
 *     standardError: () => undefined,
 *     ended: () => undefined
 *   }
 * ).pipe(Effect.flatMap(({ end }) => end), Effect.scoped)
 *
 * assert.deepStrictEqual(await Effect.runPromise(program), { code: 0, signal: null })
 * assert.strictEqual(printed.join(""), "42\n")
 * ```
 *
 * @category constructors
 */
export const start = (options: Options, listener: Listener): Effect.Effect<Process, NotStarted, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      checkOptions("What Process starts", kinds, options, [...Object.keys(program), "channel"])
      checkOptions("The listener of Process", listenerKinds, listener, ["standardOutput", "standardError", "ended"])
      const mark = randomBytes(12).toString("hex")
      const output = options.pipes && (yield* options.pipes.take)
      const error = options.pipes && (yield* options.pipes.take)
      const isPiped = options.channel === "pipes" && options.pipes !== undefined
      const calls = isPiped ? yield* options.pipes.take : undefined
      const answers = isPiped ? yield* options.pipes.take : undefined
      const pipes = [output, error, answers].filter((pipe) => pipe !== undefined)
      const kept = [...pipes.map((pipe) => pipe.read), ...(calls === undefined ? [] : [calls.write])]
      const given = [...pipes.map((pipe) => pipe.write), ...(calls === undefined ? [] : [calls.read])]
      const descriptors: Array<number | "pipe"> = [output?.write ?? "pipe", error?.write ?? "pipe"]
      if (options.channel !== "standard") descriptors.push(calls?.read ?? "pipe", answers?.write ?? "pipe")
      const { child, exited, pid } = yield* spawnChild(options, mark, descriptors).pipe(
        Effect.onError(() => Effect.sync(() => kept.forEach(closeSync))),
        Effect.ensuring(Effect.sync(() => given.forEach(closeSync)))
      )
      // Node makes a socket for each "pipe" of `stdio`; its types know only the first three.
      const [input, , , third, fourth] = child.stdio as unknown as ReadonlyArray<Socket>
      const channel =
        calls === undefined
          ? // As above: where a channel is asked for, it is there.
            // As above: where a channel is asked for, it is there, and is a socket.
            ((options.channel === "standard" ? input : third) as Socket)
          : new Socket({ fd: calls.write, readable: false, writable: true })
      // Writing to a program that has ended fails. Reading fails, too, where it ended with unread input.
      channel.on("error", () => listener.unsent?.()).resume()
      const heard = (chunk: Buffer) => listener.replies?.(chunk)
      const replies =
        answers === undefined
          ? fourth?.on("data", heard)
          : readPipe(answers, (chunk) => heard(Buffer.from(chunk))).stream
      const readers = {
        standardOutput: output && readPipe(output, listener.standardOutput),
        standardError: error && readPipe(error, listener.standardError)
      }
      // Without a pipe of its own, a stream is one that Node made.
      const streams: { readonly [name in StreamName]: Readable } = {
        standardOutput:
          // They were asked for as pipes.
          readers.standardOutput?.stream ?? (child.stdout as Readable).on("data", listener.standardOutput),
        // As above.
        standardError: readers.standardError?.stream ?? (child.stderr as Readable).on("data", listener.standardError)
      }
      const all = [streams.standardOutput, streams.standardError, channel, ...(replies === undefined ? [] : [replies])]
      for (const stream of all) stream.on("error", () => undefined)
      streams.standardOutput.once("end", () => listener.outputEnded?.())

      let hasExited = false
      const ended = yield* Deferred.make<Ended>()
      const allClosed = Promise.all(all.map(closeOf))
      const watch = Effect.gen(function* () {
        const result = yield* Effect.promise(() => exited)
        yield* killAllMarked(mark)
        hasExited = true
        for (const stream of all) stream.resume()
        yield* Effect.race(
          Effect.promise(() => allClosed),
          sleep(streamEndLimit)
        )
        for (const stream of all) stream.destroy()
        listener.ended(result)
        yield* Deferred.succeed(ended, result)
      })
      // Acquiring is uninterruptible, and an uninterruptible race waits for its slower side.
      yield* Effect.forkDaemon(Effect.interruptible(watch))

      return {
        pid,
        mark,
        send: (bytes, done) =>
          void channel.write(bytes, (error) => {
            // A stream that is closed already emits no error.
            if (error != null) listener.unsent?.()
            done?.(error == null)
          }),
        close: () => void channel.end(),
        pause: (name) => void (hasExited || streams[name].pause()),
        resume: (name) => void streams[name].resume(),
        drain: () => {
          readers.standardOutput?.drain()
          readers.standardError?.drain()
          return readers.standardOutput !== undefined && readers.standardError !== undefined
        },
        kill: (signal = "SIGKILL") => {
          // Its number may be another's by now.
          if (child.exitCode !== null || child.signalCode !== null) return
          // Windows has no process groups.
          if (!killGroup(pid, signal)) child.kill(signal)
        },
        end: Deferred.await(ended)
      } satisfies Process
    }),
    (process) => Effect.zipRight(Effect.sync(process.kill), process.end)
  )

const kinds: { readonly [Name in keyof Required<Options>]: Kind } = {
  ...program,
  channel: oneOf("standard", "descriptors", "pipes"),
  pipes: anObject
}

// What a listener throws for lack of a function would end this process.
const listenerKinds: { readonly [Name in keyof Required<Listener>]: Kind } = {
  standardOutput: aFunction,
  standardError: aFunction,
  replies: aFunction,
  unsent: aFunction,
  outputEnded: aFunction,
  ended: aFunction
}

/** How long, in milliseconds, to wait for the end of a stream whose writers were killed. */
const streamEndLimit = 500

/** Reads at most of a pipe that is always filled again: a pipe holds 1 MiB at most. */
const mostReads = 17

interface PipeReader {
  readonly stream: Socket
  /** Delivers what the pipe holds at this moment. */
  readonly drain: () => void
}

const readPipe = (pipe: Pipe, listener: (chunk: Buffer) => void): PipeReader => {
  const buffer = Buffer.allocUnsafe(65536)
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd: pipe.read,
    readable: true,
    writable: false,
    onread: {
      buffer,
      // Called while it is read, and not at all while paused: nothing that was
      // read waits in Node, so what is read in other ways comes after it.
      callback: (length) => {
        listener(buffer.subarray(0, length))
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
      // The descriptor of a destroyed stream may belong to something else by now.
      for (let left = mostReads; left > 0 && !stream.destroyed; left--) {
        const length = read()
        if (length > 0) listener(buffer.subarray(0, length))
        if (length < buffer.length) return
      }
    }
  }
}

const closeOf = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed) resolve()
    else {
      stream.once("close", resolve)
      // A stream that cannot be read has nothing more to deliver.
      stream.once("error", () => resolve())
    }
  })

const spawnChild = (
  options: Options,
  mark: string,
  outputs: ReadonlyArray<number | "pipe">
): Effect.Effect<{ readonly child: ChildProcess; readonly pid: number; readonly exited: Promise<Ended> }, NotStarted> =>
  Effect.async((resume) => {
    try {
      const child = spawn(options.command, options.arguments, {
        cwd: options.workingDirectory,
        env: { ...options.environment, [markVariable]: mark },
        stdio: [options.channel === "standard" ? "pipe" : "ignore", ...outputs],
        detached: true,
        windowsHide: true
      })
      const { pid } = child
      if (pid === undefined) {
        child.once("error", (cause) => resume(Effect.fail(notStarted(options, cause))))
        return
      }
      // Before anything is awaited: the program may end before the next turn.
      const exited = new Promise<Ended>((resolve) =>
        child.once("exit", (code, signal) => {
          // At once, as long as what is left of its group keeps the number.
          killGroup(pid)
          resolve({ code, signal })
        })
      )
      resume(Effect.succeed({ child, pid, exited }))
    } catch (cause) {
      // Node throws where the arguments are too long, or hold a NUL character.
      resume(Effect.fail(notStarted(options, cause instanceof Error ? cause : new Error(String(cause)))))
    }
  })

const notStarted = ({ command, workingDirectory }: Options, error: NodeJS.ErrnoException): NotStarted => {
  if (!existsSync(workingDirectory)) {
    return new NotStarted({
      reason: "working-directory",
      detail: "the working directory it is to be started in does not exist; create it or name another"
    })
  }
  switch (error.code) {
    case "E2BIG":
      return new NotStarted({ reason: "environment", detail: "its environment is larger than the system allows" })
    case "ENOENT":
      return new NotStarted({ reason: "command", detail: `${command} does not exist` })
    case "EACCES":
      return new NotStarted({ reason: "command", detail: `${command} may not be executed` })
    default:
      return new NotStarted({ reason: "other", detail: `${command} could not be started (${error.code})` })
  }
}
