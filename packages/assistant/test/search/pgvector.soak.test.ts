import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import { Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { pgvector } from "../databases/pgvector.js"
import { makeVectors } from "./vectors.js"

const memory = (id: string, title: string, text: string): SearchIndex.Item => ({
  type: "memory",
  id,
  title,
  text,
  importance: 5,
  changed: 0
})

const ada = Owner.UserId.make("ada")
const bob = Owner.UserId.make("bob")

describe("the search over a Postgres with pgvector", () => {
  it.scopedLive("has the extension find what is near in meaning, also of what was embedded before it was there", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const vectors = makeVectors()
      const index = SearchIndex.layerEmbedding({ model: "test" }).pipe(Layer.provide(vectors.layer))
      const searching = <A, E>(use: (index: SearchIndex.Service) => Effect.Effect<A, E>) =>
        Effect.provide(Effect.flatMap(SearchIndex.SearchIndex, use), Layer.fresh(index))
      const nearest = searching((index) => index.search(ada, { text: "canine", limit: 2 }))

      yield* searching((index) =>
        Effect.gen(function* () {
          yield* index.put(ada, [memory("1", "Rex", "It barks at night"), memory("2", "Tom", "It purrs")])
          yield* index.put(bob, [memory("1", "Ajax", "a puppy that barks")])
          yield* index.search(ada, { text: "canine" })
        })
      )
      const without = yield* nearest

      yield* sql`CREATE EXTENSION vector`
      const withIt = yield* nearest
      expect(withIt.hits.map(({ by, title }) => ({ by, title }))).toEqual(
        without.hits.map(({ by, title }) => ({ by, title }))
      )
      expect(withIt.hits[0]?.title).toBe("Rex")
      expect(yield* sql`SELECT COUNT(*)::int AS count FROM wield_assistant_nearness`).not.toEqual([{ count: 0 }])

      yield* searching((index) =>
        Effect.gen(function* () {
          // Changed, new, and gone.
          yield* index.put(ada, [memory("1", "Rex", "It purrs now"), memory("3", "Bello", "a puppy")])
          yield* index.remove(ada, "memory", ["2"])
          const found = yield* index.search(ada, { text: "canine", limit: 5 })
          expect(found.kind).toBe("words and meaning")
          expect(found.hits[0]?.title).toBe("Bello")
          expect(found.hits.map(({ title }) => title)).not.toContain("Tom")
          expect(found.hits.map(({ title }) => title)).not.toContain("Ajax")
        })
      )
    }).pipe(Effect.provide(pgvector))
  )
})
