import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, Conversation } from "@wield/agent"
import { Guard, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

const on = (place: Guard.Place, word: string): Guard.Guard => ({
  name: word,
  on: [place],
  check: (text) => (text.includes(word) ? Guard.block(`it says ${word}`) : Guard.pass)
})

const agentOf = (script: Parameters<typeof ScriptedModel.make>[0], guards: ReadonlyArray<Guard.Guard>) =>
  Effect.gen(function* () {
    const ran: Array<string> = []
    const model = yield* ScriptedModel.make(script)
    const toolset = yield* Toolset.dynamic([
      { name: "pay", execute: () => Effect.sync(() => ran.push("pay")) },
      { name: "look", execute: () => Effect.succeed("a card number") }
    ])
    return { agent: yield* Agent.make({ model, toolset, policy: { guards } }), model, ran }
  })

describe("a guard", () => {
  it.effect("on input keeps a message from the model and the conversation, which goes on with the next", () =>
    Effect.gen(function* () {
      const { agent, model } = yield* agentOf([ScriptedModel.text("Good day.")], [on("input", "sesame")])
      const conversation = yield* Conversation.make()
      const error = yield* Effect.flip(Agent.run(agent, { conversation, prompt: "open sesame" }))
      expect(error).toMatchObject({ _tag: "GuardBlocked", on: "input", guard: "sesame" })
      expect(error.message).toBe("The guard sesame blocks: it says sesame; the message was not given to the model")
      expect(yield* conversation.entries).toEqual([])
      const result = yield* Agent.run(agent, { conversation, prompt: "Hello" })
      expect(result.text).toBe("Good day.")
      expect(JSON.stringify(yield* model.requests)).not.toMatch("sesame")
    })
  )

  it.effect("on input looks at messages that come meanwhile", () =>
    Effect.gen(function* () {
      const { agent } = yield* agentOf([ScriptedModel.text("Good day.")], [on("input", "sesame")])
      const inbox = Effect.succeed([{ id: "m1", content: "open sesame" }])
      expect((yield* Effect.flip(Agent.run(agent, { prompt: "Hello", inbox })))._tag).toBe("GuardBlocked")
    })
  )

  it.effect(
    "on output shows no part of an answer that it blocks, begins none of its calls and records nothing of it",
    () =>
      Effect.gen(function* () {
        const turn = ScriptedModel.turn(ScriptedModel.text("The word is sesame."), ScriptedModel.call("pay"))
        const { agent, ran } = yield* agentOf([turn], [on("output", "sesame")])
        const conversation = yield* Conversation.make()
        const events: Array<AgentEvent.AgentEvent> = []
        const onEvent = (event: AgentEvent.AgentEvent) => void events.push(event)
        const error = yield* Effect.flip(Agent.run(agent, { conversation, prompt: "The word?" }, { onEvent }))
        expect(error).toMatchObject({ _tag: "GuardBlocked", on: "output" })
        expect(events.map(({ _tag }) => _tag)).toEqual(["TurnStarted", "TurnBroken"])
        expect(ran).toEqual([])
        expect((yield* conversation.entries).map(({ message }) => message._tag)).toEqual(["User"])
      })
  )

  it.effect("on output lets all events of an answer pass that is fine", () =>
    Effect.gen(function* () {
      const script = [
        ScriptedModel.turn(ScriptedModel.text("I pay."), ScriptedModel.call("pay")),
        ScriptedModel.text("Done.")
      ]
      const tagsWith = (guards: ReadonlyArray<Guard.Guard>) =>
        Effect.gen(function* () {
          const { agent } = yield* agentOf(script, guards)
          const tags: Array<string> = []
          yield* Agent.run(agent, "Pay", { onEvent: ({ _tag }) => void tags.push(_tag) })
          return tags.sort()
        })
      expect(yield* tagsWith([on("output", "sesame")])).toEqual(yield* tagsWith([]))
      expect(yield* tagsWith([{ ...on("output", "Done"), mode: "report" }])).toEqual(yield* tagsWith([]))
    })
  )

  it.effect("on results has the model read that one is withheld, and the run goes on", () =>
    Effect.gen(function* () {
      const { agent, model } = yield* agentOf(
        [ScriptedModel.call("look"), ScriptedModel.text("I may not see it.")],
        [on("result", "card")]
      )
      const result = yield* Agent.run(agent, "Look")
      expect(result.text).toBe("I may not see it.")
      expect(JSON.stringify((yield* model.requests)[1])).not.toMatch("a card number")
      expect(JSON.stringify(result.entries)).toMatch("its result is withheld: it says card")
    })
  )
})
