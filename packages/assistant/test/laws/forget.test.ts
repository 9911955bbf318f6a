import { describe, expect, it, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { Assistant, Goals, Memories, Owner, SearchIndex } from "@wield/assistant"
import { Deferred, Effect, Layer, Predicate, Schedule, Stream } from "effect"
import { isSoak } from "../../../../test/sizes.js"
import { postgres, slowDatabases } from "../databases/databases.js"
import { pgvector } from "../databases/pgvector.js"
import { makeVectors } from "../search/vectors.js"
import { live, secret } from "./life.js"
import { foundOf, rowsOf, tables } from "./rows.js"

const conversation = Owner.ConversationId.make("c1")

for (const { client, name } of slowDatabases) {
  describe(`a user who is forgotten in ${name}`, () => {
    // With a clock that goes: what changes the same rows at once waits and tries again.
    layer(
      Assistant.layerEmbedding({ model: "words" }).pipe(Layer.provide(makeVectors().layer), Layer.provideMerge(client)),
      { excludeTestServices: true }
    )((it) => {
      it.effect("leaves no row in any table, and the rows of others as they are", () =>
        Effect.gen(function* () {
          const [ada, bob] = [Owner.UserId.make("ada"), Owner.UserId.make("bob")]
          yield* live(ada, conversation)
          yield* live(bob, conversation)
          // Makes the vectors too.
          expect(yield* foundOf(ada, `${secret} passport trip`)).not.toEqual([])
          const found = yield* foundOf(bob, `${secret} passport trip`)
          expect(found.length).toBeGreaterThan(3)
          const [before, kept] = [yield* rowsOf(ada), yield* rowsOf(bob)]
          // Otherwise there is a table of which this shows nothing.
          expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])

          yield* Assistant.forget(ada)

          expect(Object.values(yield* rowsOf(ada)).flat()).toEqual([])
          expect(yield* foundOf(ada, `${secret} passport trip`)).toEqual([])
          expect(yield* rowsOf(bob)).toEqual(kept)
          expect(yield* foundOf(bob, `${secret} passport trip`)).toEqual(found)
          const sql = yield* SqlClient
          const words = yield* sql.onDialectOrElse({
            pg: () => Effect.succeed([]),
            orElse: () => sql`SELECT rowid FROM wield_assistant_words
              WHERE rowid NOT IN (SELECT item FROM wield_assistant_items)`
          })
          expect(words).toEqual([])
        })
      )

      it.effect("leaves no child rows behind", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("carl")
          const sql = yield* SqlClient
          const counts = Effect.map(
            sql<{ readonly updates: number; readonly excerpts: number; readonly sources: number }>`SELECT
              (SELECT COUNT(*) FROM wield_assistant_goal_updates) AS updates,
              (SELECT COUNT(*) FROM wield_assistant_excerpts) AS excerpts,
              (SELECT COUNT(*) FROM wield_assistant_sources) AS sources`,
            ([row]) => row
          )
          const before = yield* counts
          yield* live(user, conversation)
          expect(yield* counts).not.toEqual(before)
          yield* Assistant.forget(user)
          expect(yield* counts).toEqual(before)
        })
      )

      it.effect("can begin anew, from the first number on", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("dora")
          yield* live(user, conversation)
          yield* Assistant.forget(user)
          const memories = yield* Memories.Memories
          const memory = yield* memories.create(user, { name: "Tea", text: "Green" })
          expect(memory.number).toBe(1)
          const index = yield* SearchIndex.SearchIndex
          expect((yield* index.search(user, { text: "green tea" })).hits.map(({ id }) => id)).toEqual([memory.id])
        })
      )

      it.effect("is found by meaning again after as many changes as before", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("finn")
          const memories = yield* Memories.Memories
          const index = yield* SearchIndex.SearchIndex
          for (const text of ["Her dog barks", "His puppy barks"]) {
            const { id } = yield* memories.create(user, { name: "Pet", text })
            const { hits } = yield* index.search(user, { text: "barks" })
            expect(hits.map(({ by, id }) => ({ by, id }))).toEqual([{ by: ["words", "meaning"], id }])
            yield* Assistant.forget(user)
          }
        })
      )

      it.effect("who is changed by others meanwhile has either all of a change afterwards or nothing of it", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("eve")
          yield* live(user, conversation)
          const memories = yield* Memories.Memories
          const goals = yield* Goals.Goals
          // What they change may be gone before they come to it.
          const changes = Array.from({ length: 10 }, (_, number) => [
            Effect.ignore(memories.create(user, { name: `Memory ${number}`, text: "new" })),
            Effect.ignore(memories.update(user, "Passport", `Change ${number}`)),
            Effect.ignore(goals.create(user, { name: `Goal ${number}` })),
            Effect.ignore(goals.complete(user, `Goal ${number - 1}`))
          ]).flat()
          const forgotten = Assistant.forget(user)
          yield* Effect.all([...changes.slice(0, 20), forgotten, ...changes.slice(20)], { concurrency: "unbounded" })
          // Otherwise nothing would be left to look at where the user is forgotten last.
          yield* memories.create(user, { name: "Memory of the end", text: "new" })
          const left = yield* rowsOf(user)
          const ids = (rows: ReadonlyArray<unknown> | undefined) =>
            (rows ?? []).flatMap((row) => (Predicate.hasProperty(row, "id") ? [row.id] : []))
          const active = (rows: ReadonlyArray<unknown> | undefined) =>
            ids((rows ?? []).filter((row) => Predicate.hasProperty(row, "state") && row.state === "active"))
          const owned = [...active(left["wield_assistant_memories"]), ...active(left["wield_assistant_goals"])]
          expect(owned).not.toEqual([])
          expect([...ids(left["wield_assistant_items"])].sort()).toEqual(owned.sort())
          yield* Assistant.forget(user)
          expect(Object.values(yield* rowsOf(user)).flat()).toEqual([])
        })
      )

      it.effect("who was never known is forgotten all the same", () =>
        Effect.gen(function* () {
          const user = Owner.UserId.make("nobody\0")
          yield* Assistant.forget(user)
          expect(Object.values(yield* rowsOf(user)).flat()).toEqual([])
        })
      )
    })
  })
}

it.scopedLive("a user who is forgotten in Postgres while the vectors are being kept is forgotten all the same", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const model = makeVectors(Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(answered)))
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient
      const user = Owner.UserId.make("greta")
      yield* Effect.flatMap(Memories.Memories, (memories) => memories.create(user, { name: "Pet", text: "A dog" }))
      // Who keeps vectors by itself may have looked before the memory was there.
      yield* Effect.fork(Stream.runDrain((yield* SearchIndex.SearchIndex).reindex))
      yield* Deferred.await(asked)
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* Assistant.forget(user)
          yield* Deferred.succeed(answered, undefined)
          // Until who keeps the vectors waits for the end of this.
          yield* Effect.repeat(
            sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            { until: (rows) => rows.length > 0, schedule: Schedule.spaced("5 millis") }
          )
        })
      )
      // In turn with the others who keep vectors: these are kept, or not, before it ends.
      yield* Stream.runDrain((yield* SearchIndex.SearchIndex).reindex)
      expect(Object.values(yield* rowsOf(user)).flat()).toEqual([])
    }).pipe(
      Effect.provide(
        Assistant.layerEmbedding({ model: "words" }).pipe(
          Layer.provide(model.layer),
          Layer.provideMerge(postgres.client)
        )
      )
    )
  })
)

describe.runIf(isSoak)("a user who is forgotten in a Postgres with pgvector", () => {
  it.scopedLive("leaves no vector of the extension either, which a migration has made room for", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`CREATE EXTENSION vector`
      yield* Assistant.migrate
      expect(yield* tables).toContain("wield_assistant_nearness")
      const user = Owner.UserId.make("ada")
      const count = sql`SELECT COUNT(*)::int AS count FROM wield_assistant_nearness`
      yield* Effect.gen(function* () {
        yield* live(user, conversation)
        expect(yield* foundOf(user, secret)).not.toEqual([])
        expect(yield* count).not.toEqual([{ count: 0 }])
        yield* Assistant.forget(user)
      }).pipe(Effect.provide(Assistant.layerEmbedding({ model: "words" }).pipe(Layer.provide(makeVectors().layer))))
      expect(Object.values(yield* rowsOf(user)).flat()).toEqual([])
      expect(yield* count).toEqual([{ count: 0 }])
    }).pipe(Effect.provide(pgvector))
  )
})
