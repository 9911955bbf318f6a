/**
 * A program that speaks in lines: it reads lines on its standard input and
 * writes lines on its standard output, as servers of protocols over stdio do.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { aFunction, aLimit, checkOptions, type Kind, milliseconds, program } from "./internal/check.js"
import * as Lines from "./Lines.js"
import * as Process from "./Process.js"
import * as Tail from "./Tail.js"

/** @category models */
export interface Options extends Omit<Process.Options, "channel" | "pipes"> {
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

/**
 * Receives what the program writes.
 *
 * @category models
 */
export interface Listener {
  /** A line, without its end. */
  readonly line: (line: string) => void
  /** Called once, after the last line. */
  readonly ended: (end: LinesEnded) => void
}

/** @category models */
export interface LineProcess {
  readonly pid: number
  /** Writes a line, which must not contain a line end. `done` is called when the program can take more, or has not taken this. */
  readonly send: (line: string, done?: (isSent: boolean) => void) => void
  /** Takes no lines for now. The program waits when the pipe is full. */
  readonly pause: () => void
  readonly resume: () => void
  /** The last text that the program wrote to standard error. */
  readonly standardError: () => string
}

/**
 * Why no line comes any more: the program ended, or was killed. It wrote a line
 * longer than `lineLimit`, or closed its standard input or output and ran on.
 *
 * @category models
 */
export interface LinesEnded {
  readonly reason: "ended" | "line-too-long" | "closed"
  /** How it ended; both are `null` where it has not yet. */
  readonly ended: Process.Ended
  /** The last text that the program wrote to standard error. */
  readonly standardError: string
}

/**
 * Starts a program. Closing the scope closes its input; a program that does not
 * end by that is sent `SIGTERM`, and is then killed with all that it has started.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment, LineProcess } from "@wield/process"
 * import { Deferred, Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const answer = yield* Deferred.make<string>()
 *   const server = yield* LineProcess.start(
 *     {
 *       command: process.execPath,
 *       arguments: ["-e", "process.stdin.pipe(process.stdout)"],
 *       environment: Environment.inherit(process.env),
 *       workingDirectory: "."
 *     },
 *     {
 *       line: (line) => Deferred.unsafeDone(answer, Effect.succeed(line)),
 *       ended: ({ standardError }) => Deferred.unsafeDone(answer, Effect.succeed(standardError))
 *     }
 *   )
 *   server.send(`{"jsonrpc":"2.0"}`)
 *   return yield* Deferred.await(answer)
 * })
 * assert.strictEqual(await Effect.runPromise(Effect.scoped(program)), `{"jsonrpc":"2.0"}`)
 * ```
 *
 * @category constructors
 */
export const start = (
  options: Options,
  listener: Listener
): Effect.Effect<LineProcess, Process.NotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    checkOptions("What LineProcess starts", kinds, options, Object.keys(program))
    checkOptions("The listener of LineProcess", { line: aFunction, ended: aFunction }, listener, ["line", "ended"])
    const { lineLimit = 16 * 1024 * 1024, patience = 2000, standardErrorLimit = 16_384, ...started } = options
    const errors = Tail.make(standardErrorLimit)
    let isOver = false
    /** No line is taken any more. */
    let isClosing = false

    let closed: NodeJS.Timeout | undefined
    const finish = (reason: LinesEnded["reason"], ended: Process.Ended) => {
      clearTimeout(closed)
      if (isOver) return
      isOver = true
      listener.ended({ reason, ended, standardError: errors.text() })
    }
    const refuse = (reason: LinesEnded["reason"]) => {
      lines.drop()
      finish(reason, { code: null, signal: null })
      child.kill()
    }
    /** A program that ends closes both just before. */
    const close = () => {
      if (!isOver && !isClosing) closed ??= setTimeout(() => refuse("closed"), timeToEnd)
    }
    const lines = Lines.make((line, bytes) => {
      if (isOver || isClosing) return
      if (bytes > lineLimit) refuse("line-too-long")
      else listener.line(line)
    })
    const child = yield* Process.start(
      { ...started, channel: "standard" },
      {
        standardOutput: (chunk) => {
          if (isOver || isClosing) return
          lines.push(chunk)
          if (lines.bytes() > lineLimit) refuse("line-too-long")
        },
        standardError: errors.push,
        unsent: close,
        outputEnded: close,
        ended: (ended) => finish("ended", ended)
      }
    )
    yield* Effect.addFinalizer(() => {
      const hasEnded = Effect.raceFirst(Effect.as(child.end, true), Effect.as(Process.sleep(patience), false))
      const stop = Effect.gen(function* () {
        isClosing = true
        clearTimeout(closed)
        child.close()
        if (yield* hasEnded) return
        child.kill("SIGTERM")
        yield* hasEnded
      })
      // Finalizers are uninterruptible, and an uninterruptible race waits for its slower side.
      return Effect.flatMap(Effect.forkDaemon(Effect.interruptible(stop)), Fiber.await)
    })

    return {
      pid: child.pid,
      send: (line, done) => (isOver ? done?.(false) : child.send(Buffer.from(`${line}\n`), done)),
      pause: () => child.pause("standardOutput"),
      resume: () => child.resume("standardOutput"),
      standardError: errors.text
    }
  })

const kinds: { readonly [Name in keyof Required<Options>]: Kind } = {
  ...program,
  lineLimit: aLimit,
  standardErrorLimit: aLimit,
  patience: milliseconds
}

/** In milliseconds. */
const timeToEnd = 500
