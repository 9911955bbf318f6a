/** What a search by meaning takes of the process: bytes that are held, and time in which nothing else runs. */
import { EmbeddingModel } from "@effect/ai"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, layer } from "@effect/vitest"
import { Owner, SearchIndex } from "@wield/assistant"
import { Traces } from "@wield/core"
import { Effect, Layer, Stream } from "effect"
import { slowDatabases } from "../databases/databases.js"

const memory = (id: number): SearchIndex.Item => ({
  type: "memory",
  id: String(id),
  title: `${id}`,
  text: "",
  importance: 5,
  changed: 0
})

/** A text that begins with a number is a point on a quarter of a circle, so that numbers that are near are near. */
const circle = (dimensions: number) => (text: string) => {
  const angle = Number.parseInt(text, 10) / 1000
  return Array.from({ length: dimensions }, (_, index) =>
    index === 0 ? Math.cos(angle) : index === 1 ? Math.sin(angle) : 0
  )
}

const model = (dimensions: number): Layer.Layer<EmbeddingModel.EmbeddingModel> =>
  Layer.effect(
    EmbeddingModel.EmbeddingModel,
    EmbeddingModel.make({
      embedMany: (texts) =>
        Effect.succeed(texts.map((text, index) => ({ index, embeddings: circle(dimensions)(text) })))
    })
  )

const onlyMeaning = { words: 0, recency: 0, importance: 0 }

const indexOf = (vectorMemory: number, dimensions = 2) =>
  SearchIndex.layerEmbedding({ model: `circle ${dimensions}`, weights: onlyMeaning, vectorMemory }).pipe(
    Layer.provide(model(dimensions))
  )

const nearestTo = (index: SearchIndex.Service, user: Owner.UserId, number: number) =>
  Effect.map(index.search(user, { text: `${number} `, limit: 3 }), ({ hits }) =>
    hits.map(({ id }) => Number(id)).sort()
  )

for (const { client, name } of slowDatabases) {
  describe(`the search by meaning in ${name}`, () => {
    layer(client, { excludeTestServices: true })((it) => {
      // None is held, one of the two users is, both are.
      for (const vectorMemory of [0, 60_000, SearchIndex.vectorMemory]) {
        it.effect(`finds the same with ${vectorMemory} bytes for vectors, also after changes`, () =>
          Effect.gen(function* () {
            const index = yield* SearchIndex.SearchIndex
            const users = ["ada", "bob"].map((user) => Owner.UserId.make(`${user} ${vectorMemory}`))
            for (const user of users) {
              yield* index.put(
                user,
                Array.from({ length: 140 }, (_, id) => memory(id))
              )
              yield* Stream.runDrain(index.reindex)
            }
            for (const user of [...users, ...users]) {
              expect(yield* nearestTo(index, user, 120)).toEqual([119, 120, 121])
            }
            for (const user of users) {
              yield* index.remove(user, "memory", ["121"])
              yield* index.put(user, [{ ...memory(119), title: "3" }, memory(500)])
              expect(yield* nearestTo(index, user, 120)).toEqual([118, 120, 122])
              expect(yield* nearestTo(index, user, 700)).toContain(500)
              const at = yield* Effect.all(
                [50, 20, 90].map((number) => nearestTo(index, user, number)),
                { concurrency: "unbounded" }
              )
              expect(at).toEqual([
                [49, 50, 51],
                [19, 20, 21],
                [89, 90, 91]
              ])
            }
          }).pipe(Effect.provide(indexOf(vectorMemory)))
        )
      }

      it.effect("forgets what it saw in a transaction that was undone", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient
          const index = yield* SearchIndex.SearchIndex
          const user = Owner.UserId.make("undone")
          yield* index.put(user, [memory(1), memory(2), memory(3)])
          expect(yield* nearestTo(index, user, 900)).toEqual([1, 2, 3])
          yield* index
            .put(user, [memory(800)])
            .pipe(
              Effect.zipRight(nearestTo(index, user, 900)),
              Effect.zipRight(Effect.fail("undone")),
              sql.withTransaction,
              Effect.ignore
            )
          yield* index.put(user, [memory(700)])
          expect(yield* nearestTo(index, user, 900)).toEqual([2, 3, 700])
        }).pipe(Effect.provide(indexOf(SearchIndex.vectorMemory)))
      )

      it.effect("compares many vectors in many statements, between which others have their turn", () =>
        Effect.gen(function* () {
          const index = yield* SearchIndex.SearchIndex
          const user = Owner.UserId.make("many")
          const amount = 4000
          yield* index.put(
            user,
            Array.from({ length: amount }, (_, id) => memory(id))
          )
          yield* Stream.runDrain(index.reindex)
          let statements = 0
          const counted = Effect.tracerWith((tracer) =>
            nearestTo(index, user, 1200).pipe(
              Effect.provideService(Traces.StoreSpans, true),
              Effect.withTracer({
                ...tracer,
                span: (name, ...rest) => {
                  if (name === "sql.execute") statements++
                  return tracer.span(name, ...rest)
                }
              })
            )
          )
          expect(yield* counted).toEqual([1199, 1200, 1201])
          // 24 MB, and 1 MB a statement: no other work waits for all of them.
          expect(statements).toBeGreaterThan(24)
        }).pipe(Effect.provide(indexOf(SearchIndex.vectorMemory, 1536)))
      )
    })
  })
}
