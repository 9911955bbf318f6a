import { describe, expect, layer } from "@effect/vitest"
import { Assistant, Goals, Memories, Owner, StoreError } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { databases } from "../databases/databases.js"

/** The memories of the database, but that one of a secret is refused, and that each is told to be from here. */
const choosy = Layer.effect(
  Memories.Memories,
  Effect.map(Memories.Memories, (memories) => ({
    ...memories,
    create: (user, memory) =>
      memory.text.includes("secret")
        ? new StoreError.StoreError({ operation: "create a memory", detail: "it is secret", cause: undefined })
        : memories.create(user, { ...memory, keywords: ["choosy"] })
  }))
).pipe(Layer.provide(Memories.layer))

for (const { client, name } of databases) {
  describe(`a goal that is completed where memories are kept by another service, over ${name}`, () => {
    layer(Assistant.layer({ memories: choosy }).pipe(Layer.provide(client)))((it) => {
      it.effect("leaves its memory there, under a name that it can be found by", () =>
        Effect.gen(function* () {
          const [user, goals, memories] = [Owner.UserId.make("ada"), yield* Goals.Goals, yield* Memories.Memories]
          const longest = "g".repeat(200)
          yield* goals.create(user, { name: longest })
          const { memory } = yield* goals.complete(user, longest)
          expect(yield* memories.get(user, memory.name)).toMatchObject({ id: memory.id, keywords: ["choosy"] })
          expect((yield* memories.search(user, "choosy", 5)).memories.map(({ id }) => id)).toEqual([memory.id])
        })
      )

      it.effect("stays active where its memory cannot be kept", () =>
        Effect.gen(function* () {
          const [user, goals, memories] = [Owner.UserId.make("bob"), yield* Goals.Goals, yield* Memories.Memories]
          yield* goals.create(user, { name: "Gift", description: "A secret" })
          const failure = yield* Effect.flip(goals.complete(user, "Gift", "Bought"))
          expect(failure).toMatchObject({ _tag: "StoreError", detail: "it is secret" })
          expect((yield* goals.get(user, "Gift")).goal).toMatchObject({ state: "active", updates: [] })
          expect(yield* memories.recent(user, 5)).toEqual([])
        })
      )
    })
  })
}
