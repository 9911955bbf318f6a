/**
 * A program that speaks in lines: it reads lines on its standard input and
 * writes lines on its standard output, as servers of protocols over stdio do.
 */
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Lines from "./Lines.js"
import * as Process from "./Process.js"
import * as Tail from "./Tail.js"

/** @category models */
export interface Options {
  /** An absolute path, or a name on the `PATH` of `environment`. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** The whole environment: nothing is inherited. See `Environment.inherit`. */
  readonly environment: { readonly [name: string]: string }
  readonly workingDirectory: string
  /** The most bytes of one line that the program writes. 16 MiB unless given. */
  readonly lineLimit?: number | undefined
  /** How many of the last bytes of standard error are kept. 16 KiB unless given. */
  readonly standardErrorLimit?: number | undefined
  /**
   * Milliseconds that the program has to end after its input was closed, and
   * again after `SIGTERM`, before it is killed. 2,000 unless given.
   */
  readonly patience?: number | undefined
}

/** @category models */
export interface LineProcess {
  readonly pid: number
  /** Writes a line, and waits until the program can take more. The line must not contain a line end. */
  readonly send: (line: string) => Effect.Effect<void, LinesEnded>
  /** The next line. Lines wait in memory, and the program waits when there are too many. */
  readonly receive: Effect.Effect<string, LinesEnded>
  /** The last text that the program wrote to standard error. */
  readonly standardError: () => string
}

/**
 * The program ended, or wrote a line longer than `lineLimit` and was killed.
 *
 * @category errors
 */
export class LinesEnded extends Data.TaggedError("LinesEnded")<{
  readonly reason: "ended" | "line-too-long"
  /** How it ended; both are `null` where it has not yet. */
  readonly ended: { readonly code: number | null; readonly signal: NodeJS.Signals | null }
  /** The last text that the program wrote to standard error. */
  readonly standardError: string
}> {}

/**
 * Starts a program. Closing the scope closes its input; a program that does not
 * end by that is sent `SIGTERM`, and is then killed with all that it has started.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment, LineProcess } from "@wield/process"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const { receive, send } = yield* LineProcess.start({
 *     command: process.execPath,
 *     arguments: ["-e", "process.stdin.pipe(process.stdout)"],
 *     environment: Environment.inherit(process.env),
 *     workingDirectory: "."
 *   })
 *   yield* send(`{"jsonrpc":"2.0"}`)
 *   return yield* receive
 * })
 * assert.strictEqual(await Effect.runPromise(Effect.scoped(program)), `{"jsonrpc":"2.0"}`)
 * ```
 *
 * @category constructors
 */
export const start = (options: Options): Effect.Effect<LineProcess, Process.NotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const { lineLimit = 16 * mebibyte, patience = 2000, standardErrorLimit = 16_384 } = options
    const errors = Tail.make(standardErrorLimit)
    const waiting: Array<string> = []
    const receivers: Array<Deferred.Deferred<string, LinesEnded>> = []
    let waitingBytes = 0
    let end: LinesEnded | undefined
    /** No line is taken any more. */
    let isClosing = false

    const finish = (reason: LinesEnded["reason"], ended: LinesEnded["ended"]) => {
      end ??= new LinesEnded({ reason, ended, standardError: errors.text() })
      for (const receiver of receivers.splice(0)) Deferred.unsafeDone(receiver, end)
    }
    const lines = Lines.make((line, bytes) => {
      if (end !== undefined) return
      if (bytes > lineLimit) return refuse()
      const receiver = receivers.shift()
      if (receiver !== undefined) return Deferred.unsafeDone(receiver, Effect.succeed(line))
      waiting.push(line)
      waitingBytes += Buffer.byteLength(line)
      if (isFull()) child.pause("standardOutput")
    })
    /** A receiver that was interrupted waits no longer, or gives back the line that came meanwhile. */
    const leave = (receiver: Deferred.Deferred<string, LinesEnded>) =>
      Effect.flatMap(Deferred.poll(receiver), (given) => {
        if (Option.isNone(given)) return Effect.sync(() => void receivers.splice(receivers.indexOf(receiver), 1))
        return Effect.match(given.value, {
          onFailure: () => undefined,
          onSuccess: (line) => {
            const next = receivers.shift()
            if (next !== undefined) return Deferred.unsafeDone(next, Effect.succeed(line))
            waiting.unshift(line)
            waitingBytes += Buffer.byteLength(line)
          }
        })
      })
    const refuse = () => {
      lines.drop()
      finish("line-too-long", { code: null, signal: null })
      child.kill()
    }
    const isFull = () => waitingBytes > mebibyte || waiting.length > mostLines

    const child = yield* Process.start(
      { ...options, channel: "standard" },
      {
        standardOutput: (chunk) => {
          if (end !== undefined || isClosing) return
          lines.push(chunk)
          if (lines.bytes() > lineLimit) refuse()
        },
        standardError: errors.push,
        ended: (ended) => finish("ended", ended)
      }
    )
    yield* Effect.addFinalizer(() => {
      const isOver = Effect.raceFirst(Effect.as(child.end, true), Effect.as(Process.sleep(patience), false))
      const stop = Effect.gen(function* () {
        isClosing = true
        waiting.length = 0
        child.resume("standardOutput")
        child.close()
        if (yield* isOver) return
        child.kill("SIGTERM")
        yield* isOver
      })
      // Finalizers are uninterruptible, and an uninterruptible race waits for its slower side.
      return Effect.flatMap(Effect.forkDaemon(Effect.interruptible(stop)), Fiber.await)
    })

    return {
      pid: child.pid,
      send: (line) =>
        Effect.async((resume) => {
          if (end !== undefined) return resume(end)
          child.send(Buffer.from(`${line}\n`), () => resume(end ?? Effect.void))
        }),
      receive: Effect.suspend(() => {
        const next = waiting.shift()
        if (next !== undefined) {
          waitingBytes -= Buffer.byteLength(next)
          if (!isFull()) child.resume("standardOutput")
          return Effect.succeed(next)
        }
        if (end !== undefined) return end
        const receiver = Deferred.unsafeMake<string, LinesEnded>(FiberId.none)
        receivers.push(receiver)
        return Effect.onInterrupt(Deferred.await(receiver), () => leave(receiver))
      }),
      standardError: errors.text
    }
  })

const mebibyte = 1024 * 1024

/** Lines that wait in memory before the program has to wait. */
const mostLines = 1000
