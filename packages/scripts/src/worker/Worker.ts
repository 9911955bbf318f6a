/**
 * One program that serves calls: tells it a call, hears its answer, and ends
 * the call where it takes more than it may.
 */
import { CurrentCall } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { makeCapture } from "../process/capture.js"
import { delay } from "../process/delay.js"
import { killGroup, killUntilGone } from "../process/kill.js"
import type { Pipes } from "../process/pipes.js"
import { findProcess, type RunningProcess } from "../process/processTable.js"
import type { Redaction } from "../process/redaction.js"
import { spawn, type Ended, type NotSpawned, type SpawnOptions, type StreamName } from "../process/spawn.js"
import type { Answer, Mode, Program, ProgramCall, Reply } from "../program/Program.js"
import type { Cause, Ending, ExceededLimit } from "./Ending.js"
import { makePending, streamLabel, type Pending, type Printed } from "./progress.js"
import { decodeReply, makeLines } from "./replies.js"

export interface Bounds {
  readonly time: Duration.Duration
  /** Bytes of each stream, and of an answer. */
  readonly output: number
}

export interface Request {
  /** A call but for its marker, which the worker makes. */
  readonly call: Omit<ProgramCall, "marker">
  readonly bounds: Bounds
  /** Whether standard output may be the result and all of it is kept. */
  readonly isOutputKept: boolean
}

/** What watches the time and the processes of a call; gives what ends the watch. */
export type Watch = (watched: {
  readonly worker: number
  readonly group: number
  readonly mark: string
  readonly time: Duration.Duration
  readonly exceed: (limit: ExceededLimit) => void
}) => () => void

export interface WorkerOptions {
  readonly program: Program
  readonly spawn: Omit<SpawnOptions, "command" | "arguments">
  readonly watch: Watch
  /** Of the environment that it is started with. */
  readonly redaction: Redaction
  /** How long it may take to be ready, at first and again after each call. */
  readonly loading: Duration.Duration
  /** The worker can take a call: after it was loaded, and after each call. */
  readonly ready: (worker: Worker) => void
  /** The worker has ended, and with it all that it had started. */
  readonly ended: (worker: Worker, how: WorkerEnded) => void
}

export interface WorkerEnded {
  readonly ended: Ended
  /** Whether it had ever been ready. */
  readonly isLoaded: boolean
  /** How it broke the protocol, where it did. */
  readonly fault: string | undefined
  readonly standardErrorTail: string
}

export interface Worker {
  readonly pid: number
  readonly mark: string
  readonly mode: Mode
  readonly isReady: () => boolean
  /** How many calls it was told. */
  readonly calls: () => number
  /** Why it must not be used again. */
  readonly retired: () => string | undefined
  /**
   * Tells it a call; only while it is ready. The left side: why the call cannot
   * be told to the program. Interruption ends when the call has ended.
   */
  readonly call: (request: Request) => Effect.Effect<Either.Either<Ending, string>>
  /** Says that no further call comes: the program ends by itself, or is killed with its scope. */
  readonly close: () => void
  /** Which processes of its mark it needs while no call runs: the others were left behind. Nothing while one runs. */
  readonly needed: () => ((found: RunningProcess) => boolean) | undefined
  /** Waits until it has ended, and all that it had started. */
  readonly end: Effect.Effect<void>
}

/** How long, in milliseconds, a program has to be ready again when the processes of its call were killed. */
const comeBackLimit = 1000

/** How long, in milliseconds, to wait for a marker that a script kept from being printed by closing its streams. */
const markerLimit = 100

/** How long, in milliseconds, whoever watches may take for what was printed; no more of the call is told after that. */
const progressLimit = 1000

/** What an answer has besides its value. */
const answerOverhead = 1024

/** Bytes of replies while no call runs: `ready`, and which scripts could not be loaded. */
const mostBetweenCalls = 1_048_576

/** What no timer of Node can wait for ends at once. */
const longestTimer = 2 ** 31 - 1

interface Active {
  readonly request: Request
  hasProgress: boolean
  readonly pending: { readonly [stream in StreamName]: Pending }
  unwatch: () => void
  cause: Cause | undefined
  answer: Answer | undefined
  isSecretAnswered: boolean
  /** Whether the program ended before it had read the call. */
  isUntold: boolean
  /** Whether what it had started is being killed. */
  isClearing: boolean
  /** How it ended, while that goes on. */
  postponed: Cause | undefined
  ending: Ending | undefined
  wake: (() => void) | undefined
}

const streamNames: ReadonlyArray<StreamName> = ["standardOutput", "standardError"]

export const makeWorker = (pipes: Pipes, options: WorkerOptions): Effect.Effect<Worker, NotSpawned, Scope.Scope> =>
  Effect.gen(function* () {
    const { redaction } = options
    const { mode } = options.program
    const captures = { standardOutput: makeCapture(), standardError: makeCapture() }
    let active: Active | undefined
    let group = 0
    let isLoaded = false
    let isReady = false
    let isEnded = false
    let retired: string | undefined
    let fault: string | undefined
    let calls = 0
    /** Bytes of replies since the last call. */
    let heard = 0
    let unready: NodeJS.Timeout | undefined

    const hear = (name: StreamName) => (chunk: Buffer) => {
      const capture = captures[name]
      const call = active
      if (call === undefined) {
        // Between calls only what was left behind prints; before the first it is the script being loaded.
        if (!isLoaded) capture.push(chunk)
        return
      }
      const isOver = capture.bytes() > call.request.bounds.output
      if (isOver && call.cause !== undefined) return
      const part = capture.push(chunk)
      if (capture.bytes() > call.request.bounds.output) exceed(call, "output")
      else if (call.hasProgress && part.length > 0) {
        call.pending[name].push(part)
        // Once it has answered, no more comes than the pipe holds, and the marker is in it.
        if (call.pending[name].isFull() && call.answer === undefined) child.pause(name)
        call.wake?.()
      }
      if (capture.isMarked()) complete(call)
    }

    const complete = (call: Active, isMarkerMissing = false) => {
      if (active !== call || call.answer === undefined) return
      const isTold = !call.answer.isMarked || isMarkerMissing || streamNames.every((name) => captures[name].isMarked())
      if (isTold) finish(call, call.cause ?? { type: "answered", answer: call.answer })
    }

    const finish = (call: Active, cause: Cause) => {
      if (active !== call) return
      if (call.isClearing && !isEnded) {
        call.postponed = cause
        return
      }
      for (const name of streamNames) {
        const part = captures[name].flush()
        if (call.hasProgress && part.length > 0) call.pending[name].push(part)
        if (call.pending[name].isFull()) child.resume(name)
      }
      call.unwatch()
      const { isOutputKept } = call.request
      call.ending = {
        cause,
        standardOutput: isOutputKept ? captures.standardOutput.all() : Buffer.alloc(0),
        standardOutputTail: captures.standardOutput.tail(redaction),
        standardErrorTail: captures.standardError.tail(redaction),
        isSecretAnswered: call.isSecretAnswered
      }
      active = undefined
      call.wake?.()
      if (retired !== undefined || isEnded) return
      if (isReady) options.ready(worker)
      else killUnlessReady(Duration.toMillis(options.loading))
    }

    /** A call may have stopped the program: its next one would wait for ever. */
    const killUnlessReady = (milliseconds: number) => {
      if (unready !== undefined || milliseconds > longestTimer) return
      unready = setTimeout(child.kill, milliseconds).unref()
    }

    const stopWaiting = () => {
      clearTimeout(unready)
      unready = undefined
    }

    const exceed = (call: Active, limit: ExceededLimit) => stop(call, { type: "exceeded", limit })

    const isOwn = (found: RunningProcess): boolean =>
      found.pid === child.pid || (mode === "fork" && (found.parent === child.pid || found.group === child.pid))

    /**
     * Whether the program has forked what leads a group. Scripts can say `ready`,
     * too, with the number of any process: that is not Wield's to kill.
     */
    const isForked = (leader: number): boolean => {
      const found = findProcess(leader)
      return found !== undefined && found.parent === child.pid && found.group === leader
    }

    /** Kills all that a call has started. */
    const stop = (call: Active, cause: Cause) => {
      if (active !== call || call.cause !== undefined) return
      call.cause = cause
      for (const name of streamNames) child.resume(name)
      if (mode !== "fork") {
        retired ??= "its call was stopped"
        return child.kill()
      }
      const stopped = group
      if (isForked(stopped)) killGroup(stopped)
      // The call is over when what it has started is gone, not when that was told to go.
      call.isClearing = true
      killUntilGone(
        (mark) => (mark === child.mark ? (found) => isOwn(found) && found.group !== stopped : undefined),
        () => {
          call.isClearing = false
          if (call.postponed !== undefined) finish(call, call.postponed)
        }
      )
      isReady = false
      killUnlessReady(comeBackLimit)
    }

    const malformed = (detail: string) => {
      retired ??= detail
      fault ??= detail
      if (active === undefined) return child.kill()
      stop(active, { type: "malformed", detail })
      child.kill()
    }

    const hearReply = (line: string) => {
      const call = active
      if (call !== undefined) {
        call.isSecretAnswered = redaction.isIn(line)
        if (Buffer.byteLength(line) > call.request.bounds.output + answerOverhead) exceed(call, "output")
      }
      Either.match(decodeReply(line), { onLeft: malformed, onRight: (reply) => hearDecoded(call, reply) })
    }

    const hearDecoded = (call: Active | undefined, reply: Reply) => {
      if (reply.type === "ready") {
        if (call !== undefined && call.answer === undefined && call.cause === undefined) {
          return malformed("it was ready before it had answered")
        }
        group = reply.pid
        if (isLoaded) return becomeReady()
        // What was printed while loading is read in this turn of the event loop.
        setImmediate(() => {
          isLoaded = true
          becomeReady()
        })
        return
      }
      if (reply.type === "failed") {
        if (call === undefined) return
        return finish(call, call.cause ?? { type: "failed", error: reply.error, detail: reply.detail })
      }
      if (call === undefined || call.answer !== undefined) return malformed("an answer to no call")
      call.answer = reply
      for (const name of streamNames) child.resume(name)
      retired ??= reply.retire
      complete(call)
      if (active === call) {
        // The turn after the timer's reads what has been waiting since the answer came.
        setTimeout(() => setImmediate(() => complete(call, true)), markerLimit)
      }
    }

    const becomeReady = () => {
      if (isEnded) return
      stopWaiting()
      isReady = true
      if (active === undefined && retired === undefined) options.ready(worker)
    }

    const lines = makeLines(hearReply)
    const child = yield* spawn(
      pipes,
      { ...options.spawn, command: options.program.command, arguments: options.program.arguments },
      {
        standardOutput: hear("standardOutput"),
        standardError: hear("standardError"),
        replies: (chunk) => {
          // What has broken the protocol is being killed.
          if (fault !== undefined) return
          lines.push(chunk)
          if (active === undefined) {
            heard += chunk.length
            if (heard > mostBetweenCalls) malformed("more than 1 MiB on descriptor 4 while no call ran")
          } else if (lines.bytes() > active.request.bounds.output + answerOverhead) {
            exceed(active, "output")
            lines.drop()
          }
        },
        unsent: () => {
          if (active !== undefined) active.isUntold = true
        },
        ended: (ended) => {
          isEnded = true
          isReady = false
          stopWaiting()
          if (active !== undefined) {
            const { answer, cause, isUntold } = active
            const how: Cause = answer === undefined ? { type: "ended", ended, isUntold } : { type: "answered", answer }
            finish(active, cause ?? how)
          }
          options.ended(worker, { ended, isLoaded, fault, standardErrorTail: captures.standardError.tail(redaction) })
        }
      }
    )

    const encodeCall = (call: ProgramCall): Either.Either<Uint8Array, string> =>
      Either.flatMap(
        Either.try({
          try: () => options.program.encodeCall(call),
          catch: () => "they are nested too deeply, or too large, to be written as JSON"
        }),
        (encoded) => encoded
      )

    const begin = (call: Active) => {
      const marker = `${child.mark}-${calls}`
      return Either.map(encodeCall({ ...call.request.call, marker }), (bytes) => {
        calls++
        heard = 0
        isReady = false
        active = call
        for (const name of streamNames) {
          captures[name].begin(marker, name === "standardOutput" && call.request.isOutputKept)
        }
        call.unwatch = options.watch({
          worker: child.pid,
          group,
          mark: child.mark,
          time: call.request.bounds.time,
          exceed: (limit) => exceed(call, limit)
        })
        child.send(bytes)
      })
    }

    /** What is to be told next; nothing where there is nothing. */
    const takePrinted = (call: Active): Printed | undefined => {
      for (const name of streamNames) {
        const wasFull = call.pending[name].isFull()
        const text = call.pending[name].take(call.ending !== undefined)
        if (wasFull && !isEnded) child.resume(name)
        if (text !== "") return { stream: streamLabel(name), text }
      }
      return undefined
    }

    const follow = (call: Active, progress: CurrentCall.Call["progress"]): Effect.Effect<Ending> =>
      Effect.suspend(() => {
        const printed = call.hasProgress ? takePrinted(call) : undefined
        if (printed !== undefined) {
          const told = Effect.raceFirst(Effect.as(progress(printed), true), Effect.as(delay(progressLimit), false))
          return Effect.flatMap(told, (isTaken) => {
            if (!isTaken) stopTelling(call)
            return follow(call, progress)
          })
        }
        if (call.ending !== undefined) return Effect.succeed(call.ending)
        const woken = Effect.async<void>((resume) => {
          call.wake = () => {
            call.wake = undefined
            resume(Effect.void)
          }
        })
        return Effect.zipRight(woken, follow(call, progress))
      })

    const stopTelling = (call: Active) => {
      call.hasProgress = false
      if (!isEnded) for (const name of streamNames) child.resume(name)
    }

    /** Waits for the end of a call that was told to stop, however long whoever watches takes. */
    const stopped = (call: Active): Effect.Effect<void> =>
      Effect.suspend(() => {
        stop(call, { type: "interrupted" })
        if (call.ending !== undefined) return Effect.void
        return Effect.async<void>((resume) => {
          call.wake = () => {
            if (call.ending !== undefined) resume(Effect.void)
          }
        })
      })

    const worker: Worker = {
      pid: child.pid,
      mark: child.mark,
      mode,
      isReady: () => isReady && active === undefined && retired === undefined && !isEnded,
      calls: () => calls,
      retired: () => retired,
      call: (request) =>
        Effect.flatMap(CurrentCall.CurrentCall, (current) =>
          Effect.uninterruptibleMask((restore) => {
            const call: Active = {
              request,
              hasProgress: current.id !== "",
              pending: {
                standardOutput: makePending(redaction),
                standardError: makePending(redaction)
              },
              unwatch: () => undefined,
              cause: undefined,
              answer: undefined,
              isSecretAnswered: false,
              isUntold: false,
              isClearing: false,
              postponed: undefined,
              ending: undefined,
              wake: undefined
            }
            const told = begin(call)
            if (Either.isLeft(told)) return Effect.succeed<Either.Either<Ending, string>>(Either.left(told.left))
            return restore(follow(call, current.progress)).pipe(
              Effect.onInterrupt(() => stopped(call)),
              Effect.map((ending) => Either.right(ending))
            )
          })
        ),
      close: () => {
        retired ??= "it was closed"
        child.close()
      },
      // In `keep`, what a script has started is part of what stays.
      needed: () => (active === undefined && mode !== "keep" && !isEnded ? isOwn : undefined),
      end: Effect.asVoid(child.end)
    }

    child.send(options.program.load)
    return worker
  })
