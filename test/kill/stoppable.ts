/** The journal, the conversation and the model of a process that is to be killed at a point. */
import type { Conversation, Model } from "@wield/agent"
import type { Journal } from "@wield/core"
import { type Context, Effect, Stream } from "effect"
import { appendFileSync } from "node:fs"
import {
  type AppendWith,
  conversationWrites,
  type JournalWrite,
  journalWrites,
  setConversation,
  setJournal
} from "../../packages/agent/src/store/together.js"
import type { Points } from "./Points.js"

type Passing = Context.Tag.Service<typeof Points>

/** That a process asks the journal whether to begin a call, what it was told, and that it has told the journal the end. */
export interface Logged extends Journal.Key {
  readonly known: "Asked" | Journal.Known["_tag"] | "Over"
}

/** What a journal writes together with entries, and what follows when both are committed. */
interface JoinedWrite<A> extends JournalWrite<A> {
  readonly committed: (value: A) => Effect.Effect<void>
}

/** Both with points, in one statement or transaction wherever the real ones are. */
export const stoppableJournal = (
  points: Passing,
  journal: Journal.Service,
  /** Hears what the journal says of each call. */
  hear: (key: Journal.Key, known: Logged["known"]) => Effect.Effect<void> = () => Effect.void
): Journal.Service => {
  const joined = <A, W extends JournalWrite<A>>(
    before: Effect.Effect<void>,
    write: W,
    committed: (value: A) => Effect.Effect<void>
  ): W & JoinedWrite<A> => ({
    ...write,
    write: Effect.zipRight(before, write.write),
    part: write.part === undefined ? undefined : Effect.zipRight(before, write.part),
    committed
  })
  const beforeBegin = (key: Journal.Key) =>
    Effect.zipRight(points.pass("begin: before the journal"), hear(key, "Asked"))
  const afterBegin =
    (key: Journal.Key) =>
    ({ _tag }: Journal.Known) =>
      Effect.zipRight(hear(key, _tag), points.pass("begin: after the journal"))
  const beforeEnd = points.pass("finish: before the journal")
  const afterEnd = (key: Journal.Key) => () =>
    Effect.zipRight(hear(key, "Over"), points.pass("finish: after the journal"))
  const stoppable: Journal.Service = {
    ...journal,
    // A process that was killed before it could write that a call is over: the next one finds it out here.
    look: (key) =>
      Effect.tap(journal.look(key), ({ _tag }) => (_tag === "Finished" ? hear(key, "Finished") : Effect.void)),
    begin: (key, tool) => beforeBegin(key).pipe(Effect.zipRight(journal.begin(key, tool)), Effect.tap(afterBegin(key))),
    finish: (key, ending) => beforeEnd.pipe(Effect.zipRight(journal.finish(key, ending)), Effect.tap(afterEnd(key)))
  }
  const real = journalWrites(journal)
  if (real !== undefined) {
    setJournal(stoppable, real.client, {
      beginOf: (key, tool) => joined(beforeBegin(key), real.beginOf(key, tool), afterBegin(key)),
      endOf: (key, ending) => joined(beforeEnd, real.endOf(key, ending), afterEnd(key))
    })
  }
  return stoppable
}

/** Writes down what the journal says of each call, in a file that nothing but the test reads. */
export const logTo =
  (log: string) =>
  ({ call, digest, run }: Journal.Key, known: Logged["known"]): Effect.Effect<void> =>
    Effect.sync(() => appendFileSync(log, `${JSON.stringify({ run, call, digest, known } satisfies Logged)}\n`))

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
    const append: AppendWith = (entries, after, also) =>
      around(Effect.tap(real.append(entries, after, also), (value) => committedOf(also)?.(value) ?? Effect.void))
    setConversation(stoppable, real.client, append)
  }
  return stoppable
}

/** What follows a write that a stoppable journal has made. */
const committedOf = <A, E>(write: JournalWrite<A, E>): JoinedWrite<A>["committed"] | undefined =>
  "committed" in write ? (write.committed as JoinedWrite<A>["committed"]) : undefined

export const stoppableModel = (points: Passing, model: Model.Model): Model.Model => ({
  ...model,
  stream: (request) => Stream.tap(model.stream(request), () => points.pass("model: in the stream"))
})
