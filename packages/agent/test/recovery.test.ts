import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Conversation } from "@wield/agent"
import { Approval, Facts, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Schema } from "effect"

const success = Schema.String
const Shop = Toolkit.make(
  Tool.make("look", { success }).annotate(Tool.Readonly, true),
  Tool.make("reserve", { success }).annotate(Tool.Idempotent, true),
  Tool.make("ship", { success }).pipe(Facts.sequential)
)

/** Writes down what begins, in its order; `looked` is open as soon as `look` has begun. */
const shop = Effect.gen(function* () {
  const begun: Array<string> = []
  const looked = yield* Deferred.make<void>()
  const begin = (tool: string) => () =>
    Effect.sync(() => {
      begun.push(tool)
      return tool
    })
  const handlers = Shop.toLayer({
    look: () => Effect.tap(begin("look")(), () => Deferred.succeed(looked, undefined)),
    reserve: begin("reserve"),
    ship: begin("ship")
  })
  return { begun, looked, toolset: yield* Effect.provide(Toolset.fromToolkit(Shop), handlers) }
})

const { call, text, turn, wait } = ScriptedModel

describe("A call that begins before its turn is recorded", () => {
  it.effect("is of a read-only tool where the turn can be lost: another one is not made again under its key", () =>
    Effect.gen(function* () {
      const { begun, looked, toolset } = yield* shop
      let early: ReadonlyArray<string> = []
      const streaming = wait(
        Effect.map(Deferred.await(looked), () => {
          early = [...begun]
        })
      )
      const model = yield* ScriptedModel.make([turn(call("reserve"), call("look"), streaming), text("Done.")])
      const agent = yield* Agent.make({ model, toolset, startEarly: "safe" })
      yield* Agent.run(agent, "Go on")
      expect(early).toEqual(["look"])
      expect(begun).toEqual(["look", "reserve"])
    })
  )

  it.effect("does not overtake a call of a sequential tool that has to wait", () =>
    Effect.gen(function* () {
      const { begun, toolset } = yield* shop
      const model = yield* ScriptedModel.make([turn(call("ship"), call("look")), text("Done.")])
      const agent = yield* Agent.make({ model, toolset, startEarly: "safe" })
      yield* Agent.run(agent, "Go on")
      expect(begun).toEqual(["ship", "look"])
    })
  )
})

describe("A prompt that is given again by its id", () => {
  it.effect("comes to the same pause, where calls wait", () =>
    Effect.gen(function* () {
      const { toolset } = yield* shop
      const model = yield* ScriptedModel.make([call("ship")])
      const agent = yield* Agent.make({ model, toolset, policy: { approval: { ship: () => Approval.ask() } } })
      const conversation = yield* Conversation.make()
      const input = { conversation, prompt: "Go on", promptId: "prompt" }
      const first = yield* Agent.run(agent, input)
      const again = yield* Agent.run(agent, input)
      expect(again._tag === "Paused" && again.requests).toEqual(first._tag === "Paused" && first.requests)
      expect(again._tag).toBe("Paused")
      const other = yield* Effect.flip(Agent.run(agent, { ...input, promptId: "another" }))
      expect(other._tag).toBe("WaitingForAnswers")
    })
  )
})
