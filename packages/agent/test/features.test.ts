import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, AgentResult, Conversation, DeferredCall, ModelError, Stop } from "@wield/agent"
import { Approval, Journal, Outcome, type Policy, Response, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Cause, Deferred as EffectDeferred, Effect, Exit, Fiber, Logger, Redacted, Schema, Stream } from "effect"

const Pay = Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String })
const Look = Tool.make("look", { success: Schema.String }).annotate(Tool.Readonly, true)
const Bank = Toolkit.make(Pay, Look)
type Tools = typeof Bank.tools

const bank = (paid: Array<number>) =>
  Effect.provide(
    Toolset.fromToolkit(Bank),
    Bank.toLayer({
      look: () => Effect.succeed("nothing to see"),
      pay: ({ amount }) =>
        Effect.as(
          Effect.sync(() => paid.push(amount)),
          `paid ${amount}`
        )
    })
  )

const ask: Policy.Policy<Tools> = { approval: { pay: ({ parameters }) => Approval.ask(`pay ${parameters.amount}?`) } }

const payThen = (text: string) => [ScriptedModel.call("pay", { amount: 5 }, { id: "call_1" }), ScriptedModel.text(text)]

describe("a call that waits for a person", () => {
  it.effect("pauses the run with a request that survives JSON, and goes on with the answer", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const toolset = yield* bank(paid)
      const model = yield* ScriptedModel.make(payThen("Paid."))
      const agent = yield* Agent.make({ model, toolset, policy: ask })
      const paused = yield* Agent.run(agent, "Pay 5")
      expect(paused._tag).toBe("Paused")
      if (paused._tag !== "Paused") return
      expect(paid).toEqual([])
      expect(paused.requests.map(({ arguments: args, why }) => [args, why])).toEqual([[{ amount: 5 }, "pay 5?"]])
      const json = JSON.stringify(Schema.encodeSync(DeferredCall.DeferredCall)(paused.requests[0]!))
      const request = Schema.decodeUnknownSync(Schema.parseJson(DeferredCall.DeferredCall))(json)
      const result = yield* Agent.run(agent, {
        conversation: paused.conversation,
        answers: [DeferredCall.approve(request)]
      })
      expect(yield* AgentResult.output(result)).toBe("Paid.")
      expect(paid).toEqual([5])
      const again = { conversation: paused.conversation, answers: [DeferredCall.approve(request)] }
      expect((yield* Agent.run(agent, again)).entries).toEqual(result.entries)
      const other = { conversation: paused.conversation, answers: [DeferredCall.deny(request, "too late")] }
      expect(yield* Effect.flip(Agent.run(agent, other))).toMatchObject({
        _tag: "AlreadyAnswered",
        response: "Approve"
      })
      expect(paid).toEqual([5])
    })
  )

  it.effect("runs nothing when it is denied, and tells the model why", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make(payThen("A pity."))
      const agent = yield* Agent.make({ model, toolset: yield* bank(paid), policy: ask })
      const paused = yield* Agent.run(agent, "Pay 5")
      if (paused._tag !== "Paused") return expect.unreachable()
      const answers = paused.requests.map((request) => DeferredCall.deny(request, "too much"))
      const result = yield* Agent.run(agent, { conversation: paused.conversation, answers })
      expect(result._tag).toBe("Finished")
      expect(paid).toEqual([])
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(JSON.stringify(results)).toContain("too much")
    })
  )

  it.effect("is answered at once where the program has somebody to ask", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make(payThen("Paid."))
      const agent = yield* Agent.make({
        model,
        toolset: yield* bank(paid),
        policy: ask,
        answer: (request) => Effect.succeed(request.why === "pay 5?" ? Response.approve : undefined)
      })
      const result = yield* Agent.run(agent, "Pay 5")
      expect(result._tag).toBe("Finished")
      expect(paid).toEqual([5])
    })
  )

  it.effect("refuses an answer that is none, is stale, or is of another kind, and changes nothing", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make(payThen("Paid."))
      const agent = yield* Agent.make({ model, toolset: yield* bank(paid), policy: ask })
      const paused = yield* Agent.run(agent, "Pay 5")
      const request = paused._tag === "Paused" ? paused.requests[0] : undefined
      if (request === undefined) return expect.unreachable()
      const { conversation } = paused
      const refusal = (answer: DeferredCall.Answer) =>
        Effect.map(Effect.flip(Agent.run(agent, { conversation, answers: [answer] })), (error) => error._tag)
      expect(yield* refusal(JSON.parse("{}"))).toBe("InvalidAnswer")
      expect(yield* refusal(DeferredCall.approve({ ...request, digest: "0".repeat(64) }))).toBe("StaleResponse")
      expect(yield* refusal(DeferredCall.result(request, "paid"))).toBe("WrongKindOfResponse")
      expect(yield* refusal(DeferredCall.approveWith(request, { amount: "all" }))).toBe("InvalidEdit")
      expect(yield* refusal(DeferredCall.approve({ ...request, entry: "another" }))).toBe("UnknownRequest")
      expect(yield* refusal(DeferredCall.approve({ ...request, conversation: "another" }))).toBe("UnknownRequest")
      expect(paid).toEqual([])
      const edited = yield* Agent.run(agent, {
        conversation,
        answers: [DeferredCall.approveWith(request, { amount: 4 })]
      })
      expect(paid).toEqual([4])
      expect(JSON.stringify(edited.entries)).toContain("A person changed the arguments")
    })
  )

  it.effect("refuses a new prompt while it waits", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(payThen("Paid."))
      const agent = yield* Agent.make({ model, toolset: yield* bank([]), policy: ask })
      const { conversation } = yield* Agent.run(agent, "Pay 5")
      const error = yield* Effect.flip(Agent.run(agent, { conversation, prompt: "And now?" }))
      expect(error._tag).toBe("WaitingForAnswers")
    })
  )

  it.effect("takes no answer that was tampered with where requests are signed", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make(payThen("Paid."))
      const agent = yield* Agent.make({
        model,
        toolset: yield* bank(paid),
        policy: ask,
        signing: { secrets: [Redacted.make("a secret of thirty-two characters")] }
      })
      const paused = yield* Agent.run(agent, "Pay 5")
      if (paused._tag !== "Paused") return expect.unreachable()
      const [request] = paused.requests
      if (request === undefined) return expect.unreachable()
      const { conversation } = paused
      const forged = { ...request, why: "pay 1?" }
      const error = yield* Effect.flip(Agent.run(agent, { conversation, answers: [DeferredCall.approve(forged)] }))
      expect(error._tag).toBe("TamperedRequest")
      expect(paid).toEqual([])
      yield* Agent.run(agent, { conversation, answers: [DeferredCall.approve(request)] })
      expect(paid).toEqual([5])
    })
  )
})

describe("limits", () => {
  it.effect("stop the run by a condition, and the conversation can be gone on with", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.call("look"), ScriptedModel.text("Nothing.")])
      const agent = yield* Agent.make({ model, toolset: yield* bank([]), stop: Stop.call("look") })
      const result = yield* Agent.run(agent, "Look")
      expect(result._tag === "Stopped" && result.by).toBe("call(look)")
      const next = yield* Agent.run(agent, { conversation: result.conversation })
      expect(yield* AgentResult.output(next)).toBe("Nothing.")
    })
  )

  it.effect("stop a run whose call had waited, also where others of its turn had not, and its answers come again", () =>
    Effect.gen(function* () {
      for (const name of ["pay", "look"] as const) {
        const model = yield* ScriptedModel.make([
          ScriptedModel.turn(ScriptedModel.call("look"), ScriptedModel.call("pay", { amount: 5 })),
          ScriptedModel.text("Paid.")
        ])
        const stop = Stop.any(Stop.call(name), Stop.steps(10))
        const agent = yield* Agent.make({ model, toolset: yield* bank([]), policy: ask, stop })
        const paused = yield* Agent.run(agent, "Pay")
        if (paused._tag !== "Paused") return expect.unreachable()
        const { conversation } = paused
        const given = { conversation, answers: paused.requests.map(DeferredCall.approve) }
        for (const _ of ["first", "again"]) {
          const result = yield* Agent.run(agent, given)
          expect(result._tag === "Stopped" && result.by).toBe(`any(call(${name}), steps(10))`)
        }
        expect(yield* model.requests).toHaveLength(1)
        // Another message goes on with it.
        expect((yield* Agent.run(agent, { ...given, prompt: "Well?" })).text).toBe("Paid.")
      }
    })
  )

  it.effect("do not stop a run whose call was denied", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(payThen("Not paid."))
      const agent = yield* Agent.make({ model, toolset: yield* bank([]), policy: ask, stop: Stop.call("pay") })
      const paused = yield* Agent.run(agent, "Pay")
      if (paused._tag !== "Paused") return expect.unreachable()
      const answers = paused.requests.map((request) => DeferredCall.deny(request, "no"))
      for (const _ of ["first", "again"]) {
        expect((yield* Agent.run(agent, { conversation: paused.conversation, answers })).text).toBe("Not paid.")
      }
    })
  )

  it.effect("name no tool that there is not, and say so where tools may still come", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      // A program without types may name any.
      const stop: Stop.Stop<never> = Stop.call("lok" as never)
      const error = yield* Effect.flip(Agent.make({ model, toolset: yield* bank([]), stop }))
      expect(error.message).toMatch(/^stop of the agent must be the name of a tool.*look.*but is "lok"$/)
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const changing = yield* Toolset.dynamic([])
      yield* Effect.provide(
        Agent.make({ model, toolset: changing, stop }),
        Logger.replace(Logger.defaultLogger, logger)
      )
      expect(logged).toHaveLength(1)
    })
  )

  it.effect("end a run whose model makes one mistake after the other", () =>
    Effect.gen(function* () {
      const wrong = (n: number) => ScriptedModel.call("pay", { amount: `${n}?` })
      const model = yield* ScriptedModel.make([wrong(1), wrong(2), wrong(3)])
      const agent = yield* Agent.make({ model, toolset: yield* bank([]), mistakes: { perTool: 2 } })
      const conversation = yield* Conversation.make()
      const error = yield* Effect.flip(Agent.run(agent, { prompt: "Pay", conversation }))
      expect(error._tag === "TooManyMistakes" && [error.of, error.tool, error.limit]).toEqual(["tool", "pay", 2])
      expect(Conversation.unanswered(yield* conversation.entries)).toBeUndefined()
    })
  )
})

describe("a response that breaks off", () => {
  const broken = new ModelError.Unreachable({ format: "scripted", url: "http://127.0.0.1/", detail: "reset" })

  it.effect("is asked for again", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ScriptedModel.broken(ScriptedModel.text("Half an ans"), broken),
        ScriptedModel.text("A whole answer.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* bank([]) })
      const events = Array.from(yield* Stream.runCollect(Agent.stream(agent, "Hello")))
      const breaks = events.filter((event) => event._tag === "TurnBroken")
      expect(breaks.map((event) => event._tag === "TurnBroken" && event.isRetried)).toEqual([true])
      const done = events.at(-1)
      expect(done?._tag === "Done" && done.result.text).toBe("A whole answer.")
    })
  )

  it.effect("does not forget the calls it began", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make([
        ScriptedModel.broken(ScriptedModel.call("pay", { amount: 5 }, { id: "call_1" }), broken),
        ScriptedModel.text("Paid.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* bank(paid) })
      const result = yield* Agent.run(agent, "Pay 5")
      expect(paid).toEqual([5])
      expect(result.entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results", "Assistant"])
    })
  )
})

describe("the final output", () => {
  const Weather = Schema.Struct({ city: Schema.String, celsius: Schema.Number })

  it.effect("is decoded by its schema, after the mistakes on the way", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ScriptedModel.text("It is 21 degrees in Rome."),
        ScriptedModel.call("final_answer", { city: "Rome", celsius: "warm" }),
        ScriptedModel.call("final_answer", { city: "Rome", celsius: 21 })
      ])
      const agent = yield* Agent.make({ model, output: Weather })
      const result = yield* Agent.run(agent, "How is Rome?")
      const { celsius } = yield* AgentResult.output(result)
      expect(celsius).toBe(21)
      const again = yield* Agent.run(agent, { conversation: result.conversation })
      expect(yield* AgentResult.output(again)).toEqual({ city: "Rome", celsius: 21 })
    })
  )

  it.effect("can be anything, not an object only", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.call("final_answer", { answer: ["a", "b"] })])
      const agent = yield* Agent.make({ model, output: Schema.Array(Schema.String) })
      expect(yield* AgentResult.output(yield* Agent.run(agent, "Letters"))).toEqual(["a", "b"])
    })
  )
})

describe("prepare", () => {
  it.effect("changes what a step is asked with, and what is not on offer cannot be called", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.text("I see.")])
      const agent = yield* Agent.make({
        model,
        toolset: yield* bank(paid),
        prepare: ({ number }) => Effect.succeed(number === 1 ? { offered: ["look"], instructions: "Only look." } : {})
      })
      const result = yield* Agent.run(agent, "Pay 5")
      expect(paid).toEqual([])
      const [first, second] = yield* model.requests
      expect(first?.definitions.map(({ name }) => name)).toEqual(["look"])
      expect(first?.messages[0]).toMatchObject({ _tag: "System", text: "Only look." })
      expect(second?.definitions.map(({ name }) => name)).toEqual(["pay", "look"])
      expect(result._tag).toBe("Finished")
    })
  )
})

describe("what prepare gives without types", () => {
  it.effect.each([
    [{ offerd: ["look"] }, /prepare\.offerd of the agent must be named as an option is.*offered/],
    [Promise.resolve({ offered: ["look"] }), /prepare of the agent must be an Effect of an object of changes/],
    [undefined, /prepare of the agent must be an Effect of an object of changes/],
    [["look"], /prepare of the agent must be an Effect of an object of changes/]
  ] as const)("ends the run before the model is asked, where it is no changes: %j", ([given, message]) =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.text("Paid.")])
      const agent = yield* Agent.make({
        model,
        toolset: yield* bank(paid),
        prepare: () => Effect.succeed(given as never) // as a program without types may do
      })
      const cause = yield* Effect.flip(Effect.sandbox(Agent.run(agent, "Pay 5")))
      expect(String(Cause.squash(cause))).toMatch(message)
      expect(yield* model.requests).toEqual([])
      expect(paid).toEqual([])
    })
  )
})

it.effect.each(["prepare", "answer"] as const)("%s that gives a promise says so, and nothing is run", (name) =>
  Effect.gen(function* () {
    const paid: Array<number> = []
    const model = yield* ScriptedModel.make([ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.text("Paid.")])
    const agent = yield* Agent.make({
      model,
      toolset: yield* bank(paid),
      policy: { approval: { pay: () => Approval.ask("payments are asked for") } },
      [name]: async () => undefined // as a program without types may do
    })
    const cause = yield* Effect.flip(Effect.sandbox(Agent.run(agent, "Pay 5")))
    expect(String(Cause.squash(cause))).toContain(
      `${name} of the agent must be a function that gives an Effect, but is one that gives a promise`
    )
    expect(paid).toEqual([])
  })
)

describe("a tool of failureMode error", () => {
  it.effect("ends the run with its failure, which the conversation has too", () =>
    Effect.gen(function* () {
      const Broken = Tool.make("broken", { failure: Schema.Struct({ why: Schema.String }) })
      const toolkit = Toolkit.make(Broken)
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(toolkit),
        toolkit.toLayer({ broken: () => Effect.fail({ why: "no paper" }) })
      )
      const model = yield* ScriptedModel.make([ScriptedModel.call("broken"), ScriptedModel.text("Then not.")])
      const agent = yield* Agent.make({ model, toolset })
      const conversation = yield* Conversation.make()
      const exit = yield* Effect.exit(Agent.run(agent, { prompt: "Print", conversation }))
      expect(exit).toEqual(Exit.fail({ why: "no paper" }))
      expect(Conversation.unanswered(yield* conversation.entries)).toBeUndefined()
      expect((yield* Agent.run(agent, { conversation })).text).toBe("Then not.")
    })
  )
})

describe("a sub-agent", () => {
  it.effect("answers as a tool, and its usage counts in the parent's", () =>
    Effect.gen(function* () {
      const childModel = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.text("Forty-two."), ScriptedModel.usage({ input: 10, output: 1 }))
      ])
      const child = yield* Agent.make({ model: childModel })
      const toolset = yield* Agent.toToolset(child, { name: "think", description: "Thinks" })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(
          ScriptedModel.call("think", { task: "6 x 7" }),
          ScriptedModel.usage({ input: 1, output: 1 })
        ),
        ScriptedModel.turn(ScriptedModel.text("42"), ScriptedModel.usage({ input: 1, output: 1 }))
      ])
      const agent = yield* Agent.make({ model, toolset })
      const events = Array.from(yield* Stream.runCollect(Agent.stream(agent, "What is 6 x 7?")))
      const done = events.at(-1)
      if (done?._tag !== "Done") return expect.unreachable()
      expect(done.result.usage).toMatchObject({ input: 12, output: 3 })
      const outcome = events.find((event) => event._tag === "CallFinished")
      expect(outcome?._tag === "CallFinished" && Outcome.text(outcome.outcome)).toBe("Forty-two.")
      expect(
        events.some(
          (event) => event._tag === "CallProgress" && (event.value as AgentEvent.AgentEvent)._tag === "TurnFinished"
        )
      ).toBe(true)
    })
  )

  it.effect("is denied what nobody can be asked about", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const childModel = yield* ScriptedModel.make(payThen("I could not."))
      const child = yield* Agent.make({ model: childModel, toolset: yield* bank(paid), policy: ask })
      const toolset = yield* Agent.toToolset(child, { name: "accountant", description: "Pays" })
      const model = yield* ScriptedModel.make([
        ScriptedModel.call("accountant", { task: "Pay 5" }),
        ScriptedModel.text("No.")
      ])
      const agent = yield* Agent.make({ model, toolset })
      yield* Agent.run(agent, "Pay 5")
      expect(paid).toEqual([])
    })
  )
})

describe("a conversation whose process ended", () => {
  it.effect("goes on without running again what the journal knows to be finished", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const journal = yield* Journal.memory
      const script = [
        ScriptedModel.turn(ScriptedModel.call("pay", { amount: 1 }), ScriptedModel.call("pay", { amount: 2 })),
        ScriptedModel.text("Done.")
      ]
      const toolset = yield* bank(paid)
      const first = yield* Agent.make({ model: yield* ScriptedModel.make(script), toolset, policy: { journal } })
      const whole = yield* Agent.run(first, "Pay")
      // As a crash before the results were recorded leaves it.
      const conversation = yield* Conversation.make({ id: whole.conversation.id, entries: whole.entries.slice(0, 2) })
      const model = yield* ScriptedModel.make([ScriptedModel.text("Done, too.")])
      const second = yield* Agent.make({ model, toolset, policy: { journal } })
      const result = yield* Agent.run(second, { conversation })
      expect(paid).toEqual([1, 2])
      expect(result.text).toBe("Done, too.")
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(results.map(({ structured }) => structured)).toEqual(["paid 1", "paid 2"])
    })
  )

  it.effect("does not run without a journal what may have run before", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const script = [
        ScriptedModel.turn(ScriptedModel.call("pay", { amount: 1 }), ScriptedModel.call("look")),
        ScriptedModel.text("Done.")
      ]
      const toolset = yield* bank(paid)
      const first = yield* Agent.make({ model: yield* ScriptedModel.make(script), toolset })
      const whole = yield* Agent.run(first, "Pay")
      const conversation = yield* Conversation.make({ id: whole.conversation.id, entries: whole.entries.slice(0, 2) })
      const model = yield* ScriptedModel.make([ScriptedModel.text("I shall check.")])
      const second = yield* Agent.make({ model, toolset })
      const result = yield* Agent.run(second, { conversation })
      expect(paid).toEqual([1])
      const results = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      expect(results.map(({ isError, name }) => [name, isError])).toEqual([
        ["pay", true],
        ["look", false]
      ])
    })
  )
})

describe("a call that was approved", () => {
  it.effect("has a result in the conversation when the run is interrupted in the middle of it", () =>
    Effect.gen(function* () {
      const started = yield* EffectDeferred.make<void>()
      const Slow = Tool.make("slow", { success: Schema.String })
      const toolkit = Toolkit.make(Slow)
      const toolset = yield* Effect.provide(
        Toolset.fromToolkit(toolkit),
        toolkit.toLayer({ slow: () => Effect.zipRight(EffectDeferred.succeed(started, undefined), Effect.never) })
      )
      const model = yield* ScriptedModel.make([ScriptedModel.call("slow"), ScriptedModel.text("Never mind.")])
      const agent = yield* Agent.make({ model, toolset, policy: { approval: () => Approval.ask() } })
      const paused = yield* Agent.run(agent, "Go")
      if (paused._tag !== "Paused") return expect.unreachable()
      const { conversation } = paused
      const answers = paused.requests.map(DeferredCall.approve)
      const fiber = yield* Effect.fork(Agent.run(agent, { conversation, answers }))
      yield* EffectDeferred.await(started)
      yield* Fiber.interrupt(fiber)
      expect(Conversation.unanswered(yield* conversation.entries)).toBeUndefined()
      expect((yield* Agent.run(agent, { conversation })).text).toBe("Never mind.")
    })
  )

  it.effect("of a tool that was not on offer stays without effect when its process ends", () =>
    Effect.gen(function* () {
      const paid: Array<number> = []
      const journal = yield* Journal.memory
      const toolset = yield* bank(paid)
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay", { amount: 5 }), ScriptedModel.text("I see.")])
      const config = {
        model,
        toolset,
        policy: { journal },
        prepare: () => Effect.succeed({ offered: ["look" as const] })
      }
      const agent = yield* Agent.make(config)
      const whole = yield* Agent.run(agent, "Pay 5")
      const conversation = yield* Conversation.make({ id: whole.conversation.id, entries: whole.entries.slice(0, 2) })
      const next = yield* ScriptedModel.make([ScriptedModel.text("I see.")])
      yield* Agent.run(yield* Agent.make({ ...config, model: next }), { conversation })
      expect(paid).toEqual([])
    })
  )
})
