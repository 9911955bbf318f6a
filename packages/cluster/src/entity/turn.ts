/** A prompt or an answer from its message to its reply: runs go one after the other, in the order their messages came. */
import type * as Entity from "@effect/cluster/Entity"
import type * as Envelope from "@effect/cluster/Envelope"
import type * as Rpc from "@effect/rpc/Rpc"
import type { AgentResult } from "@wield/agent"
import * as DeferredCall from "@wield/agent/DeferredCall"
import * as Conversation from "@wield/agent/Conversation"
import * as ModelError from "@wield/agent/ModelError"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Schema from "effect/Schema"
import type { AnyResult } from "../RunResult.js"
import type * as Runs from "../Runs.js"
import { turnsAfter } from "./events.js"
import { type Active, type Home, insist, type Served } from "./home.js"
import { describe, type Reply, Work } from "./rpcs.js"
import { annotateSpans, type Input, runAgent } from "./runAgent.js"

export interface Read {
  readonly input: Input
  /** The entry after which the run's own come. */
  readonly start: string
  /** What it adds to its conversation first. */
  readonly added: ReadonlyArray<Conversation.Entry>
}

export type Request = Entity.Request<Rpc.Any> & Envelope.Request<Rpc.Any>

export const perform = (
  home: Home,
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
    const before = [...home.active].at(-1)
    home.active.add(run)
    return Effect.gen(function* () {
      if (before !== undefined) yield* Deferred.await(before.over)
      yield* home.checkVersion(work)
      if (yield* home.isLeaving) return yield* home.leave(work)
      return yield* takeTurn(home, tag, request, work, run, read(work.body))
    }).pipe(
      // The engine would restart the entity and meet the mistake again, and the run would have no end.
      Effect.catchAllDefect((defect) =>
        // Nothing may be written of it yet.
        Effect.zipRight(
          insist(
            home.runs.begin(home.keyOf(work.id), { owner: home.owner, request: request.requestId, start: work.id })
          ),
          failRun(home, request, work.id, defect)
        )
      ),
      annotateSpans(home, work.id),
      Effect.ensuring(
        Effect.suspend(() => {
          home.active.delete(run)
          return Effect.zipRight(home.runs.leave(home.keyOf(work.id)), Deferred.succeed(run.over, undefined))
        })
      )
    )
  })

const takeTurn = (
  home: Home,
  tag: "prompt" | "answer",
  request: Request,
  work: Work,
  run: Active,
  reading: Effect.Effect<Read, unknown>
): Effect.Effect<Reply, unknown> =>
  Effect.gen(function* () {
    const key = home.keyOf(work.id)
    // The program's own schema may throw.
    const read = yield* Effect.either(Effect.catchAllDefect(reading, Effect.fail))
    const start = read._tag === "Right" ? read.right.start : work.id
    const isRunning = read._tag === "Right" && !run.isCancelled
    // Neither waits for the other: that saves a round trip a run.
    const [begun, known] = yield* Effect.all(
      [
        insist(home.runs.begin(key, { owner: home.owner, request: request.requestId, start })),
        insist(findConversation(home))
      ],
      { concurrency: 2 }
    )
    if (begun.result !== undefined) {
      home.endHub(work.id)
      return replyOf(begun.result)
    }
    // What runs nothing makes no conversation, and neither does a message that has come again behind its run's end: by
    // then others have written into the conversation, or it was deleted.
    const opened = isRunning ? (known ?? (yield* insist(makeConversation(home, read.right)))) : undefined
    const hub = home.hubOf(work.id)
    hub.begin(begun.deliveries)
    const ids = { conversation: home.conversation, id: work.id }
    const fail = (error: unknown) => failRun(home, request, work.id, error)

    if (read._tag === "Left") return yield* fail(read.left)
    const tellRecorded = (before?: string) =>
      insist(
        Effect.map(turnsAfter(home, opened, start), (turns) => {
          const end = turns.findIndex(({ entry }) => entry === before)
          for (const turn of end < 0 ? turns : turns.slice(0, end)) hub.publish(turn)
        })
      ).pipe(Effect.orDie)
    if (begun.deliveries > 1) {
      // Readers may have missed what an earlier process recorded.
      yield* tellRecorded()
      hub.publish({ _tag: "Resumed", delivery: begun.deliveries })
    }
    const finishCancelled = Effect.flatMap(isUntaken(home, read.right.input.answers), (untaken) =>
      finish(home, request, { _tag: "Cancelled", ...ids, ...(untaken ? { isUntaken: true } : {}) })
    )
    if (run.isCancelled || opened === undefined) return yield* finishCancelled
    const exit = yield* runAgent(home, run, opened, read.right.input, hub, begun.deliveries > 1, tellRecorded)

    if (run.isCancelled && Exit.isInterrupted(exit)) {
      return yield* (yield* home.isLeaving) ? home.leave(work) : finishCancelled
    }
    if (Exit.isInterrupted(exit)) return yield* home.leave(work)
    if (Exit.isSuccess(exit)) {
      const result = exit.value
      if (result._tag === "Stopped" && result.by === "handOver") return yield* home.leave(work)
      return yield* Effect.matchEffect(resultOf(home.served, work.id, result), {
        onSuccess: (ending) => finish(home, request, ending),
        onFailure: fail
      })
    }
    const error = Cause.squash(exit.cause)
    const now = yield* Clock.currentTimeMillis
    if (!ModelError.isPassing(error) || now - begun.createdAt > Duration.toMillis(home.served.retryFor))
      return yield* fail(error)
    const attempt = work.attempt + 1
    const at = now + Math.min(10_000 * 2 ** work.attempt, 600_000)
    yield* insist(home.send(tag, new Work({ ...work, attempt, at })))
    yield* insist(home.runs.again(key, { tag, attempt }))
    return { ending: "Again", again: { attempt, at } }
  })

const findConversation = ({ conversation, store }: Home) =>
  Effect.catchTag(store.open(conversation), "ConversationNotFound", () => Effect.succeed(undefined))

/** A conversation is made with its first prompt. */
const makeConversation = (home: Home, { added }: Read) =>
  home.store.create({ id: home.conversation, entries: added }).pipe(
    Effect.map((opened) => readLater(opened, added)),
    Effect.catchTag("ConversationExists", () => home.store.open(home.conversation))
  )

/** Records an ending, and tells it to readers and to the engine. */
const finish = (
  home: Home,
  { requestId: request }: Request,
  result: AnyResult
): Effect.Effect<Reply, Runs.ClusterError> =>
  Effect.suspend(() => {
    const reply = replyOf(result)
    return insist(home.runs.finish(home.keyOf(result.id), result, { request, value: reply })).pipe(
      // The conversation was forgotten meanwhile.
      Effect.orElseSucceed(() => result),
      Effect.map((stands) => {
        home.endHub(result.id)
        // The same object as was stored.
        return stands === result ? reply : replyOf(stands)
      })
    )
  })

const replyOf = ({ _tag }: AnyResult): Reply => ({ ending: _tag })

const failRun = (home: Home, request: Request, id: string, error: unknown) =>
  finish(home, request, { _tag: "Failed", conversation: home.conversation, id, ...describe(error) })

/** Whether all that was answered still waits. */
const isUntaken = ({ conversation, store }: Home, answers: ReadonlyArray<DeferredCall.Answer> = []) =>
  answers.length === 0
    ? Effect.succeed(false)
    : Effect.map(insist(Effect.flatMap(store.openOrCreate(conversation), ({ entries }) => entries)), (entries) => {
        const open = Conversation.unanswered(entries)
        const isOpen = ({ request }: DeferredCall.Answer) =>
          open?.entry === request.entry && open.calls.some(({ id }) => id === DeferredCall.callOf(request).id)
        return answers.every(isOpen)
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
