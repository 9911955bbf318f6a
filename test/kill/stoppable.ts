/** The journal, the conversation and the model of a process that is to be killed at a point. */
import type { Conversation, Model } from "@wield/agent"
import type { Journal } from "@wield/core"
import { type Context, Effect, Stream } from "effect"
import { appendFileSync } from "node:fs"
import type { Points } from "./Points.js"

type Passing = Context.Tag.Service<typeof Points>

/** That a process asks the journal whether to begin a call, what it was told, and that it has told the journal the end. */
export interface Logged {
  readonly run: string
  readonly call: string
  readonly known: "Asked" | Journal.Known["_tag"] | "Over"
}

/** Writes down what it says of each call, in a file of its own, which nothing but the test reads. */
export const loggedJournal = (points: Passing, journal: Journal.Service, log: string): Journal.Service => {
  const write = ({ call, run }: Journal.Key, known: Logged["known"]) =>
    Effect.sync(() => appendFileSync(log, `${JSON.stringify({ run, call, known } satisfies Logged)}\n`))
  return {
    ...journal,
    // A process that was killed before it could write that a call is over: the next one finds it out here.
    look: (key) =>
      Effect.tap(journal.look(key), ({ _tag }) => (_tag === "Finished" ? write(key, "Finished") : Effect.void)),
    begin: (key, tool) =>
      Effect.gen(function* () {
        yield* points.pass("begin: before the journal")
        yield* write(key, "Asked")
        const known = yield* journal.begin(key, tool)
        yield* write(key, known._tag)
        yield* points.pass("begin: after the journal")
        return known
      }),
    finish: (key, ending) =>
      Effect.gen(function* () {
        yield* points.pass("finish: before the journal")
        yield* journal.finish(key, ending)
        yield* write(key, "Over")
        yield* points.pass("finish: after the journal")
      })
  }
}

export const stoppableConversation = <E>(
  points: Passing,
  conversation: Conversation.Conversation<E>
): Conversation.Conversation<E> => ({
  ...conversation,
  append: (entries, after) =>
    points
      .pass("append: before the store")
      .pipe(
        Effect.zipRight(conversation.append(entries, after)),
        Effect.zipRight(points.pass("append: after the store"))
      )
})

export const stoppableModel = (points: Passing, model: Model.Model): Model.Model => ({
  ...model,
  stream: (request) => Stream.tap(model.stream(request), () => points.pass("model: in the stream"))
})
