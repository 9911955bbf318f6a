/** What a process does to a memory and to a goal, step by step, and how far it is to be seen that it has come. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { CurrentContext } from "@wield/assistant/CurrentContext"
import { Goals } from "@wield/assistant/Goals"
import { Memories } from "@wield/assistant/Memories"
import * as Owner from "@wield/assistant/Owner"
import type { SearchIndex } from "@wield/assistant/SearchIndex"
import { Effect, Option } from "effect"

export const user = Owner.UserId.make("ada")
const conversation = Owner.ConversationId.make("c1")

export type Services = Memories | Goals | CurrentContext | SearchIndex | SqlClient

interface Life {
  /** In their order; each is answered before the next one begins. */
  readonly steps: (name: string) => ReadonlyArray<Effect.Effect<void, { readonly message: string }, Services>>
  /** After how many steps it would look like this. */
  readonly seen: (name: string) => Effect.Effect<ReadonlyArray<number>, { readonly message: string }, Services>
}

const orNone = <A, E extends { readonly _tag: string }, R>(found: Effect.Effect<A, E, R>) =>
  Effect.catchAll(Effect.asSome(found), (error) =>
    error._tag === "StoreError" ? Effect.die(error) : Effect.succeed(Option.none<A>())
  )

const memory: Life = {
  steps: (name) => [
    Effect.flatMap(Memories, (memories) => memories.create(user, { name, text: "first", keywords: [name] })),
    Effect.gen(function* () {
      const { id } = yield* (yield* Memories).get(user, name)
      yield* (yield* CurrentContext).add(user, conversation, { type: "memory", id })
    }),
    Effect.flatMap(Memories, (memories) => memories.update(user, name, "second")),
    Effect.gen(function* () {
      const memories = yield* Memories
      yield* memories.delete(user, (yield* memories.get(user, name)).number)
    })
  ],
  seen: (name) =>
    Effect.gen(function* () {
      const memories = yield* Memories
      const found = yield* orNone(memories.get(user, name))
      if (Option.isNone(found)) return [0, 4]
      const sources = yield* memories.sources(user, name)
      if (found.value.text.startsWith("first\n\nUpdate") && found.value.text.endsWith("second")) {
        return sources.length === 1 && sources[0]?.text.endsWith("first") === true ? [3] : []
      }
      if (found.value.text !== "first" || sources.length > 0) return []
      const members = yield* (yield* CurrentContext).members(user, conversation)
      return members.some(({ id }) => id === found.value.id) ? [2] : [1]
    })
}

const goal = (isCompleted: boolean): Life => ({
  steps: (name) => [
    Effect.flatMap(Goals, (goals) => goals.create(user, { name, description: "a goal" })),
    Effect.flatMap(Goals, (goals) => goals.addUpdate(user, name, "one")),
    Effect.flatMap(Goals, (goals) => goals.addUpdate(user, name, "two")),
    isCompleted
      ? Effect.flatMap(Goals, (goals) => goals.complete(user, name, "three"))
      : Effect.flatMap(Goals, (goals) => goals.delete(user, name))
  ],
  seen: (name) =>
    Effect.gen(function* () {
      const found = yield* orNone((yield* Goals).get(user, name))
      const left = yield* orNone((yield* Memories).get(user, `Completed goal: ${name}`))
      if (Option.isNone(found)) return Option.isSome(left) ? [] : isCompleted ? [0] : [0, 4]
      const { state, updates } = found.value.goal
      const told = updates.map(({ text }) => text).join(" ")
      if (state === "completed") {
        return Option.isSome(left) && left.value.text.includes("three") && told === "one two three" ? [4] : []
      }
      if (Option.isSome(left)) return []
      return ["", "one", "one two"].flatMap((updates, index) => (updates === told ? [index + 1] : []))
    })
})

export const lives: { readonly [kind: string]: Life } = {
  memory,
  "goal that is reached": goal(true),
  "goal that is deleted": goal(false)
}

export const lifeOf = (kind: string): Life => {
  const life = lives[kind]
  if (life === undefined) throw new Error(`There is no life of a ${kind}`)
  return life
}
