import { describe, expect, it, layer } from "@effect/vitest"
import { Tokens } from "@wield/agent"
import { CurrentContext, Goals, Memories, Owner, Recall, SearchIndex } from "@wield/assistant"
import { CallContext } from "@wield/core"
import { Effect, Layer } from "effect"
import { takeWithin } from "../../src/Recall.js"
import { databases } from "../databases/databases.js"

describe("texts within a budget", () => {
  const count = (text: string) => text.length

  it("are the first that fit, each of which leaves less for the next", () => {
    expect(takeWithin(["aaa", "bbb", "ccc"], count, 7)).toEqual(["aaa", "bbb"])
    expect(takeWithin(["aaa", "bbb"], count, 6)).toEqual(["aaa", "bbb"])
    expect(takeWithin(["aaa", "bbb"], count, 5)).toEqual(["aaa"])
  })

  it("leave out what does not fit, and take a shorter one behind it", () => {
    expect(takeWithin(["aaa", "bbbbb", "c"], count, 4)).toEqual(["aaa", "c"])
    expect(takeWithin(["a"], count, 0)).toEqual([])
  })
})

for (const { client, name } of databases.slice(0, 1)) {
  const services = Layer.mergeAll(Memories.layer, Goals.layer, CurrentContext.layer).pipe(
    Layer.provideMerge(SearchIndex.layer()),
    Layer.provideMerge(client)
  )
  describe(`recall over ${name}`, () => {
    layer(services)((it) => {
      it.effect("of many short memories keeps within its budget, and takes as many as it has room for", () =>
        Effect.gen(function* () {
          const memories = yield* Memories.Memories
          const user_id = Owner.UserId.make("ada")
          const conversation_id = Owner.ConversationId.make("conversation")
          for (let number = 0; number < 20; number++) {
            yield* memories.create(user_id, { name: `V${number}`, text: "violin" })
          }
          const { text: count } = yield* Tokens.estimate().counts
          const told = (tokens: number) =>
            CallContext.provide(Recall.recall(["violin"], { tokens, memories: 20 }), { user_id, conversation_id })
          const lengths: Array<number> = []
          for (let tokens = 20; tokens <= 200; tokens += 9) {
            const text = yield* told(tokens)
            expect(count(text)).toBeLessThanOrEqual(tokens)
            lengths.push(text.split("violin").length - 1)
          }
          expect(lengths).toEqual([...lengths].sort((left, right) => left - right))
          expect(lengths[0]).toBe(0)
          expect(lengths.at(-1)).toBeGreaterThan(5)
        })
      )
    })
  })
}
