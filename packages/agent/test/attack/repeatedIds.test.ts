import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentResult, DeferredCall, type Model } from "@wield/agent"
import { Approval, ToolResult, Toolset, Turn } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

const Bank = Toolkit.make(
  Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String }).annotate(Tool.Idempotent, true)
)

/** A server that calls every call of a turn `call_0`; what is over 10 has to be approved. */
const paying = (...amounts: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const paid: Array<number> = []
    const toolset = yield* Effect.provide(
      Toolset.fromToolkit(Bank),
      Bank.toLayer({
        pay: ({ amount }) =>
          Effect.sync(() => {
            paid.push(amount)
            return `paid ${amount}`
          })
      })
    )
    const calls = amounts.map((amount) => ScriptedModel.call("pay", { amount }, { id: "call_0" }))
    const model = yield* ScriptedModel.make([ScriptedModel.turn(...calls), ScriptedModel.text("Done.")])
    const agent = yield* Agent.make({
      model,
      toolset,
      policy: {
        approval: { pay: ({ parameters }) => (parameters.amount > 10 ? Approval.ask("much") : Approval.allow) }
      }
    })
    return { agent, model, paid, paused: yield* Agent.run(agent, "Pay") }
  })

const requestsOf = (result: AgentResult.AgentResult) =>
  result._tag === "Paused" ? result.requests : expect.unreachable(result._tag)

const read = (model: ScriptedModel.ScriptedModel) =>
  Effect.map(model.requests, (requests) => {
    const last = requests.at(-1)?.messages.at(-1)
    return last?._tag === "Results" ? last.results.map(({ content }) => content) : []
  })

describe("calls of one turn that share an id", () => {
  it.effect("are each answered by the answer to their own request", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 30)
      const [first, second] = requestsOf(paused)
      const answers = [DeferredCall.approve(second!), DeferredCall.deny(first!, "too soon")]
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([30])
      expect(JSON.stringify(yield* read(model))).toMatch(/too soon.*paid 30/)
    })
  )

  it.effect("are each answered one after the other, the last one first", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 30)
      const { conversation } = paused
      const [first, second] = requestsOf(paused)
      const still = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(second!)] })
      expect(requestsOf(still).map((request) => request.arguments)).toEqual([{ amount: 20 }])
      const result = yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(first!)] })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([30, 20])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 20.*paid 30/)
    })
  )

  it.effect("are not taken for one another where only one of them waits", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 3)
      expect(paid).toEqual([3])
      const answers = requestsOf(paused).map((request) => DeferredCall.approve(request))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([3, 20])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 20.*paid 3/)
    })
  )
})

describe("one call sent twice", () => {
  it.effect("runs once, and each has its result", () =>
    Effect.gen(function* () {
      const { model, paid, paused } = yield* paying(3, 3, 4)
      expect(paused.text).toBe("Done.")
      expect(paid).toEqual([3, 4])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 3.*paid 3.*paid 4/)
    })
  )

  it.effect("waits for approval, and an answer to it runs it once", () =>
    Effect.gen(function* () {
      const { agent, model, paid, paused } = yield* paying(20, 20)
      const answers = requestsOf(paused).map((request) => DeferredCall.approve(request))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([20])
      expect(JSON.stringify(yield* read(model))).toMatch(/paid 20.*paid 20/)
    })
  )

  it.effect("waits for approval once: the first answer is that to both", () =>
    Effect.gen(function* () {
      const { agent, paid, paused } = yield* paying(20, 20)
      const [first] = requestsOf(paused)
      const result = yield* Agent.run(agent, {
        conversation: paused.conversation,
        answers: [DeferredCall.approve(first!)]
      })
      expect(result.text).toBe("Done.")
      expect(paid).toEqual([20])
    })
  )
})

describe("a stream whose calls end in another order than they began", () => {
  const Bank = Toolkit.make(Tool.make("now", { success: Schema.String }), Tool.make("pay", { success: Schema.String }))

  const paying = (...deltas: ReadonlyArray<object>) =>
    Effect.gen(function* () {
      const run: Array<string> = []
      const act = (name: string) => Effect.sync(() => `${name} ${run.push(name)}`)
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Bank),
        Bank.toLayer({ now: () => act("now"), pay: () => act("pay") })
      )
      const model: Model.Model = {
        id: "m",
        format: "openai-chat",
        stream: ({ messages }) =>
          Stream.fromIterable(messages.length > 1 ? streamed({ content: "Done." }) : streamed(...deltas))
      }
      const agent = yield* Agent.make({ model, toolset })
      const events = yield* Stream.runCollect(Agent.stream(agent, "Pay"))
      return { run, events: [...events] }
    })

  const piece = (index: number, args: string, name?: string) => ({
    tool_calls: [{ index, id: "a", function: { ...(name === undefined ? {} : { name }), arguments: args } }]
  })

  const streamed = (...deltas: ReadonlyArray<object>) => {
    const choices = deltas.map((delta) => ({ index: 0, delta, finish_reason: null as string | null }))
    const chunks = [...choices, { index: 0, delta: {}, finish_reason: "stop" }].map((choice) => ({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [choice]
    }))
    const text = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"].map((data) => `data: ${data}\n\n`)
    const decoder = OpenAiChat.streamDecoder()
    return [...decoder.push(new TextEncoder().encode(text.join(""))), ...decoder.end()]
  }

  it.effect("begins each of two calls of one id once", () =>
    Effect.gen(function* () {
      const { events, run } = yield* paying(piece(0, "", "now"), piece(1, "{", "pay"), piece(1, "}"))
      expect(run.toSorted()).toEqual(["now", "pay"])
      const idsOf = (tag: "CallStarted" | "CallFinished") =>
        events.flatMap((event) => (event._tag === tag ? [[event.call.name, event.call.id]] : [])).toSorted()
      const ids = [
        ["now", "a_2"],
        ["pay", "a"]
      ]
      expect(idsOf("CallStarted")).toEqual(ids)
      expect(idsOf("CallFinished")).toEqual(ids)
    })
  )

  it.effect("runs once what it sends at two places, and announces it once", () =>
    Effect.gen(function* () {
      const twice = [0, 1].flatMap((index) => [piece(index, "{", "pay"), piece(index, "}")])
      const { events, run } = yield* paying(...twice)
      expect(run).toEqual(["pay"])
      const announced = events.flatMap((event) => (event._tag === "CallAnnounced" ? [event.id] : []))
      expect(announced).toEqual(["a"])
    })
  )
})

describe("a server that counts its ids anew in each response", () => {
  const Shop = Toolkit.make(Tool.make("look", { parameters: { at: Schema.Number }, success: Schema.Number }))

  it.effect("has in one conversation no two calls of one id, in events neither", () =>
    Effect.gen(function* () {
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(Shop),
        Shop.toLayer({ look: ({ at }) => Effect.succeed(at) })
      )
      const look = (at: number) => ScriptedModel.call("look", { at }, { id: "functions.look:0" })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(look(1), look(2)),
        ScriptedModel.turn(look(3)),
        ScriptedModel.text("Done."),
        ScriptedModel.turn(look(4)),
        ScriptedModel.text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      const announced: Array<string> = []
      const finished: Array<string> = []
      const result = yield* Agent.run(agent, "Look")
      yield* Stream.runForEach(Agent.stream(agent, { conversation: result.conversation, prompt: "Again" }), (event) =>
        Effect.sync(() => {
          if (event._tag === "CallAnnounced") announced.push(event.id)
          if (event._tag === "CallFinished") finished.push(event.call.id)
        })
      )
      const messages = (yield* model.requests).at(-1)?.messages ?? []
      const calls = messages.flatMap((message) => (message._tag === "Assistant" ? Turn.calls(message) : []))
      const results = messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
      expect(calls.map(({ arguments: sent }) => sent)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }, { at: 4 }])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
      expect(results.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
      expect(results.map((each) => ToolResult.toText(each))).toEqual(["1", "2", "3", "4"])
      expect(announced).toEqual([calls[3]?.id])
      expect(finished).toEqual([calls[3]?.id])
    })
  )
})
