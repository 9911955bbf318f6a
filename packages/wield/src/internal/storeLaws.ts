/** The laws of a store, each tried by two that have it open, as two processes would. */
import * as Conversation from "@wield/agent/Conversation"
import * as ConversationStore from "@wield/agent/ConversationStore"
import * as Journal from "@wield/core/Journal"
import * as Json from "@wield/core/Json"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Law } from "./tryLaws.js"

/** What one process has of the store. */
export const open = Effect.all({ journal: Journal.Journal, store: ConversationStore.ConversationStore })

type Opened = Effect.Effect.Success<typeof open>

/** Two processes. */
export type Both = readonly [Opened, Opened]

const unless = (isRight: boolean, problem: string): string | undefined => (isRight ? undefined : problem)

const isSame = (one: unknown, other: unknown): boolean => Json.canonical(one) === Json.canonical(other)

/** How many of ten at once, five in each process, come to this. */
const count = <A, E, E2>(
  [one, other]: Both,
  act: (opened: Opened, index: number) => Effect.Effect<A, E, never>,
  isIt: (result: A) => boolean,
  loses: (error: E) => Effect.Effect<boolean, E2>
) =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: 10 }, (_, index) => index),
      (index) => Effect.catchAll(Effect.map(act(index % 2 === 0 ? one : other, index), isIt), loses),
      { concurrency: "unbounded" }
    ),
    (all) => all.filter(Boolean).length
  )

const entry = (text: string) => Conversation.entry(Conversation.user(text))

const textsOf = (conversation: Conversation.Conversation<unknown>) =>
  Effect.map(conversation.entries, (entries) =>
    entries.map(({ message }) =>
      message._tag === "User"
        ? message.content.map((part) => (part._tag === "Text" ? part.text : part._tag)).join()
        : ""
    )
  )

const law = (
  sentence: string,
  holds: (both: Both, at: string) => Effect.Effect<string | undefined, unknown>
): Law<Both> => [
  sentence,
  async (both, at) => {
    const exit = await Effect.runPromiseExit(holds(both, at))
    if (Exit.isSuccess(exit)) return exit.value
    // The error itself, with what the database said.
    throw Cause.squash(exit.cause)
  }
]

export const storeLaws: ReadonlyArray<Law<Both>> = [
  law("of many who begin a call at once one does", (both, at) =>
    Effect.gen(function* () {
      const key = { run: at, call: "call_1", digest: "d" }
      const fresh = yield* count(
        both,
        ({ journal }) => journal.begin(key, "pay"),
        ({ _tag }) => _tag === "Fresh",
        Effect.fail
      )
      return unless(fresh === 1, `${fresh} of 10 begin it`)
    })
  ),
  law("how a call ended is read as it was, by another process, and it does not begin again", ([one, other], at) =>
    Effect.gen(function* () {
      const endings: ReadonlyArray<Journal.Ending> = [
        { _tag: "Success", encoded: { a: [1, null, "ä 漢 😀 \0"] } },
        { _tag: "Failure", encoded: "x".repeat(100_000), edited: { amount: 5 } },
        { _tag: "Denied", reason: "not today" }
      ]
      for (const [index, ending] of endings.entries()) {
        const key = { run: at, call: `turn call_${index}`, digest: "d" }
        yield* one.journal.begin(key, "pay")
        yield* one.journal.finish(key, ending)
        for (const known of [yield* other.journal.look(key), yield* other.journal.begin(key, "pay")]) {
          if (known._tag !== "Finished") return `what has ended as ${ending._tag} is ${known._tag}`
          if (!isSame(known.ending, ending)) return `${ending._tag} is read as another ending`
        }
      }
      return undefined
    })
  ),
  law("a call that was interrupted is known as such, and one that was given up begins again", ([one, other], at) =>
    Effect.gen(function* () {
      const key = { run: at, call: "call_1", digest: "d" }
      yield* one.journal.begin(key, "pay")
      yield* one.journal.abandon(key)
      const again = yield* other.journal.begin(key, "pay")
      yield* other.journal.interrupt(key)
      const interrupted = yield* one.journal.look(key)
      if (again._tag !== "Fresh") return `what was given up is ${again._tag}`
      return unless(interrupted._tag === "Interrupted", `what was interrupted is ${interrupted._tag}`)
    })
  ),
  law("a run is forgotten whole, and alone", ([one, other], at) =>
    Effect.gen(function* () {
      const keys = [at, `${at}/1`, `${at.slice(0, -1)}_`].map((run) => ({ run, call: "call_1", digest: "d" }))
      for (const key of keys) {
        yield* one.journal.begin(key, "pay")
        yield* one.journal.finish(key, { _tag: "Success", encoded: 1 })
      }
      yield* one.journal.forget(at)
      const known = yield* Effect.forEach(keys, (key) => Effect.map(other.journal.look(key), ({ _tag }) => _tag))
      yield* Effect.forEach(keys, ({ run }) => one.journal.forget(run))
      return unless(known.join() === "Fresh,Finished,Finished", `its call and two of other runs are ${known.join()}`)
    })
  ),
  law("of many who make a conversation at once one does", (both, at) =>
    Effect.gen(function* () {
      const made = yield* count(
        both,
        ({ store }) => store.create({ id: at }),
        () => true,
        (error) => (error._tag === "ConversationExists" ? Effect.succeed(false) : Effect.fail(error))
      )
      return unless(made === 1, `${made} of 10 make it`)
    })
  ),
  law("of many who append after the same entry one does, and another process reads what it wrote", (both, at) =>
    Effect.gen(function* () {
      const [one, other] = both
      const { id } = yield* one.store.create({ id: at })
      for (let round = 1; round <= 5; round++) {
        const last = (yield* (yield* one.store.open(id)).entries).at(-1)?.id
        const appended = yield* count(
          both,
          ({ store }, index) =>
            Effect.flatMap(store.open(id), (conversation) =>
              Effect.flatMap(entry(`${index}`), (one) => conversation.append([one], last))
            ),
          () => true,
          (error) => (error._tag === "AppendConflict" ? Effect.succeed(false) : Effect.fail(error))
        )
        if (appended !== 1) return `${appended} of 10 append`
        const { length } = yield* textsOf(yield* other.store.open(id))
        if (length !== round) return `after ${round} it has ${length} entries`
      }
      return undefined
    })
  ),
  law("entries are read as they were written, in their order, and once where they come again", ([one, other], at) =>
    Effect.gen(function* () {
      const texts = ["", 'it\'s "quoted"; DROP TABLE a; --', "ä 漢 😀 \0 %_*", "x".repeat(300_000)]
      const entries = yield* Effect.forEach(texts, entry)
      const conversation = yield* one.store.create({ id: at })
      yield* conversation.append(entries, undefined)
      yield* conversation.append(entries, undefined)
      const read = yield* textsOf(yield* other.store.open(at))
      return unless(isSame(read, texts), `${read.length} of ${texts.length} are read, or others`)
    })
  ),
  law("a list has each conversation once, over several pages", ([one, other], at) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 7 }, (_, index) => `${at}${index}`)
      for (const id of ids) yield* one.store.create({ id })
      const found: Array<string> = []
      for (let from: string | undefined, page = 0; page < 9 && (page === 0 || from !== undefined); page++) {
        const { conversations, next } = yield* other.store.list({ query: at, limit: 3, from })
        found.push(...conversations.map(({ id }) => id))
        from = next
      }
      return unless(isSame(found.toSorted(), ids), `it has ${found.length} of ${ids.length}`)
    })
  ),
  law("a fork is on its own; what is taken away or deleted is gone", ([one, other], at) =>
    Effect.gen(function* () {
      const entries = yield* Effect.forEach(["a", "b", "c"], entry)
      yield* (yield* one.store.create({ id: at })).append(entries, undefined)
      const fork = yield* other.store.fork(at, { id: `${at}fork`, at: entries[1]!.id })
      yield* other.store.update(fork.id, { title: "again" })
      yield* one.store.truncate(at, entries[0]!.id)
      const [short, long] = [
        yield* textsOf(yield* other.store.open(at)),
        yield* textsOf(yield* one.store.open(fork.id))
      ]
      const { title } = yield* one.store.summary(fork.id)
      yield* one.store.delete(at)
      yield* one.store.delete(at)
      const gone = yield* Effect.flip(other.store.open(at))
      const seen = [short.join(""), long.join(""), title, gone._tag].join()
      return unless(
        seen === "a,ab,again,ConversationNotFound",
        `it comes to ${seen}; a,ab,again,ConversationNotFound is right`
      )
    })
  )
]

/** Takes away what a law has left. */
export const clear = ({ journal, store }: Opened, at: string): Promise<void> =>
  Effect.runPromise(
    Effect.gen(function* () {
      yield* journal.forget(at)
      const { conversations } = yield* store.list({ query: at, limit: 100 })
      for (const { id } of conversations) yield* store.delete(id)
    })
  )
