/** Events that are larger together, and one that is larger alone, than a studio takes at once. */
import { expect, it } from "@effect/vitest"
import { ToolCall } from "@wield/core"
import { Recorder, Studio } from "@wield/studio"
import { Context, Effect, Layer, Redacted } from "effect"
import { makeShop, token, until } from "./shop.js"

const mebibyte = 1024 * 1024

it.scopedLive(
  "events of more than a request holds are sent in several, and a huge one with the beginning of its texts",
  () =>
    Effect.gen(function* () {
      const recording = { bytes: 500 * mebibyte }
      const shop = yield* makeShop({ recording })
      const { port } = yield* Studio.serve({ ...shop.options })
      const remote = { url: `http://127.0.0.1:${port}`, token: Redacted.make(token), origin: "night", ...recording }
      const recorder = Context.get(yield* Layer.build(Recorder.layerRemote(remote)), Recorder.Recorder)
      const run = yield* recorder.begin({ name: "large" })
      const note = (id: string, length: number) =>
        run.watcher.started(ToolCall.make(id, "tidy", { text: "x".repeat(length) }))
      note("huge", 70 * mebibyte)
      for (let index = 0; index < 80; index++) note(`c${index}`, mebibyte)
      yield* until(shop.recorder.run(run.id), (there) => there?.events === 82)
      const there = yield* shop.recorder.export(run.id)
      const sizes = there?.events.map(({ event }) => JSON.stringify(event).length) ?? []
      expect(sizes[1]).toBeLessThan(2000)
      expect(JSON.stringify(there?.events[1])).toContain(`${70 * mebibyte} characters, which were not sent`)
      expect(sizes.slice(2).every((size) => size > mebibyte)).toBe(true)
    })
)
