/**
 * What a conversation does with its messages, in the one process that has it:
 * cancelling, steering and events pass the runs by.
 */
import * as Conversation from "@wield/agent/Conversation"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import { events } from "./events.js"
import type { Watch } from "./handOver.js"
import { type Home, insist, makeHome, type Served } from "./home.js"
import { AnswerBody, type Position, PromptBody, type Reply, type Work } from "./rpcs.js"
import { perform, type Request } from "./turn.js"

export const makeHandlers = (served: Served, watch: Watch) =>
  Effect.map(makeHome(served, watch), (home) => ({
    prompt: (request: Request) =>
      // As in `perform`.
      total(perform(home, "prompt", request, readPrompt(served, (request.payload as unknown as Work).id))),
    answer: (request: Request) => total(perform(home, "answer", request, readAnswers(served))),
    steer: ({ payload }: { readonly payload: Work }) => total(steer(home, payload)),
    cancel: ({ payload }: { readonly payload: Work }) => cancel(home, payload),
    events: ({ payload }: { readonly payload: { readonly id: string; readonly after: Position } }) =>
      events(home, payload.id, payload.after)
  }))

/** An entity that ends by an error would answer the message with it for good: nothing fails from here on. */
const total = <A>(effect: Effect.Effect<A, unknown>): Effect.Effect<A> => Effect.orDie(effect)

const cancel = (home: Home, work: Work): Effect.Effect<Reply> =>
  Effect.suspend(() => {
    const cancelled = [...home.active]
    for (const run of cancelled) run.isCancelled = true
    return Effect.gen(function* () {
      yield* home.checkVersion(work)
      yield* Effect.forEach(cancelled, (run) => (run.fiber === undefined ? Effect.void : Fiber.interrupt(run.fiber)))
      yield* Effect.forEach(cancelled, ({ over }) => Deferred.await(over))
      if (yield* home.isLeaving) return yield* home.leave(work)
      return { ending: "Done", runs: cancelled.map(({ id }) => id) }
    })
  })

/** To the run that was sent last, so that it stands behind its prompt. */
const steer = (home: Home, work: Work): Effect.Effect<Reply, unknown> =>
  Effect.suspend(() => {
    const run = [...home.active].findLast(({ isCancelled }) => !isCancelled)
    if (run === undefined) return replyToSteering(home, work)
    return Effect.gen(function* () {
      yield* home.checkVersion(work)
      const { message } = yield* Effect.orDie(Schema.decodeUnknown(PromptBody)(work.body))
      const content = message._tag === "User" ? message.content : []
      const steering = { id: work.id, content, taken: yield* Deferred.make<void>() }
      run.inbox.push(steering)
      yield* Effect.race(Deferred.await(steering.taken), Deferred.await(run.over))
      return yield* replyToSteering(home, work, run.id)
    })
  })

/** Also a process before this one may have taken it. */
const replyToSteering = (home: Home, work: Work, run?: string): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const entries = yield* insist(
      Effect.flatMap(home.store.openOrCreate(home.conversation), (opened) => opened.entries)
    )
    if (entries.some(({ id }) => id === work.id)) return { ending: "Done", runs: [run ?? work.id] }
    return yield* (yield* home.isLeaving) ? home.leave(work) : Effect.succeed<Reply>({ ending: "Done", runs: [] })
  }).pipe(Effect.orDie)

const contextOf = (served: Served, context: unknown) => Schema.decodeUnknown(served.context)(context)

const readPrompt = (served: Served, id: string) => (body: unknown) =>
  Effect.gen(function* () {
    const { context, message } = yield* Schema.decodeUnknown(PromptBody)(body)
    const prompt = message._tag === "User" ? message.content : []
    const added = [yield* Conversation.entry(Conversation.user(prompt), { id })]
    return { input: { prompt, promptId: id, context: yield* contextOf(served, context) }, start: id, added }
  })

const readAnswers = (served: Served) => (body: unknown) =>
  Effect.gen(function* () {
    const { answers, context } = yield* Schema.decodeUnknown(AnswerBody)(body)
    return {
      input: { answers, context: yield* contextOf(served, context) },
      start: answers[0]?.request.entry ?? "",
      added: []
    }
  })
