import { describe, expect, layer } from "@effect/vitest"
import { Memories, Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer, TestClock } from "effect"
import { databases } from "../databases/databases.js"

const ada = Owner.UserId.make("ada")
const bob = Owner.UserId.make("bob")
const eve = Owner.UserId.make("eve")

for (const { client, name } of databases) {
  describe(`memories over ${name}`, () => {
    layer(Memories.layer.pipe(Layer.provideMerge(SearchIndex.layer()), Layer.provideMerge(client)))((it) => {
      it.effect("are told from the newest on, and only as many as are asked for", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          for (const name of ["One", "Two", "Three"]) {
            yield* memories.create(ada, { name, text: "x" })
            yield* TestClock.adjust("1 second")
          }
          yield* memories.update(ada, "One", "y")
          const names = (count: number) =>
            Effect.map(memories.recent(ada, count), (found) => found.map(({ name }) => name))
          expect(yield* names(10)).toEqual(["One", "Three", "Two"])
          expect(yield* names(2)).toEqual(["One", "Three"])
          // Of several that were made at the same moment, too.
          for (const name of ["a", "b", "c"]) yield* memories.create(bob, { name, text: "x" })
          expect((yield* memories.recent(bob, 10)).map(({ name }) => name)).toEqual(["c", "b", "a"])
        })
      )

      it.effect("name their sources in their order, and only their own", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const sources = ["z", "y", "x"].map((name) => ({ type: "Goal" as const, name, text: `of ${name}` }))
          yield* memories.create(eve, { name: "First", text: "x", sources })
          yield* memories.create(eve, {
            name: "Second",
            text: "x",
            sources: [{ type: "Goal", name: "q", text: "of q" }]
          })
          expect(yield* memories.sources(eve, "First")).toEqual(sources)
          expect((yield* memories.sources(eve, "Second")).map(({ name }) => name)).toEqual(["q"])
          const missing = yield* Effect.flip(memories.source(eve, "Goal", "none"))
          expect(missing).toMatchObject({ known: ["q", "z", "y", "x"] })
        })
      )

      it.effect("are found by their keywords, which are no part of what they say", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const user = Owner.UserId.make("keywords")
          const made = yield* memories.create(user, { name: "Tour", text: "On Sunday", keywords: ["zeppelin"] })
          expect(made.text).toBe("On Sunday")
          expect((yield* memories.search(user, "zeppelin", 5)).memories).toEqual([made])
        })
      )

      it.effect("of another user are not read by their ids, nor merged", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const theirs = yield* memories.create(ada, { name: "Hers", text: "x" })
          const own = yield* memories.create(bob, { name: "His", text: "x" })
          expect(yield* memories.byIds(bob, [theirs.id])).toEqual([])
          const merged = yield* memories.merge(bob, [own.id, theirs.id], [{ name: "Both", text: "xx" }])
          expect(merged).toEqual([])
          expect(yield* memories.byIds(bob, [own.id])).toEqual([own])
          expect(yield* memories.byIds(ada, [theirs.id])).toEqual([theirs])
        })
      )
    })
  })
}
