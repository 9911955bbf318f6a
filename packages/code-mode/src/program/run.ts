/**
 * One pass of a program: from its beginning, through all that it was given before, to its end or to where it waits for
 * a person. Its calls are calls of the runner like any other.
 */
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as WithinCall from "@wield/agent/WithinCall"
import type { Journal, Outcome, Response, ToolCall, ToolDefinition, ToolRunner, Toolset } from "@wield/core"
import * as CurrentCall from "@wield/core/CurrentCall"
import * as Digest from "@wield/core/Digest"
import * as Journals from "@wield/core/Journal"
import { JournalError } from "@wield/core/JournalError"
import * as Json from "@wield/core/Json"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Outcomes from "@wield/core/Outcome"
import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { randomInt } from "node:crypto"
import type { ProgramFailure } from "../CodeModeError.js"
import type { Checked } from "../engine/check.js"
import type { Bounds, LimitName } from "../engine/limits.js"
import { type End, type Report, type SandboxedProgram, startProgram } from "../engine/sandbox.js"
import type { Threads } from "../engine/Threads.js"
import { type Delivery, type Head, openRecord, type ProgramRecord, UnreadableRecord, version } from "./record.js"

export type AnyRun = ToolRunner.Run<Toolset.DynamicTools, never, unknown>

/** What all programs of one tool have in common. */
export interface Plan {
  readonly name: string
  readonly bounds: Bounds
  readonly threads: Threads
  readonly check: (code: string, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => Effect.Effect<Checked>
  readonly runOf: (options: { readonly id: string; readonly turn: string }) => AnyRun
  /** Of the calls of programs, and of their records. */
  readonly journal: Journal.Service
  /** Whether the journal lasts no longer than the process. */
  readonly isJournalOwn: boolean
}

type Failed = Effect.Effect<never, ProgramFailure>

const fail = (error: string, more: Omit<ProgramFailure, "error"> = {}): Failed => Effect.fail({ error, ...more })

/** The program's result. */
export const runProgram = (
  plan: Plan,
  code: string
): Effect.Effect<unknown, ProgramFailure | NeedsInput, Scope.Scope> =>
  Effect.gen(function* () {
    const call = yield* CurrentCall.CurrentCall
    const bytes = Buffer.byteLength(code)
    if (bytes > plan.bounds.source) {
      return yield* fail(`The program has ${bytes} bytes; the limit source is ${plan.bounds.source}`, {
        limit: "source"
      })
    }
    const name = call.idempotencyKey
    const run = plan.runOf({ id: call.run.id, turn: `program:${name}` })
    const record = openRecord(plan.journal, {
      name,
      run: plan.isJournalOwn ? `program:${name}` : call.run.id,
      isOwn: plan.isJournalOwn
    })
    const before = call.input === undefined ? undefined : yield* WithinCall.answersIn(call.input)
    // Without its record, what it has done would be done again.
    const head = yield* Effect.catchAll(headOf(plan, record, run, code, before !== undefined), giveUp)
    const deliveries = yield* Effect.catchAll(record.deliveries, giveUp)
    return yield* new Pass(plan, record, run, head, call, before).run(deliveries).pipe(
      // What was answered is each call of its own.
      Effect.provideService(Journals.AnsweredBy, undefined),
      // One that waits is gone on with; one that was stopped is not.
      Effect.onExit((exit) => (isWaiting(exit) ? Effect.void : record.forget))
    )
  })

const isWaiting = (exit: Exit.Exit<unknown, ProgramFailure | NeedsInput>): boolean =>
  Exit.isFailure(exit) && Option.exists(Cause.failureOption(exit.cause), (error) => !("error" in error))

/** A journal that fails is of the program's inside, and no mistake of the model. */
const giveUp = (error: JournalError | UnreadableRecord | ProgramFailure): Failed => {
  if (JournalError.is(error)) return Effect.die(error)
  return error instanceof UnreadableRecord
    ? fail("The record of this program cannot be read, so it was not gone on with. Nothing was run")
    : Effect.fail(error)
}

const headOf = (
  plan: Plan,
  record: ProgramRecord,
  run: AnyRun,
  code: string,
  isGoingOn: boolean
): Effect.Effect<Head, JournalError | UnreadableRecord | ProgramFailure> =>
  Effect.gen(function* () {
    const digest = Digest.ofText(code)
    const known = yield* record.head
    if (Option.isSome(known)) {
      const { value } = known
      if (value.version !== version) {
        return yield* fail("This program was begun by another version, so it was not gone on with. Nothing was run")
      }
      if (value.code !== digest) {
        return yield* fail("The program is not the one that was begun, so it was not gone on with. Nothing was run")
      }
      return value
    }
    if (isGoingOn) {
      return yield* fail(
        "There is no record of what this program has done, so it was not gone on with. Nothing was run"
      )
    }
    const definitions = yield* Effect.orDie(run.definitions)
    const checked = yield* plan.check(code, definitions)
    if ("limit" in checked) {
      return yield* fail(`The check of the program's types met the limit checkTime. Nothing was run`, checked)
    }
    if ("problems" in checked) {
      return yield* fail("The program has mistakes. Nothing was run", { problems: checked.problems })
    }
    const head: Head = {
      version,
      code: digest,
      script: checked.script,
      lines: checked.lines,
      started: yield* Clock.currentTimeMillis,
      seed: yield* Effect.sync(() => randomInt(1, 2 ** 47)),
      hasThen: definitions.some(({ name }) => name === "then")
    }
    yield* record.begin(head)
    return head
  })

/** A call that the program has made. */
interface Made {
  readonly number: number
  readonly call: ToolCall.ToolCall
  readonly digest: string
}

/** What has come of a call: an outcome, of which a deferred one waits. */
interface Ended {
  readonly made: Made
  readonly outcome: Outcome.Outcome
}

class Pass {
  /** Calls that were not begun yet, in their order. */
  readonly #queued: Array<Made> = []
  readonly #waiting = new Map<number, Outcome.Deferred>()
  readonly #made = new Map<number, Made>()
  #running = 0
  readonly #watcher: ToolRunner.Watcher
  /** Whether it has run before, so that its tools may have changed since its types were checked. */
  #isGoingOn = false

  constructor(
    readonly plan: Plan,
    readonly record: ProgramRecord,
    readonly inner: AnyRun,
    readonly head: Head,
    readonly call: CurrentCall.Call,
    readonly before: WithinCall.Answers | undefined
  ) {
    this.#watcher = WithinCall.watcher(call)
  }

  run(recorded: ReadonlyArray<Delivery>): Effect.Effect<unknown, ProgramFailure | NeedsInput, Scope.Scope> {
    const { bounds, threads } = this.plan
    this.#isGoingOn = recorded.length > 0 || this.before !== undefined
    return Effect.gen(this, function* () {
      const definitions = yield* Effect.orDie(this.inner.definitions)
      const queue = yield* Queue.unbounded<Ended>()
      let [program, report] = yield* startProgram(threads, this.head, bounds, recorded)
      this.#take(report)
      const changed = this.#divergence(recorded)
      if (changed !== undefined) return yield* diverged(changed)
      for (const { number } of recorded) this.#forget(number)
      while (report.end === undefined) {
        const ended = yield* this.#next(queue, definitions)
        if (ended === undefined) return yield* this.#waiting.size > 0 ? this.#pause(definitions) : fail(deadlock)
        const settled = ended.filter((one) => this.#isSettled(one))
        if (settled.length === 0) continue
        report = yield* this.#give(program, settled)
        this.#take(report)
      }
      const { end } = report
      if ("diverged" in end) return yield* diverged(end.diverged)
      // Ends with it what it has begun.
      if ("limit" in end) return yield* fail(limitText(end, bounds), { limit: end.limit })
      // What was begun comes to its end, as outside of a program.
      while (this.#running > 0) {
        const ended = yield* Queue.take(queue)
        this.#running--
        if (Outcomes.isDeferred(ended.outcome)) this.#waiting.set(ended.made.number, ended.outcome)
      }
      return yield* this.#result(end.json)
    })
  }

  /** Records outcomes, and gives them to the program. */
  #give(program: SandboxedProgram, settled: ReadonlyArray<Ended>): Effect.Effect<Report> {
    return Effect.flatMap(Clock.currentTimeMillis, (at) => {
      const deliveries = settled.map((one) => deliveryOf(one, at, this.plan.bounds))
      return Effect.flatMap(Effect.orDie(this.record.add(deliveries)), () => {
        for (const { number } of deliveries) this.#forget(number)
        return program.deliver(deliveries)
      })
    })
  }

  #take({ calls }: Report): void {
    for (const [number, name, json] of calls) {
      // The program's own JSON.
      const call = { id: String(number), name, arguments: JSON.parse(json) as unknown }
      const made: Made = { number, call, digest: Digest.ofText(`${name}\n${json}`) }
      this.#made.set(number, made)
      this.#queued.push(made)
    }
  }

  #forget(number: number): void {
    this.#made.delete(number)
    const place = this.#queued.findIndex((made) => made.number === number)
    if (place >= 0) this.#queued.splice(place, 1)
  }

  /** The same program makes the same calls, unless what runs it has changed. */
  #divergence(recorded: ReadonlyArray<Delivery>): string | undefined {
    const other = recorded.find(({ digest, number }) => this.#made.get(number)?.digest !== digest)
    return other === undefined ? undefined : `its call ${other.number} is not the one in its record`
  }

  #isSettled({ made, outcome }: Ended): boolean {
    this.#running--
    if (!Outcomes.isDeferred(outcome)) return true
    this.#waiting.set(made.number, outcome)
    return false
  }

  /** Begins as many calls as may run, and waits for the end of some; nothing where none is left. */
  #next(
    queue: Queue.Queue<Ended>,
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  ): Effect.Effect<ReadonlyArray<Ended> | undefined, never, Scope.Scope> {
    const [first] = this.#queued
    // A call beside which nothing runs needs no fiber.
    if (first !== undefined && this.#running === 0 && this.#queued.length === 1) {
      this.#queued.pop()
      this.#running++
      return Effect.map(this.#end(first, definitions), (ended) => [ended])
    }
    return Effect.gen(this, function* () {
      while (this.#running < this.plan.bounds.concurrency) {
        const made = this.#queued.shift()
        if (made === undefined) break
        this.#running++
        yield* Effect.forkScoped(Effect.flatMap(this.#end(made, definitions), (one) => Queue.offer(queue, one)))
      }
      if (this.#running === 0) return undefined
      return Chunk.toReadonlyArray(yield* Queue.takeBetween(queue, 1, Number.MAX_SAFE_INTEGER))
    })
  }

  #end(made: Made, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): Effect.Effect<Ended> {
    return Effect.matchCause(this.#settle(made, definitions), {
      onSuccess: (outcome) => ({ made, outcome }),
      onFailure: (cause) => ({ made, outcome: new Outcomes.Defect({ call: made.call, reference: "", cause }) })
    })
  }

  /** Runs the call, or goes on with it where it was answered. */
  #settle(
    { call }: Made,
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  ): Effect.Effect<Outcome.Outcome, unknown> {
    const answers = this.before?.answers.filter(({ request }) => DeferredCall.callOf(request).id === call.id) ?? []
    return Effect.flatMap(this.#answered(call, answers), (outcome) =>
      Outcomes.isDeferred(outcome)
        ? this.#askAtOnce(outcome, definitions)
        : Effect.succeed(this.#orUnavailable(outcome))
    )
  }

  /** A tool that the program's types had, and that is not there any more, is unavailable. */
  #orUnavailable(outcome: Outcome.Outcome): Outcome.Outcome {
    return this.#isGoingOn && outcome._tag === "UnknownTool" ? new Outcomes.Unavailable(outcome) : outcome
  }

  /** Asks a person where the run around the program has what does so at once. */
  #askAtOnce(
    deferred: Outcome.Deferred,
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  ): Effect.Effect<Outcome.Outcome, unknown> {
    return Effect.gen(this, function* () {
      let outcome: Outcome.Outcome = deferred
      const answer = yield* WithinCall.answerAtOnce
      while (answer !== undefined && Outcomes.isDeferred(outcome) && WithinCall.requestsIn(outcome) === undefined) {
        const response: Response.Response | undefined = yield* answer(requestOf(outcome, definitions))
        if (response === undefined) break
        outcome = yield* this.#resume(outcome, response)
      }
      return this.#orUnavailable(outcome)
    })
  }

  #answered(
    call: ToolCall.ToolCall,
    answers: ReadonlyArray<DeferredCall.Answer>
  ): Effect.Effect<Outcome.Outcome, unknown> {
    const [first] = answers
    // Where it was answered, a rule that allows it by now does not run it past a no, or an edit.
    const run = first === undefined ? this.inner : this.inner.forRun({ isAsked: true })
    const fresh = Effect.map(
      run.settle([call], this.#watcher),
      ([outcome]) => outcome ?? new Outcomes.Interrupted({ call })
    )
    if (first === undefined) return fresh
    const { by, request, response } = first
    const resumed =
      request.within === undefined
        ? this.#resume(waitingOf(call, request), response, by)
        : Effect.gen(this, function* () {
            const deferred = yield* this.inner.asks(call)
            const reply = deferred === undefined ? undefined : yield* WithinCall.replyTo(deferred, answers)
            return yield* deferred === undefined || reply === undefined ? fresh : this.#resume(deferred, reply)
          })
    // What was asked otherwise, or is over, is not answered by this: it is asked again.
    return Effect.catchAll(resumed, () => fresh)
  }

  /** What is raised is an outcome here, like any other. */
  #resume(
    waiting: ToolRunner.Waiting,
    response: Response.Response,
    by?: DeferredCall.By
  ): Effect.Effect<Outcome.Outcome, unknown> {
    return Effect.suspend(() => {
      let ended: Outcome.Outcome | undefined
      const watcher: ToolRunner.Watcher = {
        ...this.#watcher,
        finished: (call, outcome) => this.#watcher.finished(call, (ended = outcome))
      }
      return this.inner.resume(waiting, response, watcher).pipe(
        Effect.catchAll((error) => (ended === undefined ? Effect.fail(error) : Effect.succeed(ended))),
        Effect.provideService(Journals.AnsweredBy, by && DeferredCall.nameOf(by))
      )
    })
  }

  #pause(definitions: ReadonlyArray<ToolDefinition.ToolDefinition>): Effect.Effect<never, NeedsInput> {
    const requests = [...this.#waiting].flatMap(
      ([, deferred]) => WithinCall.requestsIn(deferred) ?? [requestOf(deferred, definitions)]
    )
    return WithinCall.ask(this.plan.name, requests, this.before?.taken)
  }

  #result(json: string): Effect.Effect<unknown, ProgramFailure> {
    if (Json.isDeep(json)) return fail(`What the program returned nests deeper than ${Json.maxDepth} levels`)
    // `runtime/sandbox.mjs` wrote it.
    const end = JSON.parse(json) as { readonly value?: unknown; readonly error?: Thrown }
    if (end.error !== undefined) return failureOf(end.error, this.head.lines)
    const waiting = [...this.#waiting.values()]
    const left = [...this.#queued.map(({ call }) => call), ...waiting].map(({ name }) => name)
    if (left.length === 0) return Effect.succeed(end.value)
    // A client may be at its own, and a handler that asks has run up to its question.
    const begun = waiting.filter(({ waitsFor }) => waitsFor !== "approval").map(({ name }) => name)
    return fail(
      `The program ended before calls that it had not awaited: ${left.join(", ")}. ${
        begun.length === 0
          ? "These were not run"
          : `${begun.join(", ")} waited for an answer and may have taken effect in part; any other was not run`
      }`
    )
  }
}

const waitingOf = (call: ToolCall.ToolCall, request: DeferredCall.DeferredCall): ToolRunner.Waiting => ({
  call,
  name: request.name,
  requestId: request.id,
  digest: request.digest,
  arguments: request.arguments,
  input: request.input
})

const requestOf = (deferred: Outcome.Deferred, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) =>
  DeferredCall.fromOutcome(deferred, definitions.find(({ name }) => name === deferred.name)?.description)

/** The outcome as the program is given it: a value, or what an error says. */
const deliveryOf = ({ made: { call, digest, number }, outcome }: Ended, at: number, bounds: Bounds): Delivery => {
  if (outcome._tag === "Success") {
    // Texts, images and files are their list. The mark of such an answer is not for programs: they could make one up.
    const json = outcome.content === undefined ? outcome.text : JSON.stringify(outcome.content)
    const bytes = Buffer.byteLength(json)
    if (bytes <= bounds.resultBytes) return { number, at, digest, isOk: true, json }
    const message = `The call of ${call.name} has run, and its result has ${bytes} bytes; the limit resultBytes is ${bounds.resultBytes}`
    return { number, at, digest, isOk: false, json: errorJson(call.name, "TooLarge", message) }
  }
  const data = outcome._tag === "Failure" ? outcome.encoded : undefined
  const message = Outcomes.text(outcome) ?? ""
  const json = errorJson(call.name, outcome._tag, message, data)
  const isSmall = Buffer.byteLength(json) <= bounds.resultBytes
  return {
    number,
    at,
    digest,
    isOk: false,
    json: isSmall ? json : errorJson(call.name, outcome._tag, message.slice(0, 1_000))
  }
}

const errorJson = (tool: string, outcome: string, message: string, data?: unknown): string =>
  JSON.stringify({ message, outcome, tool, data: data ?? null })

interface Thrown {
  readonly message: string
  readonly name?: string
  readonly stack?: string
  readonly outcome?: string
}

/** A program may throw what has the length of a book. */
const longest = 10_000

const failureOf = (
  { message, name, outcome, stack }: Thrown,
  lines: ReadonlyArray<number>
): Effect.Effect<never, ProgramFailure> => {
  const place = /\bprogram:(\d+)/.exec(stack ?? "")?.[1]
  const line = place === undefined ? undefined : lines[Number(place) - 1]
  const limit = limitOf(name, message)
  const text = message.length > longest ? `${message.slice(0, longest)}…` : message
  return fail(limit === undefined ? text : `The program met the limit ${limit}: ${text}`, {
    ...Json.withoutUndefined({ line, outcome, limit })
  })
}

/** The engine throws these, of which a program may catch some. */
const limitOf = (name: string | undefined, message: string): LimitName | undefined => {
  if (name === "RangeError" && message === "Maximum call stack size exceeded") return "stack"
  return name === "InternalError" && message === "out of memory" ? "memory" : undefined
}

const deadlock = "The program waits for what never comes: it awaits something, and no call of it is left"

const diverged = (why: string) =>
  fail(`The program went another way than before (${why}), so it was not gone on with. Nothing more was run`)

const units: { readonly [Name in LimitName]?: string } = { time: "ms of computing", calls: "calls" }

const limitText = ({ bytes, limit }: Extract<End, { readonly limit: unknown }>, bounds: Bounds): string =>
  `The program met the limit ${limit}: ${bytes === undefined ? "" : `${bytes} of `}${bounds[limit]} ${units[limit] ?? "bytes"}`
