/** What plain JavaScript gives without its types: a name that is misspelt must not mean another run, or a run at once. */
import { expect, it } from "@effect/vitest"
import { AgentEntity, Runs, Schedule } from "@wield/cluster"
import { Cron, Effect, Schema } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"
import { layerOf, Shop, temporaryPath } from "./file.js"

it.scopedLive("a client and the list of runs refuse what is misspelt or of another kind", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const runs = yield* Runs.Runs
      const wrong: ReadonlyArray<readonly [(...given: never) => unknown, ReadonlyArray<unknown>, string]> = [
        [shop.prompt, ["a", { prompt: "Hi", promtId: "1" }], 'did you mean "promptId"?'],
        [shop.prompt, ["a", { prompt: "Hi", att: Date.now() + 60_000 }], 'did you mean "at"?'],
        [shop.prompt, ["a", { prompt: "Hi", at: null }], "`at` must be a time"],
        [shop.prompt, ["a", { prompt: "Hi", promptId: "" }], "promptId must be a name"],
        [shop.prompt, ["a", Promise.resolve({ prompt: "Hi" })], "A prompt must be an object with prompt"],
        [shop.prompt, ["a", "Hi"], "A prompt must be an object with prompt"],
        [shop.prompt, ["a", { prompt: "Hi", context: { user: "ada" } }], "`context` is kept by a schema"],
        [shop.prompt, [5, { prompt: "Hi" }], "the name of the conversation must have 1 to 255 characters"],
        [shop.steer, ["a", "Hi", { idd: "1" }], 'did you mean "id"?'],
        [shop.answer, ["a", [], { contxt: {} }], 'did you mean "context"?'],
        [runs.list, [{ entty: "shop" }], 'did you mean "entity"?'],
        [runs.list, [{ conversation: 5 }], "conversation must be a text"],
        [runs.list, [{ limit: Number.NaN }], "limit must be a whole number"],
        [runs.forget, [{ entity: "shop", conversaton: "a" }], 'did you mean "conversation"?'],
        [runs.forget, [{ conversation: "a" }], "entity must be a text"],
        [runs.retry, [{ entity: "shop", conversation: "a" }], "id must be a name"],
        [runs.result, [{ entity: "shop", conversation: "a", idd: "1" }], 'did you mean "id"?']
      ]
      for (const [use, given, words] of wrong) {
        expect(yield* causeOf(untyped<Effect.Effect<unknown>>(use)(...given))).toContain(words)
      }
      const at = untyped<Effect.Effect<unknown>>(Schedule.at)
      expect(() => at(shop, "a", { name: "later", when: Date.now(), prompt: "Hi" })).toThrow("when must be named")
      expect(() => at(shop, "a", { name: "later", prompt: "Hi" })).toThrow("at must be a time, such as a Date")
      expect(yield* runs.list()).toEqual([])
    }).pipe(Effect.provide(layerOf(path)))
  })
)

it("an entity and a schedule refuse what is misspelt or of another kind", () => {
  const cron = untyped(Schedule.cron)
  const given = { name: "daily", cron: Cron.unsafeParse("0 9 * * *"), conversation: () => "a", prompt: "Hi" }
  const make = untyped(AgentEntity.make)
  const toLayer = untyped(Shop.toLayer)
  const wrong: ReadonlyArray<readonly [() => unknown, string]> = [
    [() => make("orders", { contxt: Schema.String }), 'did you mean "context"?'],
    [() => make("orders", { context: { user: "text" } }), "context must be a schema"],
    [() => make(undefined), "the name of an entity must have 1 to 255 characters"],
    [() => toLayer({}), "What an entity is served with must be an effect"],
    [() => toLayer(Effect.void, { retryfor: "1 hour" }), 'did you mean "retryFor"?'],
    [() => toLayer(Effect.void, { retryFor: Number.NaN }), "retryFor must be a duration"],
    [() => cron(Shop, { ...given, cron: "0 9 * * *" }), "cron must be a Cron"],
    [() => cron(Shop, { ...given, conversation: "a" }), "conversation must be a function"],
    [() => cron(Shop, { ...given, skipIfOlderThen: "1 hour" }), 'did you mean "skipIfOlderThan"?'],
    [() => cron(Shop, { ...given, name: undefined }), "name must be a name"]
  ]
  for (const [use, words] of wrong) expect(use).toThrow(words)
})
