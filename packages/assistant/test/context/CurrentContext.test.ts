import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, layer } from "@effect/vitest"
import { CurrentContext, Owner } from "@wield/assistant"
import { Effect, Layer, TestClock } from "effect"
import { dropEverywhere } from "../../src/store/contextRows.js"
import { databases } from "../databases/databases.js"

const ada = Owner.UserId.make("ada")
const bob = Owner.UserId.make("bob")
const morning = Owner.ConversationId.make("morning")
const evening = Owner.ConversationId.make("evening")

const places = [
  [ada, morning],
  [ada, evening],
  [bob, morning]
] as const

const members = [
  { type: "memory", id: "1" },
  { type: "memory", id: "2" },
  { type: "goal", id: "1" }
] as const

/** All that is in any context: ids are the same everywhere, so that only who and where tell them apart. */
const filled = Effect.gen(function* () {
  const context = yield* CurrentContext.CurrentContext
  const all = Effect.forEach(places, ([user, conversation]) =>
    Effect.map(context.members(user, conversation), (found) => found.map(({ id, type }) => `${type} ${id}`))
  )
  for (const [user, conversation] of places) {
    for (const member of members) {
      yield* context.add(user, conversation, member)
      yield* TestClock.adjust("1 second")
    }
  }
  return { context, all }
})

for (const { client, name } of databases) {
  describe(`the current context over ${name}`, () => {
    layer(Layer.provideMerge(CurrentContext.layer, client))((it) => {
      it.effect("loses what is dropped, and that only where it is dropped", () =>
        Effect.gen(function* () {
          const { all, context } = yield* filled
          yield* context.drop(ada, morning, { type: "memory", id: "1" })
          const whole = ["memory 1", "memory 2", "goal 1"]
          expect(yield* all).toEqual([["memory 2", "goal 1"], whole, whole])
          yield* context.drop(ada, morning, { type: "memory", id: "1" })
          expect(yield* all).toEqual([["memory 2", "goal 1"], whole, whole])
        })
      )

      it.effect("tells what is in it in the order in which it was added, whatever its id", () =>
        Effect.gen(function* () {
          const context = yield* CurrentContext.CurrentContext
          const conversation = Owner.ConversationId.make("ordered")
          for (const id of ["2", "3", "1", "2"]) {
            yield* context.add(ada, conversation, { type: "memory", id })
            yield* TestClock.adjust("1 second")
          }
          expect((yield* context.members(ada, conversation)).map(({ id }) => id)).toEqual(["2", "3", "1"])
        })
      )

      it.effect("of every conversation loses what is gone, of its user and its type", () =>
        Effect.gen(function* () {
          const { all } = yield* filled
          const sql = yield* SqlClient
          yield* dropEverywhere(sql, ada, "memory", ["1"])
          expect((yield* all).slice(0, 2)).toEqual([
            ["memory 2", "goal 1"],
            ["memory 2", "goal 1"]
          ])
          expect((yield* all)[2]).toContain("memory 1")
          yield* dropEverywhere(sql, ada, "memory", [])
          expect((yield* all)[0]).toEqual(["memory 2", "goal 1"])
        })
      )
    })
  })
}
