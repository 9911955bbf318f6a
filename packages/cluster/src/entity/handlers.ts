/**
 * What a conversation does with its messages, in the one process that has it.
 * Runs go one after the other, in the order their messages came; cancelling,
 * steering and events pass them by.
 */
import * as Entity from "@effect/cluster/Entity"
import type * as Envelope from "@effect/cluster/Envelope"
import { Sharding } from "@effect/cluster/Sharding"
import type * as Rpc from "@effect/rpc/Rpc"
import type { AgentResult, DeferredCall } from "@wield/agent"
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Agent from "@wield/agent/Agent"
import * as Conversation from "@wield/agent/Conversation"
import * as ConversationError from "@wield/agent/ConversationError"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as ModelError from "@wield/agent/ModelError"
import type { Content, Message } from "@wield/core"
import * as Journal from "@wield/core/Journal"
import * as ResponseError from "@wield/core/ResponseError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import type { RunEvent } from "../RunEvent.js"
import type { AnyResult } from "../RunResult.js"
import * as Runs from "../Runs.js"
import type { Watch } from "./handOver.js"
import { Hub } from "./hub.js"
import {
  AnswerBody,
  describe,
  entityOf,
  type Numbered,
  type Position,
  PromptBody,
  type Reply,
  version,
  Work
} from "./rpcs.js"

/** What an entity is made of, with types erased. */
export interface Served {
  readonly name: string
  readonly agent: Agent.Agent<{}, unknown, never, unknown>
  /** Runs the agent with the services of its own layer: the engine's are many, and a fiber's changes copy them all. */
  readonly fork: <A, E>(run: Effect.Effect<A, E>) => Fiber.RuntimeFiber<A, E>
  readonly context: Schema.Schema<unknown, unknown>
  readonly output: Schema.Schema<unknown, unknown>
  readonly retryFor: Duration.DurationInput
}

/** What a message asks the agent for. */
interface Input {
  readonly prompt?: ReadonlyArray<Content.Part>
  readonly promptId?: string
  readonly answers?: ReadonlyArray<DeferredCall.Answer>
  readonly context: unknown
}

interface Read {
  readonly input: Input
  /** The entry after which the run's own come. */
  readonly start: string
  /** What it adds to its conversation first. */
  readonly added: ReadonlyArray<Conversation.Entry>
}

/** A run that was accepted and is not over. */
interface Active {
  readonly id: string
  readonly over: Deferred.Deferred<void>
  fiber: Fiber.RuntimeFiber<unknown, unknown> | undefined
  isCancelled: boolean
  /** What was said to it, in the order it came. */
  readonly inbox: Array<Steering>
}

type TurnFinished = Extract<RunEvent, { readonly _tag: "TurnFinished" }>

interface Steering extends Agent.InboxMessage {
  readonly taken: Deferred.Deferred<void>
}

type Request = Entity.Request<Rpc.Any> & Envelope.Request<Rpc.Any>

export const makeHandlers = (served: Served, watch: Watch) =>
  Effect.gen(function* () {
    const address = yield* Entity.CurrentAddress
    const runner = yield* Entity.CurrentRunnerAddress
    const store = yield* ConversationStore.ConversationStore
    const runs = yield* Runs.Runs
    const client = yield* Effect.flatMap(Sharding, (sharding) => sharding.makeClient(entityOf(served.name)))
    const handOver = yield* watch(address)
    const conversation = address.entityId
    const owner = `${runner.host}:${runner.port}`
    const keyOf = (id: string): Runs.Key => ({ entity: served.name, conversation, id })

    const annotateSpans = (run: string) => Effect.annotateSpans({ conversation, run, runner: owner })

    /** In the order of their messages. */
    const active = new Set<Active>()
    const hubs = new Map<string, Hub>()
    let last: Deferred.Deferred<void> | undefined

    const hubOf = (id: string): Hub => {
      const hub = hubs.get(id) ?? new Hub()
      hubs.set(id, hub)
      return hub
    }

    /** Messages that were left. */
    const left = new Set<string>()

    /**
     * Leaves a message unanswered: the process that has the conversation next takes it. Until it closes the entity, the
     * engine gives the message again at once.
     */
    const leave = ({ attempt, id }: Work) =>
      Effect.suspend(() => {
        const name = `${attempt}:${id}`
        const pause = left.has(name) ? Effect.sleep("100 millis") : Effect.void
        left.add(name)
        return Effect.zipRight(pause, Effect.interrupt)
      })
    const isLeaving = Deferred.isDone(handOver)

    /** A message of a later version waits for a process that knows it, and so do those that come after it. */
    const checkVersion = (work: Work) =>
      work.version <= version
        ? Effect.void
        : Effect.logWarning(
            `A message to ${conversation} is of version ${work.version}, and this process reads up to ${version}: it waits for a newer process`
          ).pipe(Effect.zipRight(Deferred.await(handOver)), Effect.zipRight(leave(work)))

    /** The database may be away for a while; the run is not. */
    const insist = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.retry(operation, {
        while: (error) => !(error instanceof Runs.RunNotFound),
        schedule: Schedule.union(Schedule.exponential("100 millis"), Schedule.spaced("2 seconds"))
      })

    const perform = (
      tag: "prompt" | "answer",
      request: Request,
      read: (body: unknown) => Effect.Effect<Read, unknown>
    ) =>
      Effect.suspend(() => {
        // Both requests carry a `Work`, which the type of all requests does not say.
        const work = request.payload as unknown as Work
        const run: Active = {
          id: work.id,
          over: Deferred.unsafeMake(FiberId.none),
          fiber: undefined,
          isCancelled: false,
          inbox: []
        }
        const before = last
        last = run.over
        active.add(run)
        return Effect.gen(function* () {
          if (before !== undefined) yield* Deferred.await(before)
          yield* checkVersion(work)
          if (yield* isLeaving) return yield* leave(work)
          return yield* takeTurn(tag, request, work, run, read(work.body))
        }).pipe(
          // The engine would restart the entity and meet the mistake again, and the run would have no end.
          Effect.catchAllDefect((defect) =>
            // Nothing may be written of it yet.
            Effect.zipRight(
              insist(runs.begin(keyOf(work.id), { owner, request: request.requestId, start: work.id })),
              failRun(request, work.id, defect)
            )
          ),
          annotateSpans(work.id),
          Effect.ensuring(
            Effect.suspend(() => {
              active.delete(run)
              if (last === run.over) last = undefined
              return Effect.zipRight(runs.leave(keyOf(work.id)), Deferred.succeed(run.over, undefined))
            })
          )
        )
      })

    /** A conversation is made with its first prompt. */
    const openConversation = ({ added }: Read) =>
      store.create({ id: conversation, entries: added }).pipe(
        Effect.map((opened) => ({ opened: readLater(opened, added), isNew: true })),
        Effect.catchTag("ConversationExists", () =>
          Effect.map(store.open(conversation), (opened) => ({ opened, isNew: false }))
        )
      )

    const finish = ({ requestId: request }: Request, result: AnyResult): Effect.Effect<Reply, Runs.ClusterError> =>
      Effect.suspend(() => {
        const reply = replyOf(result)
        return insist(runs.finish(keyOf(result.id), result, { request, value: reply })).pipe(
          // The conversation was forgotten meanwhile.
          Effect.orElseSucceed(() => result),
          Effect.map((stands) => endHub(result.id, stands === result ? reply : replyOf(stands)))
        )
      })

    const replyOf = ({ _tag }: AnyResult): Reply => ({ ending: _tag })

    const endHub = (id: string, reply: Reply): Reply => {
      hubs.get(id)?.end()
      hubs.delete(id)
      return reply
    }

    const failRun = (request: Request, id: string, error: unknown) =>
      finish(request, { _tag: "Failed", conversation, id, ...describe(error) })

    const takeTurn = (
      tag: "prompt" | "answer",
      request: Request,
      work: Work,
      run: Active,
      reading: Effect.Effect<Read, unknown>
    ): Effect.Effect<Reply, unknown> =>
      Effect.gen(function* () {
        const key = keyOf(work.id)
        // The program's own schema may throw.
        const read = yield* Effect.either(Effect.catchAllDefect(reading, Effect.fail))
        const start = read._tag === "Right" ? read.right.start : work.id
        const isRunning = read._tag === "Right" && !run.isCancelled
        // Neither waits for the other: that saves a round trip a run. What runs nothing makes no conversation.
        const [begun, opened] = yield* Effect.all(
          [
            insist(runs.begin(key, { owner, request: request.requestId, start })),
            isRunning ? insist(openConversation(read.right)) : Effect.succeed(undefined)
          ],
          { concurrency: 2 }
        )
        if (begun.result !== undefined) {
          // The message has come again, after the conversation was deleted.
          if (opened?.isNew === true) yield* insist(store.delete(conversation))
          return endHub(work.id, replyOf(begun.result))
        }
        const hub = hubOf(work.id)
        hub.begin(begun.deliveries)
        const ids = { conversation, id: work.id }
        const fail = (error: unknown) => failRun(request, work.id, error)

        if (read._tag === "Left") return yield* fail(read.left)
        const tellRecorded = (before?: string) =>
          insist(
            Effect.map(turnsAfter(opened?.opened, start), (turns) => {
              const end = turns.findIndex(({ entry }) => entry === before)
              for (const turn of end < 0 ? turns : turns.slice(0, end)) hub.publish(turn)
            })
          ).pipe(Effect.orDie)
        if (begun.deliveries > 1) {
          // Readers may have missed what an earlier process recorded.
          yield* tellRecorded()
          hub.publish({ _tag: "Resumed", delivery: begun.deliveries })
        }
        const finishCancelled = Effect.flatMap(isUntaken(read.right.input.answers), (untaken) =>
          finish(request, { _tag: "Cancelled", ...ids, ...(untaken ? { isUntaken: true } : {}) })
        )
        if (run.isCancelled || opened === undefined) return yield* finishCancelled
        const exit = yield* runAgent(run, opened.opened, read.right.input, hub, begun.deliveries > 1, tellRecorded)

        if (run.isCancelled && Exit.isInterrupted(exit)) {
          return yield* (yield* isLeaving) ? leave(work) : finishCancelled
        }
        if (Exit.isInterrupted(exit)) return yield* leave(work)
        if (Exit.isSuccess(exit)) {
          const result = exit.value
          if (result._tag === "Stopped" && result.by === "handOver") return yield* leave(work)
          return yield* Effect.matchEffect(resultOf(served, work.id, result), {
            onSuccess: (ending) => finish(request, ending),
            onFailure: fail
          })
        }
        const error = Cause.squash(exit.cause)
        const now = yield* Clock.currentTimeMillis
        if (!ModelError.isPassing(error) || now - begun.createdAt > Duration.toMillis(served.retryFor))
          return yield* fail(error)
        const attempt = work.attempt + 1
        const at = now + Math.min(10_000 * 2 ** work.attempt, 600_000)
        yield* insist(client(conversation)[tag](new Work({ ...work, attempt, at }), { discard: true }))
        yield* insist(runs.again(key, { tag, attempt }))
        return { ending: "Again", again: { attempt, at } }
      })

    /** Whether all that was answered still waits. */
    const isUntaken = (answers: ReadonlyArray<DeferredCall.Answer> = []) =>
      answers.length === 0
        ? Effect.succeed(false)
        : Effect.map(insist(Effect.flatMap(store.openOrCreate(conversation), ({ entries }) => entries)), (entries) => {
            const open = Conversation.unanswered(entries)
            const isOpen = ({ request }: DeferredCall.Answer) =>
              open?.entry === request.entry && open.calls.some(({ id }) => id === request.call.id)
            return answers.every(isOpen)
          })

    /** The run in a fiber of its own, so that cancelling it leaves the message to be answered. */
    const runAgent = (
      run: Active,
      opened: Conversation.Conversation<unknown>,
      input: Input,
      hub: Hub,
      isAgain: boolean,
      tellRecorded: (before?: string) => Effect.Effect<void>
    ) =>
      Effect.gen(function* () {
        const inbox = Effect.sync(() => run.inbox.map(({ content, id }) => ({ content, id })))
        const given = { ...input, conversation: opened, handOver, inbox }
        // Another process may record a turn while this one takes or looks for it, and tells nothing of it.
        let isUntold = isAgain
        const publish = (event: AgentEvent.AgentEvent): void => {
          if (event._tag === "TurnStarted" || event._tag === "Done") isUntold = true
          if (event._tag === "TurnFinished" || event._tag === "TurnBroken") isUntold = false
          if (event._tag === "MessageTaken") {
            const steering = run.inbox.find(({ id }) => id === event.entry)
            if (steering !== undefined) Deferred.unsafeDone(steering.taken, Effect.void)
          }
          if (event._tag !== "Done") hub.publish(AgentEvent.toHappening(event))
        }
        const onEvent = (erased: AgentEvent.AgentEvent<{}, unknown, unknown>): Effect.Effect<void> | undefined => {
          // Inside, types are erased.
          const event = erased as AgentEvent.AgentEvent
          if (isUntold && (event._tag === "TurnStarted" || event._tag === "Done")) {
            // The turn that begins may be over already.
            const before = event._tag === "TurnStarted" ? event.entry : undefined
            return Effect.map(tellRecorded(before), () => publish(event))
          }
          publish(event)
          return undefined
        }
        const ask = (given: object) =>
          // The context was decoded by its schema.
          Agent.run(served.agent, given as unknown as Agent.Input<{}, unknown>, { onEvent })
        const once = ask(given).pipe(
          // The tool is another one than the answer was given for: it is asked about as it is now.
          Effect.catchIf(
            (error) => error instanceof ResponseError.StaleResponse || error instanceof ResponseError.NotWaiting,
            () => ask({ ...given, answers: undefined })
          )
        )
        let isFirst = true
        const attempt = Effect.suspend(() => {
          // A turn is recorded without a word where the database dies between the two.
          const before = isFirst ? Effect.void : tellRecorded()
          isFirst = false
          return Effect.zipRight(before, once)
        })
        const span = yield* Effect.serviceOption(Tracer.ParentSpan)
        const begun = attempt.pipe(
          // Calls are recorded beside the runner that began them.
          Effect.provideService(Journal.BegunBy, owner),
          Effect.retry({ while: ModelError.isPassing, schedule: Schedule.exponential("500 millis"), times: 2 }),
          Effect.retry({ while: isOfTheStore, schedule: Schedule.spaced("1 second") }),
          annotateSpans(run.id)
        )
        const traced = Option.isSome(span) ? Effect.withParentSpan(begun, span.value) : begun
        // In one step: what is cancelled before begins nothing.
        const fiber = yield* Effect.sync(() => {
          const forked = run.isCancelled ? undefined : served.fork(traced)
          run.fiber = forked
          return forked
        })
        if (fiber === undefined) return Exit.interrupt(FiberId.none)
        return yield* Fiber.await(fiber).pipe(
          // Nothing else interrupts a handler than the process that closes or has lost the conversation.
          Effect.onInterrupt(() => Effect.zipRight(Deferred.succeed(handOver, undefined), Fiber.interrupt(fiber)))
        )
      })

    const turnsAfter = (opened: Conversation.Conversation<unknown> | undefined, start: string, until?: string) =>
      Effect.gen(function* () {
        const entries = yield* (opened ?? (yield* store.openOrCreate(conversation))).entries
        const from = entries.findIndex(({ id }) => id === start)
        const to = until === undefined ? entries.length : entries.findIndex(({ id }) => id === until) + 1
        return entries.slice(from + 1, to).flatMap(({ id, message, summaryOf }): ReadonlyArray<TurnFinished> => {
          if (message._tag !== "Assistant" || summaryOf !== undefined) return []
          return [{ _tag: "TurnFinished", entry: id, text: textOf(message.parts) }]
        })
      })

    const events = (id: string, after: Position): Stream.Stream<Numbered> =>
      Stream.unwrapScoped(
        Effect.gen(function* () {
          // Also while it waits for a reader that takes nothing more, or that has gone without a word.
          yield* Effect.withFiberRuntime((reader) =>
            Effect.forkScoped(Effect.zipRight(Deferred.await(handOver), Fiber.interruptFork(reader)))
          )
          const isHere = [...active].some((run) => run.id === id)
          const recorded = isHere ? undefined : yield* Effect.orElseSucceed(runs.read(keyOf(id)), () => undefined)
          if (recorded?.result === undefined) return hubOf(id).after(after)
          const until = "entry" in recorded.result ? recorded.result.entry : undefined
          const turns = yield* insist(turnsAfter(undefined, recorded.start, until))
          // Later than all events of any process.
          return Stream.fromIterable(
            turns.map((event, index) => ({ delivery: Number.MAX_SAFE_INTEGER, number: index + 1, event }))
          )
        }).pipe(Effect.orDie)
      )

    const cancel = (work: Work): Effect.Effect<Reply> =>
      Effect.suspend(() => {
        const cancelled = [...active]
        for (const run of cancelled) run.isCancelled = true
        return Effect.gen(function* () {
          yield* checkVersion(work)
          yield* Effect.forEach(cancelled, (run) =>
            run.fiber === undefined ? Effect.void : Fiber.interrupt(run.fiber)
          )
          yield* Effect.forEach(cancelled, ({ over }) => Deferred.await(over))
          if (yield* isLeaving) return yield* leave(work)
          return { ending: "Done", runs: cancelled.map(({ id }) => id) }
        })
      })

    /** To the run that was sent last, so that it stands behind its prompt. */
    const steer = (work: Work): Effect.Effect<Reply, unknown> =>
      Effect.suspend(() => {
        const run = [...active].findLast(({ isCancelled }) => !isCancelled)
        if (run === undefined) return replyToSteering(work)
        return Effect.gen(function* () {
          yield* checkVersion(work)
          const { message } = yield* Effect.orDie(Schema.decodeUnknown(PromptBody)(work.body))
          const content = message._tag === "User" ? message.content : []
          const steering = { id: work.id, content, taken: yield* Deferred.make<void>() }
          run.inbox.push(steering)
          yield* Effect.race(Deferred.await(steering.taken), Deferred.await(run.over))
          return yield* replyToSteering(work, run.id)
        })
      })

    /** Also a process before this one may have taken it. */
    const replyToSteering = (work: Work, run?: string): Effect.Effect<Reply> =>
      Effect.gen(function* () {
        const entries = yield* insist(Effect.flatMap(store.openOrCreate(conversation), (opened) => opened.entries))
        if (entries.some(({ id }) => id === work.id)) return { ending: "Done", runs: [run ?? work.id] }
        return yield* (yield* isLeaving) ? leave(work) : Effect.succeed<Reply>({ ending: "Done", runs: [] })
      }).pipe(Effect.orDie)

    const contextOf = (context: unknown) => Schema.decodeUnknown(served.context)(context)

    const readPrompt = (id: string) => (body: unknown) =>
      Effect.gen(function* () {
        const { context, message } = yield* Schema.decodeUnknown(PromptBody)(body)
        const prompt = message._tag === "User" ? message.content : []
        const added = [yield* Conversation.entry(Conversation.user(prompt), { id })]
        return { input: { prompt, promptId: id, context: yield* contextOf(context) }, start: id, added }
      })

    const readAnswers = (body: unknown) =>
      Effect.gen(function* () {
        const { answers, context } = yield* Schema.decodeUnknown(AnswerBody)(body)
        return {
          input: { answers, context: yield* contextOf(context) },
          start: answers[0]?.request.entry ?? "",
          added: []
        }
      })

    // An entity that ends by an error would answer the message with it for good: nothing fails from here on.
    const total = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A> => Effect.orDie(effect)

    return {
      prompt: (request: Request) =>
        // As in `perform`.
        total(perform("prompt", request, readPrompt((request.payload as unknown as Work).id))),
      answer: (request: Request) => total(perform("answer", request, readAnswers)),
      steer: ({ payload }: { readonly payload: Work }) => total(steer(payload)),
      cancel: ({ payload }: { readonly payload: Work }) => cancel(payload),
      events: ({ payload }: { readonly payload: { readonly id: string; readonly after: Position } }) =>
        events(payload.id, payload.after)
    }
  })

/** The conversation, whose entries are known at the first look. */
const readLater = <E>(
  conversation: Conversation.Conversation<E>,
  entries: ReadonlyArray<Conversation.Entry>
): Conversation.Conversation<E> => {
  let isKnown = true
  const look = Effect.suspend(() => {
    if (!isKnown) return conversation.entries
    isKnown = false
    return Effect.succeed(entries)
  })
  return { ...conversation, entries: look }
}

const textOf = (parts: Message.Assistant["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])).join("")

/** The result as it is kept; its output is encoded. */
const resultOf = (
  { output }: Served,
  id: string,
  result: AgentResult.AgentResult<unknown, unknown>
): Effect.Effect<AnyResult, unknown> =>
  Effect.gen(function* () {
    const { entries, steps, text, usage } = result
    const taken = { conversation: result.conversation.id, id, text, steps, usage, entry: entries.at(-1)?.id }
    switch (result._tag) {
      case "Finished":
        return { _tag: "Finished", ...taken, output: yield* Schema.encode(output)(result.output) }
      case "Paused":
        return { _tag: "Paused", ...taken, requests: result.requests }
      case "Stopped":
        return { _tag: "Stopped", ...taken, by: result.by }
    }
  })

const isOfTheStore = (error: unknown): boolean =>
  error instanceof ConversationError.StoreError || error instanceof ConversationError.AppendConflict
