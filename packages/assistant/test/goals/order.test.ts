import { describe, expect, layer } from "@effect/vitest"
import { Goals, Owner, SearchIndex } from "@wield/assistant"
import { Effect, Layer, TestClock } from "effect"
import { databases } from "../databases/databases.js"

const ada = Owner.UserId.make("ada")
const bob = Owner.UserId.make("bob")

const namesOf = (goals: ReadonlyArray<{ readonly goal: { readonly name: string } }>) =>
  goals.map(({ goal }) => goal.name)

for (const { client, name } of databases) {
  describe(`the order of goals over ${name}`, () => {
    layer(Goals.layer.pipe(Layer.provideMerge(SearchIndex.layer()), Layer.provideMerge(client)))((it) => {
      it.effect("is that of their last change, the newest first, and that of updates is the one they came in", () =>
        Effect.gen(function* () {
          const goals = yield* Goals.Goals
          for (const name of ["One", "Two", "Three"]) {
            yield* goals.create(ada, { name })
            yield* TestClock.adjust("1 second")
          }
          expect(namesOf(yield* goals.list(ada, "active"))).toEqual(["Three", "Two", "One"])
          for (const text of ["b", "c", "a"]) yield* goals.addUpdate(ada, "One", text)
          yield* TestClock.adjust("1 second")
          const listed = yield* goals.list(ada, "active")
          expect(namesOf(listed)).toEqual(["One", "Three", "Two"])
          expect(listed[0]?.goal.updates.map(({ text }) => text)).toEqual(["b", "c", "a"])
          expect(listed[1]?.goal.updates).toEqual([])
          yield* goals.rename(ada, "Two", "Second")
          expect(namesOf(yield* goals.list(ada, "active"))).toEqual(["Second", "One", "Three"])
        })
      )

      it.effect("decides which 50 names are told where there is no goal of a name", () =>
        Effect.gen(function* () {
          const goals = yield* Goals.Goals
          for (let number = 0; number < 52; number++) {
            yield* goals.create(bob, { name: `Goal ${number}` })
            yield* TestClock.adjust("1 second")
          }
          const missing = yield* Effect.flip(goals.get(bob, "none"))
          expect(missing).toMatchObject({ _tag: "GoalNotFound" })
          expect("known" in missing ? missing.known : []).toEqual(
            Array.from({ length: 50 }, (_, index) => `Goal ${51 - index}`)
          )
        })
      )
    })
  })
}
