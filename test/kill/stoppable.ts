/** The journal, the conversation and the model of a process that is to be killed at a point. */
import type { Conversation, Model } from "@wield/agent"
import type { Journal } from "@wield/core"
import { type Context, Effect, Stream } from "effect"
import { appendFileSync } from "node:fs"
import {
  conversationWrites,
  type JournalWrite,
  journalWrites,
  setConversation,
  setJournal
} from "../../packages/agent/src/store/together.js"
import type { Points } from "./Points.js"

type Passing = Context.Tag.Service<typeof Points>

/** That a process asks the journal whether to begin a call, what it was told, and that it has told the journal the end. */
export interface Logged {
  readonly run: string
  readonly call: string
  readonly known: "Asked" | Journal.Known["_tag"] | "Over"
}

/** The end of a call that is written with entries, and what follows when both are committed. */
interface JoinedEnd extends JournalWrite<void> {
  readonly committed: Effect.Effect<void>
}

/** Both with points, in one statement or transaction wherever the real ones are. */
export const stoppableJournal = (
  points: Passing,
  journal: Journal.Service,
  /** Hears what the journal says of each call. */
  hear: (key: Journal.Key, known: Logged["known"]) => Effect.Effect<void> = () => Effect.void
): Journal.Service => {
  const beforeEnd = points.pass("finish: before the journal")
  const afterEnd = (key: Journal.Key) => Effect.zipRight(hear(key, "Over"), points.pass("finish: after the journal"))
  const stoppable: Journal.Service = {
    ...journal,
    // A process that was killed before it could write that a call is over: the next one finds it out here.
    look: (key) =>
      Effect.tap(journal.look(key), ({ _tag }) => (_tag === "Finished" ? hear(key, "Finished") : Effect.void)),
    begin: (key, tool) =>
      Effect.gen(function* () {
        yield* points.pass("begin: before the journal")
        yield* hear(key, "Asked")
        const known = yield* journal.begin(key, tool)
        yield* hear(key, known._tag)
        yield* points.pass("begin: after the journal")
        return known
      }),
    finish: (key, ending) =>
      beforeEnd.pipe(Effect.zipRight(journal.finish(key, ending)), Effect.zipRight(afterEnd(key)))
  }
  const real = journalWrites(journal)
  if (real !== undefined) {
    setJournal(stoppable, real.client, (key, ending) => {
      const end = real.endOf(key, ending)
      const stoppableEnd: JoinedEnd = {
        write: Effect.zipRight(beforeEnd, end.write),
        part: end.part === undefined ? undefined : Effect.zipRight(beforeEnd, end.part),
        read: end.read,
        committed: afterEnd(key)
      }
      return stoppableEnd
    })
  }
  return stoppable
}

/** Writes down what the journal says of each call, in a file that nothing but the test reads. */
export const logTo =
  (log: string) =>
  ({ call, run }: Journal.Key, known: Logged["known"]): Effect.Effect<void> =>
    Effect.sync(() => appendFileSync(log, `${JSON.stringify({ run, call, known } satisfies Logged)}\n`))

export const stoppableConversation = <E>(
  points: Passing,
  conversation: Conversation.Conversation<E>
): Conversation.Conversation<E> => {
  const around = <A, E, R>(append: Effect.Effect<A, E, R>) =>
    points
      .pass("append: before the store")
      .pipe(Effect.zipRight(append), Effect.zipLeft(points.pass("append: after the store")))
  const stoppable: Conversation.Conversation<E> = {
    ...conversation,
    append: (entries, after) => around(conversation.append(entries, after))
  }
  const real = conversationWrites(conversation)
  if (real !== undefined) {
    setConversation(stoppable, real.client, (entries, after, also) => {
      const { committed = Effect.void }: Partial<JoinedEnd> = also
      return around(Effect.zipLeft(real.append(entries, after, also), committed))
    })
  }
  return stoppable
}

export const stoppableModel = (points: Passing, model: Model.Model): Model.Model => ({
  ...model,
  stream: (request) => Stream.tap(model.stream(request), () => points.pass("model: in the stream"))
})
