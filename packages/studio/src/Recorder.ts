/**
 * Records what runs do, for the studio: bounded, in memory, and where asked for
 * also in a file or in the studio of another process. Nothing is recorded of
 * runs that are not given to it.
 *
 * The file is long because its layers, in memory, in a file and remote, are one
 * service with one state.
 */
import * as FileSystem from "@effect/platform/FileSystem"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import type { AgentEvent } from "@wield/agent"
import * as Agent from "@wield/agent/Agent"
import * as Conversation from "@wield/agent/Conversation"
import type { ToolCall, ToolRunner } from "@wield/core"
import * as Journal from "@wield/core/Journal"
import * as Stage from "@wield/core/Stage"
import { aCountOrZero, aFlag, type Checks, fields, orThrow } from "@wield/core/Options"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Decision, Event, Run, RunFile } from "./Api.js"
import { encodeCall, everything, type Heard, keep, type Kept, type Recorded } from "./recorder/encode.js"
import { type Noted, Ring } from "./recorder/Ring.js"

/**
 * What is recorded, and how much of it is kept.
 *
 * @category models
 */
export interface Options {
  /** The most runs that are kept. 200 unless given. */
  readonly runs?: number | undefined
  /** The most bytes that are kept, about. 20 MB unless given. */
  readonly bytes?: number | undefined
  /** Whether arguments of calls are recorded. True unless given. */
  readonly arguments?: boolean | undefined
  /** Whether results and progress of calls are recorded. True unless given. */
  readonly results?: boolean | undefined
  /** Whether prompts and texts of the model are recorded. True unless given. */
  readonly texts?: boolean | undefined
}

/**
 * How a run is called.
 *
 * @category models
 */
export interface Named {
  readonly name: string
  /** `calls` unless given. */
  readonly kind?: Run["kind"] | undefined
  readonly conversation?: string | undefined
  readonly prompt?: string | undefined
}

/**
 * A run that is being recorded. Its operations do no more than note an event,
 * and never fail.
 *
 * @category models
 */
export interface Recording {
  readonly id: string
  readonly event: (event: AgentEvent.AgentEvent) => void
  /** For `settle`, `resume` and `openBatch` of a runner. */
  readonly watcher: ToolRunner.Watcher
  /** For `Stage.Listener`: what the stages of a call take, and which one it waits in. */
  readonly hear: Stage.Hear
  /** How the run ended; the first end counts. */
  readonly end: (ending: Omit<Extract<Event["event"], { readonly _tag: "RunEnded" }>, "_tag">) => void
}

/**
 * The recorder.
 *
 * @category models
 */
export interface Service {
  readonly recorded: Recorded
  /** Differs for each start of a process: sequence numbers begin again. */
  readonly epoch: string
  readonly begin: (run: Named) => Effect.Effect<Recording>
  /** The same journal; what it is asked is noted in the run that goes on under the journal's run id. */
  readonly journal: (journal: Journal.Service) => Journal.Service
  /** Takes events of another process; those that it has taken before are skipped. */
  readonly take: (from: {
    readonly origin: string
    readonly epoch: string
    readonly events: ReadonlyArray<Event>
  }) => Effect.Effect<void>
  /**
   * Notes an answer to a call that waited, in the run that goes on with it: the one of that id, or the open one of the
   * conversation.
   */
  readonly answer: (noted: Noted) => Effect.Effect<void>
  /** What was answered, the newest first. */
  readonly decisions: Effect.Effect<ReadonlyArray<Decision>>
  /** The newest first. */
  readonly runs: Effect.Effect<ReadonlyArray<Run>>
  readonly run: (id: string) => Effect.Effect<Run | undefined>
  /** Events after a sequence number, at most `limit`. */
  readonly events: (options: {
    readonly after: number
    readonly limit: number
    readonly run?: string | undefined
  }) => Effect.Effect<ReadonlyArray<Event>>
  /** Sequence numbers of the newest event, and of the newest that had to make room. */
  readonly last: Effect.Effect<{ readonly last: number; readonly dropped: number }>
  /** Runs as long as there is something new; asked for after each event, at most once at a time. */
  readonly news: Stream.Stream<void>
  readonly export: (id: string) => Effect.Effect<RunFile | undefined>
  /** `undefined` where a run of this id is there already. */
  readonly import: (file: RunFile) => Effect.Effect<Run | undefined>
}

/**
 * The recorder as a service.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent } from "@wield/agent"
 * import { Recorder } from "@wield/studio"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("Hello.")]) })
 *   yield* Recorder.run(agent, "Who is there?")
 *   const [run] = yield* (yield* Recorder.Recorder).runs
 *   return [run?.status, run?.steps]
 * })
 * Effect.runPromise(program.pipe(Effect.provide(Recorder.layer()))).then((seen) =>
 *   assert.deepStrictEqual(seen, ["finished", 1])
 * )
 * ```
 *
 * @category services
 */
export class Recorder extends Context.Tag("@wield/studio/Recorder")<Recorder, Service>() {}

/**
 * A recorder in memory.
 *
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<Recorder> => Layer.effect(Recorder, make(options))

/**
 * A recorder in memory that also appends each event to a file, one JSON object a
 * line. What cannot be written is tried again.
 *
 * @example
 * ```ts
 * import { NodeContext } from "@effect/platform-node"
 * import { Recorder } from "@wield/studio"
 * import { Layer } from "effect"
 *
 * const RecorderLive = Recorder.layerFile("runs.jsonl", { results: false }).pipe(Layer.provide(NodeContext.layer))
 * ```
 *
 * @category layers
 */
export const layerFile = (file: string, options: Options = {}): Layer.Layer<Recorder, never, FileSystem.FileSystem> =>
  Layer.scoped(
    Recorder,
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const service = yield* make(options)
      yield* drain(service, (events) =>
        files.writeFileString(file, events.map((event) => `${JSON.stringify(event)}\n`).join(""), { flag: "a" })
      )
      return service
    })
  )

/**
 * Where the events go.
 *
 * @category models
 */
export interface Remote extends Options {
  /** The address of a studio, such as `http://127.0.0.1:4983`. */
  readonly url: string
  readonly token: string | Redacted.Redacted
  /** What this process is called there. */
  readonly origin: string
}

/**
 * A recorder that sends each event to the studio of another process, in their
 * order. While the studio cannot be reached it tries again, and keeps as much as
 * its own bounds allow; when the program ends it sends what is left.
 *
 * @example
 * ```ts
 * import { Recorder } from "@wield/studio"
 * import { Redacted } from "effect"
 *
 * const RecorderLive = Recorder.layerRemote({
 *   url: "http://127.0.0.1:4983",
 *   token: Redacted.make("8Kq0pJt1bBq2xw3yVv5z6A"),
 *   origin: "nightly import"
 * })
 * ```
 *
 * @category layers
 */
export const layerRemote = ({ origin, token, url, ...options }: Remote): Layer.Layer<Recorder> =>
  Layer.scoped(
    Recorder,
    Effect.gen(function* () {
      const service = yield* make(options)
      const client = yield* HttpClient.HttpClient
      const address = `${url.replace(/\/+$/, "")}/api/events`
      const send = (events: ReadonlyArray<string>) =>
        HttpClientRequest.post(address).pipe(
          HttpClientRequest.bearerToken(token),
          HttpClientRequest.bodyText(
            `{"origin":${JSON.stringify(origin)},"epoch":${JSON.stringify(service.epoch)},"events":[${events.join(",")}]}`,
            "application/json"
          ),
          client.execute,
          Effect.flatMap(HttpClientResponse.filterStatusOk),
          Effect.timeout("1 minute")
        )
      // The studio takes each event once, also where it gets a batch again.
      yield* drain(service, (events) => Effect.forEach(requestsOf(events), send, { discard: true }))
      return service
    })
  ).pipe(Layer.provide(FetchHttpClient.layer))

/**
 * `Agent.stream`, recorded.
 *
 * @category running
 */
export const stream = <Tools, Output, R, E, CE = never>(
  agent: Agent.Agent<Tools, Output, R, E>,
  input: Agent.Input<Tools, CE>
): Stream.Stream<AgentEvent.AgentEvent<Tools, Output, CE>, Agent.RunError<Tools, E, CE>, R | Recorder> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const recorder = yield* Recorder
      const conversation = input.conversation ?? (yield* Conversation.make())
      const recording = yield* recorder.begin({
        name: agent.name,
        kind: "agent",
        conversation: conversation.id,
        prompt: typeof input.prompt === "string" ? input.prompt : undefined
      })
      // What is left out was checked where the caller gave it.
      return Agent.stream(agent, { ...input, conversation } as Agent.Input<Tools, CE>).pipe(
        recordEvents(recorder, recording)
      )
    })
  )

/** Notes the events of an agent that go by, and how they end. */
export const recordEvents =
  ({ recorded }: Service, recording: Recording) =>
  <Event extends { readonly _tag: AgentEvent.AgentEvent["_tag"] }, E, R>(
    events: Stream.Stream<Event, E, R>
  ): Stream.Stream<Event, E, R> =>
    events.pipe(
      Stream.map((event) => {
        // Only types of outcomes differ between tools.
        recording.event(event as unknown as AgentEvent.AgentEvent)
        return event
      }),
      Stream.ensuringWith((exit) => Effect.sync(() => recording.end(endingOf(exit, recorded)))),
      Stream.provideService(Stage.Listener, recording.hear)
    )

/**
 * `Agent.run`, recorded.
 *
 * @category running
 */
export const run = <Tools, Output, R, E, CE = never>(
  agent: Agent.Agent<Tools, Output, R, E>,
  input: Agent.Input<Tools, CE> | string
) =>
  Effect.gen(function* () {
    // A prompt alone is an input.
    const given = (typeof input === "string" ? { prompt: input } : input) as Agent.Input<Tools, CE>
    const last = Option.getOrUndefined(yield* Stream.runLast(stream(agent, given)))
    if (last?._tag !== "Done") return yield* Effect.dieMessage("A run ends with Done")
    return last.result
  })

/**
 * Records calls that the program makes without a model, as one run: give the
 * watcher to the runner.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Recorder } from "@wield/studio"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "tidy", execute: () => Effect.succeed("tidied") }])
 *   const runner = yield* ToolRunner.make(toolset)
 *   yield* Recorder.calls({ name: "every night" }, (watcher) =>
 *     runner.settle([ToolCall.make("call_1", "tidy", {})], watcher)
 *   )
 *   const [run] = yield* (yield* Recorder.Recorder).runs
 *   return [run?.name, run?.calls, run?.status]
 * })
 * Effect.runPromise(program.pipe(Effect.provide(Recorder.layer()))).then((seen) =>
 *   assert.deepStrictEqual(seen, ["every night", 1, "finished"])
 * )
 * ```
 *
 * @category running
 */
export const calls = <A, E, R>(
  named: Named,
  body: (watcher: ToolRunner.Watcher, run: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | Recorder> =>
  Effect.gen(function* () {
    const recorder = yield* Recorder
    const recording = yield* recorder.begin(named)
    return yield* recordCalls(recorder, recording, body(recording.watcher, recording.id))
  })

/** Notes what calls go through, and how they end; `waits` says whether what they have come to waits for an answer. */
export const recordCalls = <A, E, R>(
  { recorded }: Service,
  recording: Recording,
  made: Effect.Effect<A, E, R>,
  waits: (ended: A) => boolean = () => false
): Effect.Effect<A, E, R> =>
  made.pipe(
    Effect.provideService(Stage.Listener, recording.hear),
    Effect.onExit((exit) =>
      Effect.sync(() =>
        recording.end(Exit.isSuccess(exit) && waits(exit.value) ? { result: "Paused" } : endingOf(exit, recorded))
      )
    )
  )

const endingOf = (exit: Exit.Exit<unknown, unknown>, { results }: Recorded): Parameters<Recording["end"]>[0] => {
  if (Exit.isSuccess(exit)) return { result: "Finished" }
  if (Cause.isInterruptedOnly(exit.cause)) return { result: "Interrupted" }
  const error = Cause.squash(exit.cause)
  const name = error instanceof Error ? error.name : "error"
  // A failure that a tool raises is a result, too.
  return { result: "Failed", message: results && error instanceof Error ? error.message : name }
}

// Of a name that is misspelt, all would be recorded.
const checkOptions = fields({
  runs: aCountOrZero,
  bytes: aCountOrZero,
  arguments: aFlag,
  results: aFlag,
  texts: aFlag
} satisfies Checks<Options>)

/**
 * A recorder in memory.
 *
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<Service> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options), "What a recorder is made from")
    const clock = yield* Effect.clock
    const recorded: Recorded = {
      arguments: options.arguments ?? everything.arguments,
      results: options.results ?? everything.results,
      texts: options.texts ?? everything.texts
    }
    const bounds = { runs: options.runs ?? 200, bytes: options.bytes ?? 20_000_000 }
    const ring = new Ring(bounds, recorded, () => clock.unsafeCurrentTimeMillis())
    /** Runs that go on, by their conversation. */
    const open = new Map<string, string>()
    /** The newest event of each other process. */
    const taken = new Map<string, number>()
    /**
     * The runs of entries that were begun and have not ended: what ends without that is no call, but what was asked or a
     * program did. Another run of the conversation may have begun meanwhile.
     */
    const begun = new Map<string, string>()
    const noteJournal = (
      key: Journal.Key,
      event: Omit<Extract<Event["event"], { readonly _tag: "Journal" }>, "_tag" | "call">
    ) =>
      Effect.sync(() => {
        const entry = JSON.stringify([key.run, key.call, key.digest])
        const isBegun = event.action === "begin"
        const id = isBegun ? open.get(key.run) : begun.get(entry)
        const call = Journal.callOf(key)
        if (id === undefined || call === undefined) return
        if (!isBegun) begun.delete(entry)
        else if (!begun.has(entry)) begun.set(entry, id)
        ring.append(id, { _tag: "Journal", call, ...event })
      })
    return {
      recorded,
      epoch: crypto.randomUUID(),
      begin: ({ conversation, kind = "calls", name, prompt }) =>
        Effect.sync(() => {
          const id = crypto.randomUUID()
          ring.begin({ id, name, kind, conversation, origin: undefined, prompt })
          open.set(conversation ?? id, id)
          const stages = new Stages((call, stage, milliseconds) =>
            ring.append(id, { _tag: "CallWaits", call: { id: call.id, name: call.name }, stage, milliseconds })
          )
          let isOver = false
          const end: Recording["end"] = (ending) => {
            if (isOver) return
            isOver = true
            stages.clear()
            if (open.get(conversation ?? id) === id) open.delete(conversation ?? id)
            for (const [entry, run] of begun) if (run === id) begun.delete(entry)
            ring.append(id, { _tag: "RunEnded", ...ending })
          }
          const shown = new WeakSet<ToolCall.ToolCall>()
          const show = (call: ToolCall.ToolCall): void => {
            if (shown.has(call)) return
            shown.add(call)
            ring.append(id, { _tag: "CallStarted", call })
          }
          return {
            id,
            event: (event) => {
              if (event._tag === "Done") {
                const { result } = event
                end({
                  result: result._tag,
                  steps: result.steps,
                  ...(recorded.texts ? { text: result.text } : {}),
                  ...(result._tag === "Stopped" ? { message: result.by } : {})
                })
                return
              }
              const kept = event._tag === "CallFinished" ? stages.endOf(event) : keep(event, recorded)
              if (kept !== undefined) ring.append(id, kept)
            },
            watcher: {
              // Shown while it is looked at, too: a rule may think about it.
              entered: show,
              // `show` gives nothing back.
              started: (call) => show(call) as undefined,
              progress: (call) => (value) => Effect.sync(() => ring.append(id, { _tag: "CallProgress", call, value })),
              finished: (call, outcome) => {
                shown.delete(call)
                ring.append(id, stages.endOf({ _tag: "CallFinished", call, outcome }))
                return undefined
              }
            },
            hear: (call, stage) => stages.begin(call, stage),
            end
          }
        }),
      journal: (journal) => ({
        look: journal.look,
        begin: (key, tool, ending) =>
          Effect.tap(journal.begin(key, tool, ending), ({ _tag: known }) =>
            noteJournal(key, { action: "begin", known })
          ),
        finish: (key, ending) => Effect.tap(journal.finish(key, ending), () => noteJournal(key, { action: "finish" })),
        interrupt: (key) => Effect.tap(journal.interrupt(key), () => noteJournal(key, { action: "interrupt" })),
        abandon: (key) => Effect.tap(journal.abandon(key), () => noteJournal(key, { action: "abandon" })),
        forget: journal.forget
      }),
      take: ({ epoch, events, origin }) =>
        Effect.sync(() => {
          for (const { at, event, run: id, sequence } of events) {
            if (sequence <= (taken.get(epoch) ?? 0)) continue
            taken.set(epoch, sequence)
            if (taken.size > mostEpochs) taken.delete(taken.keys().next().value ?? "")
            ring.take(id, origin, event, at)
          }
        }),
      answer: ({ answer: given, ...noted }) =>
        Effect.sync(() => {
          const run = noted.run ?? (noted.conversation === undefined ? undefined : open.get(noted.conversation))
          const { call, reason, value, ...others } = given
          const answer = {
            ...others,
            call: encodeCall(call, recorded),
            ...(recorded.texts && reason !== undefined ? { reason } : {}),
            ...((given.reply === "ApproveWith" ? recorded.arguments : recorded.results) && value !== undefined
              ? { value }
              : {})
          }
          ring.answer({ ...noted, run, answer })
        }),
      decisions: Effect.sync(() => ring.decisions()),
      runs: Effect.sync(() => ring.runs()),
      run: (id) => Effect.sync(() => ring.run(id)),
      events: ({ after, limit, run: id }) => Effect.sync(() => ring.events(after, limit, id)),
      last: Effect.sync(() => ({ last: ring.last, dropped: ring.dropped })),
      news: Stream.unwrapScoped(
        Effect.gen(function* () {
          const queue = yield* Queue.sliding<void>(1)
          yield* Effect.acquireRelease(
            Effect.sync(() => ring.listen(() => queue.unsafeOffer(undefined))),
            (end) => Effect.sync(end)
          )
          return Stream.fromQueue(queue, { maxChunkSize: 1 })
        })
      ),
      export: (id) => Effect.sync(() => ring.export(id)),
      import: (file) => Effect.sync(() => (ring.has(file.id) ? undefined : ring.import(file)))
    }
  })

/** What the stages of calls take, until a call ends. */
class Stages {
  readonly #open = new Map<ToolCall.ToolCall, Open>()
  /** A call mostly goes through its stages before another one does. */
  #call: ToolCall.ToolCall | undefined
  #heard: Open | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(readonly waits: (call: ToolCall.ToolCall, stage: string, milliseconds: number) => void) {}

  begin(call: ToolCall.ToolCall, stage: Stage.Stage): void {
    // An answer to a call begins with its first stage again.
    if (call !== this.#call || stage === "find") {
      const known = stage === "find" ? undefined : this.#open.get(call)
      this.#heard = known ?? { stages: [], times: [], shown: 0 }
      this.#call = call
      if (known === undefined) this.#open.set(call, this.#heard)
      if (this.#timer === undefined) this.#look()
    }
    this.#heard?.stages.push(stage)
    this.#heard?.times.push(performance.now())
  }

  endOf(event: CallFinished): Kept {
    const heard = this.#open.get(event.call)
    if (heard === undefined) return event
    this.#open.delete(event.call)
    if (event.call === this.#call) this.#call = undefined
    heard.times.push(performance.now())
    return { _tag: "CallFinished", call: event.call, outcome: event.outcome, heard }
  }

  clear(): void {
    this.#open.clear()
    clearTimeout(this.#timer)
  }

  /** Now and then while calls are open, so that a quick one costs nothing. */
  #look(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const now = performance.now()
      for (const [call, heard] of this.#open) {
        const { shown, stages, times } = heard
        const milliseconds = now - times.at(-1)!
        if (stages.length === shown || milliseconds < waitShown) continue
        heard.shown = stages.length
        this.waits(call, stages.at(-1)!, milliseconds)
      }
      if (this.#open.size > 0) this.#look()
    }, waitShown)
    // What is not Node has numbers here.
    if (typeof this.#timer === "object") this.#timer.unref()
  }
}

interface Open extends Heard {
  /** How many of the stages were begun when one was shown as what the call waits in. */
  shown: number
}

/** How many milliseconds a call is in a stage before that is an event. */
const waitShown = 200

type CallFinished = Extract<AgentEvent.AgentEvent, { readonly _tag: "CallFinished" }>

/** Of processes that have recorded here. */
const mostEpochs = 1000

const mebibyte = 1024 * 1024

/** Events as JSON, in requests of a few megabytes: a studio takes 64. */
const requestsOf = (events: ReadonlyArray<Event>): ReadonlyArray<ReadonlyArray<string>> => {
  const requests: Array<Array<string>> = []
  let room = 0
  for (const event of events) {
    const whole = JSON.stringify(event)
    const text = Buffer.byteLength(whole) > 32 * mebibyte ? shorten(event) : whole
    const size = Buffer.byteLength(text)
    if (requests.length === 0 || size > room) {
      requests.push([])
      room = 4 * mebibyte
    }
    requests.at(-1)?.push(text)
    room -= size
  }
  return requests
}

/** An event that is too large for a request, with the beginning of each text and list. */
const shorten = (event: Event): string =>
  JSON.stringify(event, (_, value: unknown) => {
    if (typeof value === "string" && value.length > 10_000) {
      return `${value.slice(0, 1000)}… (${value.length} characters, which were not sent)`
    }
    return Array.isArray(value) && value.length > 1000
      ? [...value.slice(0, 100), `… (${value.length} items, which were not sent)`]
      : value
  })

/** How many events go to a sink at once. */
const batch = 256

/** Gives each event to a sink, in batches; what is left when the scope closes, too. */
const drain = (
  service: Service,
  write: (events: ReadonlyArray<Event>) => Effect.Effect<unknown, unknown>
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    let after = 0
    let warnedOf = 0
    const next = Effect.flatMap(service.last, ({ dropped }) => {
      // Where a sink stands still, the recorder's bounds hold all the same.
      if (dropped <= after || warnedOf > after) return Effect.void
      warnedOf = dropped
      return Effect.logWarning(`Recorded events up to ${dropped} had to make room before all of them were written`)
    }).pipe(
      Effect.zipRight(Effect.suspend(() => service.events({ after, limit: batch }))),
      Effect.tap((events) => (events.length === 0 ? Effect.void : write(events))),
      Effect.map((events) => {
        after = events.at(-1)?.sequence ?? after
        return events.length
      }),
      // A sink that was interrupted may have taken the events all the same.
      Effect.uninterruptible
    )
    const all = Effect.repeat(next, { while: (length) => length > 0 })
    yield* Effect.addFinalizer(() =>
      // One try: a program that ends does not wait for a studio that is gone.
      Effect.catchAll(Effect.timeout(all, "2 seconds"), () => Effect.logWarning("Some recorded events were not sent"))
    )
    yield* Stream.merge(Stream.void, service.news).pipe(
      Stream.runForEach(() => Effect.retry(all, retrying)),
      Effect.catchAll((error) => Effect.logWarning("Recorded events cannot be written", error)),
      Effect.forkScoped
    )
  })

const retrying = Schedule.exponential("200 millis").pipe(Schedule.union(Schedule.spaced("5 seconds")))
