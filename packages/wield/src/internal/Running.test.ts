import { expect, it } from "@effect/vitest"
import { Journal } from "@wield/core"
import { Effect, Layer } from "effect"
import { Running } from "./Running.js"

it("closes its layers when what other programs run within it has come to its end", async () => {
  const order: Array<string> = []
  const say = (word: string) => Effect.sync(() => void order.push(word))
  const layer = Layer.scoped(
    Journal.Journal,
    Effect.acquireRelease(Journal.memory, () => say("the layers are closed"))
  )
  const running = new Running<Journal.Journal>(layer)
  await running.run(Journal.Journal)
  const call = Effect.onInterrupt(Effect.zipRight(say("a call begins"), Effect.never), () =>
    Effect.delay(say("it has ended"), "10 millis")
  )
  const ended = Effect.runPromiseExit(running.within(call))
  await running.close()
  expect(order).toEqual(["a call begins", "it has ended", "the layers are closed"])
  expect((await ended)._tag).toBe("Failure")
})
