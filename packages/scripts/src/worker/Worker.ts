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
import { ActiveCall, awaitEnding, follow } from "./ActiveCall.js"
import type { Cause, Ending, ExceededLimit, Written } from "./Ending.js"
import type { Mode, Program, Request } from "./Program.js"
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
  Effect.suspend(() => new WorkerProcess(options).start(pipes))

class WorkerProcess implements Worker {
  readonly mode: Mode
  readonly redaction: Redaction
  readonly #loading: number
  readonly #captures = { standardOutput: makeCapture(), standardError: makeCapture() }
  readonly #patience = makePatience(() => this.#child.kill())
  readonly #lines = Lines.make((line, bytes) => this.#hearReply(line, bytes))
  /** Set by `start`, before anything else. */
  #child!: Process.Process
  #active: ActiveCall | undefined
  #group = 0
  #isLoaded = false
  #isReady = false
  #isEnded = false
  #retired: string | undefined
  #fault: string | undefined
  #calls = 0
  /** Bytes of replies since the last call. */
  #heard = 0
  /** Whether both streams were emptied since something was last read: to look again what an empty pipe holds costs 10 µs. */
  #isDrained = false

  constructor(private readonly options: WorkerOptions) {
    this.#loading = Duration.toMillis(options.loading)
    this.mode = options.program.mode
    this.redaction = options.redaction
  }

  start(pipes: Pipes.Pipes): Effect.Effect<Worker, Process.NotStarted, Scope.Scope> {
    const started = Process.start(
      {
        ...this.options.process,
        command: this.options.program.command,
        arguments: this.options.program.arguments,
        channel: this.options.program.needsPipes === true ? "pipes" : "descriptors",
        pipes
      },
      {
        standardOutput: (chunk) => this.#hear("standardOutput", chunk),
        standardError: (chunk) => this.#hear("standardError", chunk),
        replies: (chunk) => {
          // What has broken the protocol is being killed.
          if (this.#fault !== undefined) return
          this.#isDrained = false
          this.#lines.push(chunk)
          if (this.#active === undefined) {
            this.#heard += chunk.length
            if (this.#heard > mostBetweenCalls) this.#malformed("more than 1 MiB on descriptor 4 while no call ran")
          } else if (this.#lines.bytes() > this.#active.request.output + answerOverhead) {
            this.#exceedOutput(this.#active, "result")
            this.#lines.drop()
          }
        },
        unsent: () => {
          if (this.#active !== undefined) this.#active.isUntold = true
        },
        ended: (ended) => {
          this.#isEnded = true
          this.#isReady = false
          this.#patience.stop()
          if (this.#active !== undefined) {
            const { answer, cause, isUntold } = this.#active
            const how: Cause = answer === undefined ? { type: "ended", ended, isUntold } : { type: "answered", answer }
            this.#finish(this.#active, cause ?? how)
          }
          this.options.ended(this, {
            ended,
            isLoaded: this.#isLoaded,
            fault: this.#fault,
            standardErrorTail: this.#captures.standardError.tail(this.redaction)
          })
        }
      }
    )
    return Effect.map(started, (child) => {
      this.#child = child
      child.send(this.options.program.load)
      return this
    })
  }

  get pid(): number {
    return this.#child.pid
  }

  get mark(): string {
    return this.#child.mark
  }

  get end(): Effect.Effect<void> {
    return Effect.asVoid(this.#child.end)
  }

  isReady(): boolean {
    return this.#isReady && this.#active === undefined && this.#retired === undefined && !this.#isEnded
  }

  calls(): number {
    return this.#calls
  }

  retired(): string | undefined {
    return this.#retired
  }

  call(request: Request): Effect.Effect<Either.Either<Ending, string>> {
    return Effect.flatMap(CurrentCall.CurrentCall, ({ id, progress }) =>
      Effect.uninterruptibleMask((restore) => {
        const call = new ActiveCall(request, id === "" ? undefined : this.redaction)
        const untold = this.#begin(call)
        if (untold !== undefined) return Effect.succeed<Either.Either<Ending, string>>(Either.left(untold))
        const resume = (name: Process.StreamName) => {
          if (!this.#isEnded) this.#child.resume(name)
        }
        return restore(follow(call, progress, resume)).pipe(
          Effect.onInterrupt(() => {
            this.#stop(call, { type: "interrupted" })
            return awaitEnding(call)
          }),
          Effect.map((ending) => Either.right(ending))
        )
      })
    )
  }

  close(): void {
    this.#retired ??= "it was closed"
    this.#child.close()
  }

  needed(): ((found: ProcessTable.RunningProcess) => boolean) | undefined {
    // In `keep`, what a script has started is part of what stays.
    if (this.#active !== undefined || this.mode === "keep" || this.#isEnded) return undefined
    return isOwn(this.#child, this.mode)
  }

  /** Sends the program a call, or returns why it cannot be encoded. */
  #begin(call: ActiveCall): string | undefined {
    const marker = `${this.#child.mark}-${this.#calls}`
    const tried = Either.try({
      try: () => this.options.program.encodeCall({ ...call.request.call, marker }),
      catch: () => "they are nested too deeply, or too large, to be written as JSON"
    })
    const encoded = Either.flatMap(tried, (written) => written)
    if (Either.isLeft(encoded)) return encoded.left
    this.#calls++
    this.#heard = 0
    this.#isReady = false
    this.#active = call
    this.#captures.standardOutput.begin(marker, call.request.isOutputKept)
    this.#captures.standardError.begin(marker, false)
    call.unwatch = this.options.watch({
      worker: this.#child.pid,
      group: this.#group,
      mark: this.#child.mark,
      outputFile: call.request.call.environment["LLM_OUTPUT"],
      exceed: (limit) =>
        limit === "output" ? this.#exceedOutput(call, "result") : this.#stop(call, { type: "exceeded", limit })
    })
    this.#child.send(encoded.right)
    return undefined
  }

  #hear(name: Process.StreamName, chunk: Buffer): void {
    const capture = this.#captures[name]
    const call = this.#active
    if (call === undefined) {
      // Between calls only what was left behind prints; before the first it is the script being loaded.
      if (!this.#isLoaded) capture.push(chunk)
      return
    }
    const isOver = capture.bytes() > call.request.output
    if (isOver && call.cause !== undefined) return
    const part = capture.push(chunk)
    if (capture.bytes() > call.request.output) this.#exceedOutput(call, name)
    else if (call.pending !== undefined && part.length > 0) {
      call.pending[name].push(part)
      // Once it has answered, no more comes than the pipe holds.
      if (call.pending[name].isFull() && call.answer === undefined) this.#child.pause(name)
      call.wake?.()
    }
    if (capture.isMarked()) this.#completeMarked(call)
  }

  #drain(): boolean {
    this.#isDrained ||= this.#child.drain()
    return this.#isDrained
  }

  #complete(call: ActiveCall, answer: Answer): void {
    this.#finish(call, call.cause ?? { type: "answered", answer })
  }

  #completeMarked(call: ActiveCall): void {
    if (call.answer === undefined || !Process.streamNames.every((name) => this.#captures[name].isMarked())) return
    this.#complete(call, call.answer)
  }

  #finish(call: ActiveCall, cause: Cause): void {
    if (this.#active !== call) return
    if (call.isClearing && !this.#isEnded) {
      call.postponed = cause
      return
    }
    for (const name of Process.streamNames) {
      const part = this.#captures[name].flush()
      if (part.length > 0) call.pending?.[name].push(part)
      if (call.pending?.[name].isFull() === true) this.#child.resume(name)
    }
    call.unwatch()
    const { isOutputKept } = call.request
    call.ending = {
      cause,
      standardOutput: isOutputKept ? this.#captures.standardOutput.all() : nothing,
      standardOutputTail: this.#captures.standardOutput.tail(this.redaction),
      standardErrorTail: this.#captures.standardError.tail(this.redaction),
      isSecretAnswered: call.isSecretAnswered
    }
    this.#active = undefined
    call.wake?.()
    if (this.#retired !== undefined || this.#isEnded) return
    if (this.#isReady) this.options.ready(this)
    else this.#patience.begin(this.#loading)
  }

  #exceedOutput(call: ActiveCall, written: Written): void {
    this.#stop(call, { type: "exceeded", limit: "output", written })
  }

  /** Kills all that a call has started. */
  #stop(call: ActiveCall, cause: Cause): void {
    if (this.#active !== call || call.cause !== undefined) return
    call.cause = cause
    for (const name of Process.streamNames) this.#child.resume(name)
    if (this.mode !== "fork") {
      this.#retired ??= "its call was stopped"
      return this.#child.kill()
    }
    // The call is over when what it has started is gone, not when it got the signal.
    call.isClearing = true
    clearCall(this.#child, this.#group, () => {
      call.isClearing = false
      if (call.postponed !== undefined) this.#finish(call, call.postponed)
    })
    this.#isReady = false
    this.#patience.begin(comeBackLimit)
  }

  #malformed(detail: string): void {
    this.#retired ??= detail
    this.#fault ??= detail
    if (this.#active === undefined) return this.#child.kill()
    this.#stop(this.#active, { type: "malformed", detail })
    this.#child.kill()
  }

  #hearReply(line: string, bytes: number): void {
    const call = this.#active
    if (call !== undefined) {
      // `ready` comes after the answer.
      call.isSecretAnswered ||= this.redaction.isIn(line)
      if (bytes > call.request.output + answerOverhead) this.#exceedOutput(call, "result")
    }
    Either.match(decodeReply(line), {
      onLeft: (detail) => this.#malformed(detail),
      onRight: (reply) => this.#hearDecoded(call, reply)
    })
  }

  #hearDecoded(call: ActiveCall | undefined, reply: Reply): void {
    if (reply.type === "ready") {
      if (call !== undefined && call.answer === undefined && call.cause === undefined) {
        return this.#malformed("it was ready before it had answered")
      }
      this.#group = reply.pid
      // What is printed by then, while loading or by what was left behind, belongs to no call.
      const isRead = this.#drain()
      if (this.#isLoaded || isRead) return this.#becomeReady()
      // What was printed while loading is read in this turn of the event loop.
      setImmediate(() => this.#becomeReady())
      return
    }
    if (reply.type === "failed") {
      if (call === undefined) return
      this.#drain()
      return this.#finish(call, call.cause ?? { type: "failed", error: reply.error, detail: reply.detail })
    }
    if (call === undefined || call.answer !== undefined) return this.#malformed("an answer to no call")
    this.#hearAnswer(call, reply)
  }

  #hearAnswer(call: ActiveCall, answer: Answer): void {
    call.answer = answer
    this.#retired ??= answer.retire
    for (const name of Process.streamNames) this.#child.resume(name)
    const isRead = answer.isRead === true || this.#drain()
    if (isRead || !answer.isMarked) return this.#complete(call, answer)
    this.#completeMarked(call)
    if (this.#active === call) {
      // The turn after the timer's reads what has been waiting since the answer came.
      setTimeout(() => setImmediate(() => this.#complete(call, answer)), markerLimit)
    }
  }

  #becomeReady(): void {
    if (this.#isEnded) return
    this.#patience.end()
    this.#isLoaded = true
    this.#isReady = true
    if (this.#active === undefined && this.#retired === undefined) this.options.ready(this)
  }
}

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
