/** One program that serves calls: sends it a call, reads its answer, and stops what exceeds a limit. */
import * as CurrentCall from "@wield/core/CurrentCall"
import type { Pipes, ProcessGuard } from "@wield/process"
import * as Lines from "@wield/process/Lines"
import * as Process from "@wield/process/Process"
import * as ProcessTable from "@wield/process/ProcessTable"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { makeCapture } from "../process/capture.js"
import type { Redaction } from "../process/redaction.js"
import type { Cause, Ending, ExceededLimit, Written } from "./Ending.js"
import type { Mode, Program, Request } from "./Program.js"
import { streamLabel, type Printed, makePending, type Pending } from "./progress.js"
import { type Answer, decodeReply, type Reply } from "./Reply.js"

/** What watches the time and the processes of a call; gives what ends the watch. */
export type Watch = (
  work: Omit<ProcessGuard.Work, "exceed"> & { readonly exceed: (limit: ExceededLimit) => void }
) => () => void

export interface WorkerOptions {
  readonly program: Program
  readonly process: Pick<Process.Options, "environment" | "workingDirectory">
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
  readonly ended: Process.Ended
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
  /** Of the environment that it was started with. */
  readonly redaction: Redaction
  readonly isReady: () => boolean
  /** How many calls it had. */
  readonly calls: () => number
  /** Why it must not be used again. */
  readonly retired: () => string | undefined
  /**
   * Tells it a call; only while it is ready. The left side: why the call cannot
   * be encoded for the program. Interruption ends when the call has ended.
   */
  readonly call: (request: Request) => Effect.Effect<Either.Either<Ending, string>>
  /** Says that no further call comes: the program ends by itself, or is killed with its scope. */
  readonly close: () => void
  /** Which processes of its mark it needs while no call runs: the others were left behind. Nothing while one runs. */
  readonly needed: () => ((found: ProcessTable.RunningProcess) => boolean) | undefined
  /** Waits until it has ended, and all that it had started. */
  readonly end: Effect.Effect<void>
}

/** How long, in milliseconds, a program has to be ready again when the processes of its call were killed. */
const comeBackLimit = 1000

/** How long, in milliseconds, to wait for a marker that a script kept from being printed by closing its streams. */
const markerLimit = 100

/** What an answer has besides its value. */
const answerOverhead = 1024

/** Bytes of replies while no call runs: `ready`, and which scripts could not be loaded. */
const mostBetweenCalls = 1_048_576

/** Padding. */
const nothing = Buffer.alloc(0)

export const makeWorker = (
  pipes: Pipes.Pipes,
  options: WorkerOptions
): Effect.Effect<Worker, Process.NotStarted, Scope.Scope> =>
  Effect.gen(function* () {
    const { redaction } = options
    const { mode } = options.program
    const loading = Duration.toMillis(options.loading)
    const captures = { standardOutput: makeCapture(), standardError: makeCapture() }
    const patience = makePatience(() => child.kill())
    let active: ActiveCall | undefined
    let group = 0
    let isLoaded = false
    let isReady = false
    let isEnded = false
    let retired: string | undefined
    let fault: string | undefined
    let calls = 0
    /** Bytes of replies since the last call. */
    let heard = 0
    /** Whether both streams were emptied since something was last read: to look again what an empty pipe holds costs 10 µs. */
    let isDrained = false

    const hear = (name: Process.StreamName) => (chunk: Buffer) => {
      const capture = captures[name]
      const call = active
      if (call === undefined) {
        // Between calls only what was left behind prints; before the first it is the script being loaded.
        if (!isLoaded) capture.push(chunk)
        return
      }
      const isOver = capture.bytes() > call.request.output
      if (isOver && call.cause !== undefined) return
      const part = capture.push(chunk)
      if (capture.bytes() > call.request.output) exceedOutput(call, name)
      else if (call.pending !== undefined && part.length > 0) {
        call.pending[name].push(part)
        // Once it has answered, no more comes than the pipe holds.
        if (call.pending[name].isFull() && call.answer === undefined) child.pause(name)
        call.wake?.()
      }
      if (capture.isMarked()) completeMarked(call)
    }

    const drain = (): boolean => {
      isDrained ||= child.drain()
      return isDrained
    }

    const complete = (call: ActiveCall, answer: Answer) => finish(call, call.cause ?? { type: "answered", answer })

    const completeMarked = (call: ActiveCall) => {
      if (call.answer === undefined || !Process.streamNames.every((name) => captures[name].isMarked())) return
      complete(call, call.answer)
    }

    const finish = (call: ActiveCall, cause: Cause) => {
      if (active !== call) return
      if (call.isClearing && !isEnded) {
        call.postponed = cause
        return
      }
      for (const name of Process.streamNames) {
        const part = captures[name].flush()
        if (part.length > 0) call.pending?.[name].push(part)
        if (call.pending?.[name].isFull() === true) child.resume(name)
      }
      call.unwatch()
      const { isOutputKept } = call.request
      call.ending = {
        cause,
        standardOutput: isOutputKept ? captures.standardOutput.all() : nothing,
        standardOutputTail: captures.standardOutput.tail(redaction),
        standardErrorTail: captures.standardError.tail(redaction),
        isSecretAnswered: call.isSecretAnswered
      }
      active = undefined
      call.wake?.()
      if (retired !== undefined || isEnded) return
      if (isReady) options.ready(worker)
      else patience.begin(loading)
    }

    const exceedOutput = (call: ActiveCall, written: Written) =>
      stop(call, { type: "exceeded", limit: "output", written })

    /** Kills all that a call has started. */
    const stop = (call: ActiveCall, cause: Cause) => {
      if (active !== call || call.cause !== undefined) return
      call.cause = cause
      for (const name of Process.streamNames) child.resume(name)
      if (mode !== "fork") {
        retired ??= "its call was stopped"
        return child.kill()
      }
      // The call is over when what it has started is gone, not when it got the signal.
      call.isClearing = true
      clearCall(child, group, () => {
        call.isClearing = false
        if (call.postponed !== undefined) finish(call, call.postponed)
      })
      isReady = false
      patience.begin(comeBackLimit)
    }

    const malformed = (detail: string) => {
      retired ??= detail
      fault ??= detail
      if (active === undefined) return child.kill()
      stop(active, { type: "malformed", detail })
      child.kill()
    }

    const hearReply = (line: string, bytes: number) => {
      const call = active
      if (call !== undefined) {
        call.isSecretAnswered = redaction.isIn(line)
        if (bytes > call.request.output + answerOverhead) exceedOutput(call, "result")
      }
      Either.match(decodeReply(line), { onLeft: malformed, onRight: (reply) => hearDecoded(call, reply) })
    }

    const hearDecoded = (call: ActiveCall | undefined, reply: Reply) => {
      if (reply.type === "ready") {
        if (call !== undefined && call.answer === undefined && call.cause === undefined) {
          return malformed("it was ready before it had answered")
        }
        group = reply.pid
        // What is printed by then, while loading or by what was left behind, belongs to no call.
        const isRead = drain()
        if (isLoaded || isRead) return becomeReady()
        // What was printed while loading is read in this turn of the event loop.
        setImmediate(becomeReady)
        return
      }
      if (reply.type === "failed") {
        if (call === undefined) return
        drain()
        return finish(call, call.cause ?? { type: "failed", error: reply.error, detail: reply.detail })
      }
      if (call === undefined || call.answer !== undefined) return malformed("an answer to no call")
      hearAnswer(call, reply)
    }

    const hearAnswer = (call: ActiveCall, answer: Answer) => {
      call.answer = answer
      retired ??= answer.retire
      for (const name of Process.streamNames) child.resume(name)
      const isRead = answer.isRead === true || drain()
      if (isRead || !answer.isMarked) return complete(call, answer)
      completeMarked(call)
      if (active === call) {
        // The turn after the timer's reads what has been waiting since the answer came.
        setTimeout(() => setImmediate(() => complete(call, answer)), markerLimit)
      }
    }

    const becomeReady = () => {
      if (isEnded) return
      patience.end()
      isLoaded = true
      isReady = true
      if (active === undefined && retired === undefined) options.ready(worker)
    }

    const lines = Lines.make(hearReply)
    const child = yield* Process.start(
      {
        ...options.process,
        command: options.program.command,
        arguments: options.program.arguments,
        channel: options.program.needsPipes === true ? "pipes" : "descriptors",
        pipes
      },
      {
        standardOutput: hear("standardOutput"),
        standardError: hear("standardError"),
        replies: (chunk) => {
          // What has broken the protocol is being killed.
          if (fault !== undefined) return
          isDrained = false
          lines.push(chunk)
          if (active === undefined) {
            heard += chunk.length
            if (heard > mostBetweenCalls) malformed("more than 1 MiB on descriptor 4 while no call ran")
          } else if (lines.bytes() > active.request.output + answerOverhead) {
            exceedOutput(active, "result")
            lines.drop()
          }
        },
        unsent: () => {
          if (active !== undefined) active.isUntold = true
        },
        ended: (ended) => {
          isEnded = true
          isReady = false
          patience.stop()
          if (active !== undefined) {
            const { answer, cause, isUntold } = active
            const how: Cause = answer === undefined ? { type: "ended", ended, isUntold } : { type: "answered", answer }
            finish(active, cause ?? how)
          }
          options.ended(worker, { ended, isLoaded, fault, standardErrorTail: captures.standardError.tail(redaction) })
        }
      }
    )
    const needed = isOwn(child, mode)

    /** Sends the program a call, or returns why it cannot be encoded. */
    const begin = (call: ActiveCall): string | undefined => {
      const marker = `${child.mark}-${calls}`
      const tried = Either.try({
        try: () => options.program.encodeCall({ ...call.request.call, marker }),
        catch: () => "they are nested too deeply, or too large, to be written as JSON"
      })
      const encoded = Either.flatMap(tried, (written) => written)
      if (Either.isLeft(encoded)) return encoded.left
      calls++
      heard = 0
      isReady = false
      active = call
      captures.standardOutput.begin(marker, call.request.isOutputKept)
      captures.standardError.begin(marker, false)
      call.unwatch = options.watch({
        worker: child.pid,
        group,
        mark: child.mark,
        outputFile: call.request.call.environment["LLM_OUTPUT"],
        exceed: (limit) => (limit === "output" ? exceedOutput(call, "result") : stop(call, { type: "exceeded", limit }))
      })
      child.send(encoded.right)
      return undefined
    }

    const resume = (name: Process.StreamName) => {
      if (!isEnded) child.resume(name)
    }

    const worker: Worker = {
      pid: child.pid,
      mark: child.mark,
      mode,
      redaction,
      isReady: () => isReady && active === undefined && retired === undefined && !isEnded,
      calls: () => calls,
      retired: () => retired,
      call: (request) =>
        Effect.flatMap(CurrentCall.CurrentCall, ({ id, progress }) =>
          Effect.uninterruptibleMask((restore) => {
            const call = new ActiveCall(request, id === "" ? undefined : redaction)
            const untold = begin(call)
            if (untold !== undefined) return Effect.succeed<Either.Either<Ending, string>>(Either.left(untold))
            return restore(follow(call, progress, resume)).pipe(
              Effect.onInterrupt(() => {
                stop(call, { type: "interrupted" })
                return awaitEnding(call)
              }),
              Effect.map((ending) => Either.right(ending))
            )
          })
        ),
      close: () => {
        retired ??= "it was closed"
        child.close()
      },
      // In `keep`, what a script has started is part of what stays.
      needed: () => (active === undefined && mode !== "keep" && !isEnded ? needed : undefined),
      end: Effect.asVoid(child.end)
    }

    child.send(options.program.load)
    return worker
  })

interface ServingProgram {
  readonly pid: number
  readonly mark: string
}

/** Whether a program needs a process of its mark: the others belong to calls. */
const isOwn =
  ({ pid }: ServingProgram, mode: Mode) =>
  (found: ProcessTable.RunningProcess): boolean =>
    found.pid === pid || (mode === "fork" && (found.parent === pid || found.group === pid))

/**
 * Whether the program has forked what leads a group. Scripts can say `ready`,
 * too, with the number of any process: that is not Wield's to kill.
 */
const isForked = (program: ServingProgram, leader: number): boolean => {
  const found = ProcessTable.findProcess(leader)
  return found !== undefined && found.parent === program.pid && found.group === leader
}

/** Kills a call's process group in a program that forks, and what has left it; tells when all of it is gone. */
const clearCall = (program: ServingProgram, group: number, gone: () => void): void => {
  if (isForked(program, group)) ProcessTable.killGroup(group)
  const isNeeded = isOwn(program, "fork")
  ProcessTable.killUntilGone(
    (mark) => (mark === program.mark ? (found) => isNeeded(found) && found.group !== group : undefined),
    gone
  )
}

/** What no timer of Node can wait for ends at once. */
const longestTimer = 2 ** 31 - 1

/** Ends a program that is not ready in time: a call may have stopped it, and its next one would wait without end. */
const makePatience = (exhausted: () => void) => {
  let isWaiting = false
  let length = 0
  let timer: NodeJS.Timeout | undefined
  return {
    /** Begins to wait, unless it waits already. */
    begin: (milliseconds: number) => {
      if (isWaiting || milliseconds > longestTimer) return
      isWaiting = true
      // Each call waits: a second wait costs less than another timer.
      if (timer !== undefined && length === milliseconds) return void timer.refresh()
      clearTimeout(timer)
      length = milliseconds
      timer = setTimeout(() => isWaiting && exhausted(), milliseconds).unref()
    },
    end: () => {
      isWaiting = false
    },
    /** Never waits again. */
    stop: () => {
      isWaiting = true
      clearTimeout(timer)
    }
  }
}

/** How long, in milliseconds, the reader may take for what was printed; then the call reports no more. */
const progressLimit = 1000

/** What to report next; nothing where there is nothing. */
const takePrinted = (call: ActiveCall, resume: (stream: Process.StreamName) => void): Printed | undefined => {
  if (call.pending === undefined) return undefined
  for (const name of Process.streamNames) {
    const wasFull = call.pending[name].isFull()
    const text = call.pending[name].take(call.ending !== undefined)
    if (wasFull) resume(name)
    if (text !== "") return { stream: streamLabel(name), text }
  }
  return undefined
}

/** Gives how the call ended; `resume` goes on reading a stream. */
const follow = (
  call: ActiveCall,
  progress: CurrentCall.Call["progress"],
  resume: (stream: Process.StreamName) => void
): Effect.Effect<Ending> =>
  Effect.suspend(() => {
    const printed = takePrinted(call, resume)
    if (printed !== undefined) {
      const taken = Effect.raceFirst(Effect.as(progress(printed), true), Effect.as(Process.sleep(progressLimit), false))
      return Effect.flatMap(taken, (isTaken) => {
        if (!isTaken) {
          call.pending = undefined
          for (const name of Process.streamNames) resume(name)
        }
        return follow(call, progress, resume)
      })
    }
    if (call.ending !== undefined) return Effect.succeed(call.ending)
    return Effect.flatten(
      Effect.async<Effect.Effect<Ending>>((woken) => {
        call.wake = () => {
          call.wake = undefined
          woken(Effect.succeed(follow(call, progress, resume)))
        }
      })
    )
  })

/** Waits for the end of a call that was stopped, however slow its reader is. */
const awaitEnding = (call: ActiveCall): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (call.ending !== undefined) return Effect.void
    return Effect.async<void>((resume) => {
      call.wake = () => {
        if (call.ending !== undefined) resume(Effect.void)
      }
    })
  })

/** A call that a worker runs, as far as it has come. */
class ActiveCall {
  /** What it has printed and not reported yet; absent if no one listens. */
  pending: { readonly [stream in Process.StreamName]: Pending } | undefined
  unwatch: () => void = () => undefined
  cause: Cause | undefined
  answer: Answer | undefined
  isSecretAnswered = false
  /** Whether the program ended before it had read the call. */
  isUntold = false
  /** Whether what it had started is being killed. */
  isClearing = false
  /** How it ended, while that goes on. */
  postponed: Cause | undefined
  ending: Ending | undefined
  /** Called when there is something to report, or that it has ended. */
  wake: (() => void) | undefined

  /** `redaction` hides secrets in what it prints; without it, prints are not reported. */
  constructor(
    readonly request: Request,
    redaction: Redaction | undefined
  ) {
    this.pending = redaction && { standardOutput: makePending(redaction), standardError: makePending(redaction) }
  }
}
