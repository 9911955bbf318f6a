import {
  Agent,
  ContextWindow,
  Conversation,
  DeferredCall,
  Guard,
  Journal,
  Response,
  Stop,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/effect4"
import { Cause, Data, Effect, Exit, Fiber, Redacted, Schema, Stream } from "effect"
import { AiError, type LanguageModel } from "effect/ai"
import { describe, expect, it } from "vitest"
import { call, finish, modelOf, scripted, text } from "./script.js"
import { happened, inShop, only, Shop, Who } from "./shop.js"

const refund = { orderId: "o_1", amount: 5 }

class Down extends Data.TaggedError("Down")<{ readonly line: number }> {}

describe("a LanguageModel of Effect 4 as the model of an agent", () => {
  it("has its calls run, and reads their results", () =>
    inShop(
      Effect.gen(function* () {
        const asked: Array<LanguageModel.ProviderOptions> = []
        const model = yield* modelOf(
          [
            [call("1", "refund", refund), finish],
            [text("Done."), finish]
          ],
          asked
        )
        const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop), instructions: "Be brief." })
        const result = only(
          yield* Agent.run(agent, { prompt: "Refund it", context: { customerId: "c_42" } }),
          "Finished"
        )
        expect([result.output, result.steps, result.usage.input, result.usage.cacheRead]).toEqual(["Done.", 2, 24, 4])
        expect(asked.map(({ prompt }) => prompt.content.map(({ role }) => role))).toEqual([
          ["system", "user"],
          ["system", "user", "assistant", "tool"]
        ])
        expect(JSON.stringify(asked[1]?.prompt)).toContain("5 for order o_1 of c_42 by Bob")
      })
    ))

  it("is told what to mend where a name is unknown and where arguments are wrong", () =>
    inShop(
      Effect.gen(function* () {
        const asked: Array<LanguageModel.ProviderOptions> = []
        const model = yield* modelOf(
          [
            [call("1", "refunds", refund), call("2", "refund", { orderId: 7 }), finish],
            [call("3", "refund", refund), finish],
            [text("Done."), finish]
          ],
          asked
        )
        const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop) })
        const result = yield* Agent.run(agent, { prompt: "Refund it", context: { customerId: "c_42" } })
        expect([result._tag, result.text]).toEqual(["Finished", "Done."])
        const said = JSON.stringify(asked[1]?.prompt)
        expect(said).toMatch(/refunds/)
        expect(said).toMatch(/orderId/)
      })
    ))

  it("pauses where a person is asked, and goes on with the answer", () =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([
          [call("1", "pay", { to: "Ada" }), finish],
          [text("Paid."), finish]
        ])
        const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop) })
        const paused = only(yield* Agent.run(agent, { prompt: "Pay", context: { customerId: "c" } }), "Paused")
        expect(paused.requests.map(({ name, waitsFor }) => [name, waitsFor])).toEqual([["pay", "approval"]])
        const answers = paused.requests.map(DeferredCall.approve)
        const result = yield* Agent.run(agent, {
          conversation: paused.conversation,
          answers,
          context: { customerId: "c" }
        })
        expect(result.text).toBe("Paid.")
        const conversation = paused.conversation
        expect((yield* conversation.entries).map(({ message }) => message._tag)).toEqual([
          "User",
          "Assistant",
          // The answer, and what came of it.
          "Results",
          "Results",
          "Assistant"
        ])
      })
    ))

  it("answers by a schema of Effect 4", () =>
    inShop(
      Effect.gen(function* () {
        const output = Schema.Struct({ on: Schema.DateFromString })
        const model = yield* modelOf([
          [call("1", "final_answer", { answer: { on: "never" } }), finish],
          [call("2", "final_answer", { answer: { on: "2026-01-01T00:00:00.000Z" } }), finish]
        ])
        const agent = yield* Agent.make({ model, output })
        const result = only(yield* Agent.run(agent, "When?"), "Finished")
        expect(result.output.on.getUTCFullYear()).toBe(2026)
      })
    ))

  it("tells what happens as a stream of Effect 4, which interrupts the run when it is left", () =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([
          [call("1", "slow", {}), finish],
          [text("Done."), finish]
        ])
        const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop) })
        const before = happened.interruptions
        const tags = yield* Agent.stream(agent, { prompt: "Wait", context: { customerId: "c" } }).pipe(
          Stream.map(({ _tag }) => _tag),
          Stream.takeUntil((tag) => tag === "CallStarted"),
          Stream.runCollect
        )
        expect(tags).toContain("TurnStarted")
        expect(happened.interruptions).toBe(before + 1)
        const all = yield* Agent.stream(
          yield* Agent.make({ model: yield* modelOf([[text("Hi."), finish]]) }),
          "Hi"
        ).pipe(Stream.runCollect)
        expect(all.map(({ _tag }) => _tag)).toEqual(["TurnStarted", "TextDelta", "TurnFinished", "UsageKnown", "Done"])
      })
    ))

  it("finds tools, and runs the one that it has found", () =>
    inShop(
      Effect.gen(function* () {
        const toolset = yield* Toolset.fromToolkit(Shop)
        const model = yield* modelOf([
          [call("1", "search_tools", { query: "refund" }), finish],
          [call("2", "call_tool", { name: "refund", arguments: refund }), finish],
          [text("Refunded."), finish]
        ])
        const agent = yield* Agent.make({ model, toolset, search: { limit: 1 } })
        const names = yield* Agent.stream(agent, { prompt: "Refund it", context: { customerId: "c_42" } }).pipe(
          Stream.runCollect,
          Effect.map((events) =>
            events.flatMap((event) =>
              event._tag === "CallFinished" ? [`${event.outcome._tag} ${event.call.name}`] : []
            )
          )
        )
        expect(names).toEqual(["Success search_tools", "Success refund"])
      })
    ))

  it("fails as its API would have", () =>
    inShop(
      Effect.gen(function* () {
        const failureOf = (error: unknown) =>
          Effect.gen(function* () {
            // A model of one's own may fail with anything.
            const model = yield* modelOf([error as AiError.AiError])
            const agent = yield* Agent.make({ model, retries: 0 })
            return yield* Effect.flip(Agent.run(agent, "Hi"))
          })
        const errorOf = (reason: AiError.AiErrorReason) =>
          Effect.map(failureOf(AiError.make({ module: "OpenAi", method: "streamText", reason })), ({ _tag }) => _tag)
        expect(yield* errorOf(new AiError.RateLimitError({}))).toBe("RateLimited")
        expect(yield* errorOf(new AiError.AuthenticationError({ kind: "InvalidKey" }))).toBe("NotAuthorized")
        expect(yield* errorOf(new AiError.InternalProviderError({ description: "down" }))).toBe("ProviderUnavailable")
        const own = yield* failureOf(new RangeError("the line is dead"))
        expect(own._tag).toBe("WireError")
        expect(own.message).toContain("the line is dead")
        const named: ReadonlyArray<readonly [unknown, string]> = [
          [new Down({ line: 7 }), "received Down"],
          [{ _tag: "Down" }, "received Down"],
          [{ message: "the line is dead" }, "received the line is dead"],
          [{ line: 7 }, "received an object with line"]
        ]
        for (const [error, words] of named) expect((yield* failureOf(error)).message).toContain(words)
        // A model that asks an agent fails as the model of that one does.
        const limited = yield* failureOf(
          AiError.make({ module: "M", method: "m", reason: new AiError.RateLimitError({}) })
        )
        expect([limited._tag, (yield* failureOf(limited))._tag]).toEqual(["RateLimited", "RateLimited"])
      })
    ))

  it("has its run stopped by conditions of 4, alone and together", () =>
    inShop(
      Effect.gen(function* () {
        const toolset = yield* Toolset.fromToolkit(Shop)
        const seen: Array<string> = []
        const stoppedBy = (stop: Stop.Stop<"refund" | "pay">) =>
          Effect.gen(function* () {
            const model = yield* modelOf(
              Array.from({ length: 9 }, (_, turn) => [call(`${turn}`, "refund", refund), finish])
            )
            const agent = yield* Agent.make({ model, toolset, stop })
            const result = yield* Agent.run(agent, { prompt: "Refund it", context: { customerId: "c_42" } })
            return [only(result, "Stopped").by, result.steps]
          })
        const looking = Stop.when("looking", ({ entries, outcomes, steps, usage }) =>
          Effect.sync(() => {
            seen.push(`${outcomes.map(({ _tag }) => _tag).join()} ${entries.length} ${usage.input}`)
            return steps === 2
          })
        )
        expect(yield* stoppedBy(Stop.steps(3))).toEqual(["steps(3)", 3])
        expect(yield* stoppedBy(Stop.tokens(30))).toEqual(["tokens(30)", 2])
        expect(yield* stoppedBy(Stop.call("refund"))).toEqual(["call(refund)", 1])
        expect(yield* stoppedBy(Stop.cost(1, { m: { input: 1e6, output: 1e6 } }))).toEqual(["cost(1)", 1])
        expect(yield* stoppedBy(looking)).toEqual(["looking", 2])
        expect(seen).toEqual(["Success 3 12", "Success 5 24"])
        expect((yield* stoppedBy(Stop.any(Stop.time("1 hour"), Stop.steps(2))))[1]).toBe(2)
        expect((yield* stoppedBy(Stop.all(Stop.call("refund"), Stop.steps(4))))[1]).toBe(4)
        const model = yield* modelOf([])
        const wrong = [Stop.steps(0), Stop.time({ days: 0 }), Stop.any(Stop.steps(1), Stop.tokens(-1))]
        for (const stop of wrong) {
          expect((yield* Effect.flip(Agent.make({ model, toolset, stop })))._tag).toBe("InvalidAgent")
        }
      })
    ))

  it("has each step prepared by an effect of 4: another model, other instructions, fewer tools", () =>
    inShop(
      Effect.gen(function* () {
        const asked: Array<LanguageModel.ProviderOptions> = []
        const model = yield* modelOf([[call("1", "pay", { to: "Ada" }), finish]], asked)
        const other = yield* modelOf([[text("Done."), finish]], asked)
        const agent = yield* Agent.make({
          model,
          toolset: yield* Toolset.fromToolkit(Shop),
          instructions: "Be brief.",
          prepare: ({ instructions, model: { id }, number }) =>
            Effect.map(Who, (who) => ({
              instructions: `${instructions} ${id}, step ${number} for ${who}`,
              ...(number === 1 ? { offered: ["refund" as const] } : { model: other })
            }))
        })
        const result = yield* Agent.run(agent, { prompt: "Pay", context: { customerId: "c_42" } })
        expect([result._tag, result.text]).toEqual(["Finished", "Done."])
        expect(asked.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
          ["refund"],
          ["refund", "pay", "slow", "broken"]
        ])
        expect(JSON.stringify(asked[0]?.prompt)).toContain("Be brief. m, step 1 for Bob")
        expect(JSON.stringify(asked[1]?.prompt)).toContain("pay")
      })
    ))

  it("is shown a window of a long conversation, with a summary of the rest", () =>
    inShop(
      Effect.gen(function* () {
        const asked: Array<LanguageModel.ProviderOptions> = []
        const long = "tea ".repeat(200)
        const turns = Array.from({ length: 8 }, () => [text(long), finish])
        const summariser = yield* modelOf(Array.from({ length: 8 }, () => [text("They spoke of tea."), finish]))
        const said = (window: ContextWindow.ContextWindow) =>
          Effect.gen(function* () {
            const agent = yield* Agent.make({ model: yield* modelOf(turns, asked), window })
            const conversation = yield* Conversation.make()
            for (let turn = 0; turn < turns.length; turn++) yield* Agent.run(agent, { prompt: long, conversation })
            return asked.at(-1)?.prompt.content ?? []
          })
        expect((yield* said(ContextWindow.everything)).length).toBe(15)
        expect((yield* said(ContextWindow.make({ budget: 1_500 }))).length).toBeLessThan(10)
        const overflow = ContextWindow.summarise(summariser, { timeLimit: { minutes: 5 } })
        expect(JSON.stringify(yield* said(ContextWindow.make({ budget: 1_500, overflow })))).toContain(
          "They spoke of tea."
        )
      })
    ))

  it("has its input and answers looked at by guards", () =>
    inShop(
      Effect.gen(function* () {
        const cards: Guard.Guard = {
          name: "cards",
          on: ["input", "output"],
          check: (said, { on }) =>
            Effect.succeed(said.includes("4111") ? Guard.block(`a card in the ${on}`) : Guard.pass)
        }
        const agent = yield* Agent.make({
          model: yield* modelOf([[text("4111"), finish]]),
          policy: { guards: [cards] }
        })
        for (const [prompt, where] of [
          ["4111", "input"],
          ["Hi", "output"]
        ] as const) {
          const error = yield* Effect.flip(Agent.run(agent, prompt))
          expect([error._tag, error.message]).toEqual([
            "GuardBlocked",
            expect.stringContaining(`a card in the ${where}`)
          ])
        }
      })
    ))

  it("gives a task to another agent, whose services, policy and typed answer stay its own", () =>
    inShop(
      Effect.gen(function* () {
        const asked: Array<LanguageModel.ProviderOptions> = []
        const clerk = yield* Agent.make({
          model: yield* modelOf([
            [call("1", "refund", refund), finish],
            [call("2", "final_answer", { answer: { on: "2026-01-01T00:00:00.000Z" } }), finish]
          ]),
          toolset: yield* Toolset.fromToolkit(Shop),
          output: Schema.Struct({ on: Schema.DateFromString })
        })
        const toolset = yield* Agent.toToolset(clerk, { name: "clerk", description: "Refunds orders" })
        const runner = yield* ToolRunner.make(toolset)
        const before = happened.refunds
        const outcome = only(
          yield* runner
            .forRun({ context: { customerId: "c_42" } })
            .run(ToolCall.make("1", "clerk", { task: "Refund o_1" })),
          "Success"
        )
        expect([outcome.name, outcome.result.on.getUTCFullYear(), happened.refunds - before]).toEqual([
          "clerk",
          2026,
          1
        ])

        const failing = yield* Agent.make({ model: yield* modelOf([]), stop: Stop.steps(1), output: Schema.Finite })
        const sub = yield* Agent.toToolset(failing, { name: "ask", description: "Answers" })
        const agent = yield* Agent.make({
          model: yield* modelOf(
            [
              [call("1", "ask", { task: "How many?" }), finish],
              [text("It did not say."), finish]
            ],
            asked
          ),
          toolset: sub
        })
        expect((yield* Agent.run(agent, "How many?")).text).toBe("It did not say.")
        expect(JSON.stringify(asked[1]?.prompt)).toContain("SubAgentFailed")
      })
    ))

  it("pauses for a call of its sub-agent, and an answer leads back into it", () =>
    inShop(
      Effect.gen(function* () {
        const clerk = yield* Agent.make({
          model: yield* modelOf([
            [call("1", "pay", { to: "Ada" }), finish],
            [text("Paid."), finish]
          ]),
          toolset: yield* Toolset.fromToolkit(Shop)
        })
        const agent = yield* Agent.make({
          model: yield* modelOf([
            [call("1", "clerk", { task: "Pay Ada" }), finish],
            [text("Done."), finish]
          ]),
          toolset: yield* Agent.toToolset(clerk, { name: "clerk", description: "Pays" })
        })
        const context = { customerId: "c_42" }
        const { conversation, requests } = only(yield* Agent.run(agent, { prompt: "Pay", context }), "Paused")
        expect(requests.map(({ name, within }) => [name, within?.map((outer) => outer.name)])).toEqual([
          ["pay", ["clerk"]]
        ])
        const answers = [
          yield* DeferredCall.decodeAnswer(
            JSON.parse(JSON.stringify({ request: requests[0], response: Response.approve }))
          )
        ]
        expect((yield* Agent.run(agent, { conversation, answers, context })).text).toBe("Done.")
      })
    ))

  it("is interrupted with its tools", () =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([[call("1", "slow", {}), finish]])
        const agent = yield* Agent.make({ model, toolset: yield* Toolset.fromToolkit(Shop) })
        const before = { ...happened }
        const fiber = yield* Effect.forkChild(Agent.run(agent, { prompt: "Wait", context: { customerId: "c" } }))
        while (happened.started === before.started) yield* Effect.sleep(1)
        yield* Fiber.interrupt(fiber)
        expect(happened.finalizers).toBe(before.finalizers + 1)
      })
    ))
})

it("runs two calls of one id as the two that they are", () =>
  inShop(
    Effect.gen(function* () {
      const asked: Array<LanguageModel.ProviderOptions> = []
      const ran: Array<string> = []
      const tools = ["read", "write"].map((name) => ({
        name,
        inputSchema: { type: "object", properties: { at: { type: "number" } } },
        execute: ({ at }: { readonly [name: string]: unknown }) => Effect.sync(() => ran.push(`${name} ${at}`))
      }))
      const model = yield* modelOf(
        [
          [call("1", "read", { at: 1 }), call("1", "write", { at: 2 }), finish],
          [text("Done."), finish]
        ],
        asked
      )
      const agent = yield* Agent.make({ model, toolset: yield* Toolset.dynamic(tools) })
      yield* Agent.run(agent, "Go")
      expect(ran.toSorted()).toEqual(["read 1", "write 2"])
      const said = JSON.stringify(asked[1]?.prompt)
      expect(said.split('"tool-result"').length - 1).toBe(2)
    })
  ))

describe("a toolset as the toolkit of a LanguageModel of Effect 4", () => {
  it("answers wrong arguments and calls that wait with results that the model reads", () =>
    inShop(
      Effect.gen(function* () {
        const toolset = yield* Toolset.fromToolkit(Shop)
        const toolkit = yield* Toolset.toToolkit(toolset, {}, { context: { customerId: "c_42" } })
        const model = yield* scripted([
          [call("1", "refund", refund), call("2", "refund", { orderId: 7 }), call("3", "pay", { to: "x" }), finish]
        ])
        const { toolResults } = yield* model.generateText({ prompt: "hi", toolkit })
        const byId = new Map(toolResults.map((result) => [result.id, result]))
        expect(byId.get("1")?.isFailure).toBe(false)
        expect(byId.get("1")?.encodedResult).toMatchObject({ text: "5 for order o_1 of c_42 by Bob" })
        expect(byId.get("2")?.isFailure).toBe(true)
        expect(String(byId.get("2")?.encodedResult)).toContain("orderId")
        expect(String(byId.get("3")?.encodedResult)).toContain("was not run")
      })
    ))

  it.each([{}, { id: "order 7" }])("runs each call, though every response has the same ids (%j)", (named) =>
    inShop(
      Effect.gen(function* () {
        const context = { customerId: "c_42" }
        const toolset = yield* Toolset.fromToolkit(Shop)
        const toolkit = yield* Toolset.toToolkit(toolset, { journal: yield* Journal.memory }, { ...named, context })
        const said = [call("call_0", "refund", refund), finish]
        const model = yield* scripted([said, said, said, said])
        const before = happened.refunds
        for (let turns = 1; turns <= 4; turns++) {
          const { toolResults } = yield* model.generateText({ prompt: "again", toolkit })
          // The third and fourth are repetitions, of which the model reads.
          expect(JSON.stringify(toolResults[0]?.encodedResult)).toContain("5 for order o_1 of c_42 by Bob")
          expect(happened.refunds - before).toBe(turns)
        }
      })
    )
  )

  it("counts the calls of a toolkit as those of one run", () =>
    inShop(
      Effect.gen(function* () {
        const toolset = yield* Toolset.fromToolkit(Shop)
        const quota = {
          name: "run",
          by: (_: unknown, { run }: { readonly run: string }) => run,
          window: "1 hour" as const,
          calls: 1
        }
        const toolkit = yield* Toolset.toToolkit(toolset, { quotas: [quota] }, { context: { customerId: "c_42" } })
        const said = [call("call_0", "refund", refund), finish]
        const model = yield* scripted([said, said])
        yield* model.generateText({ prompt: "once", toolkit })
        const { toolResults } = yield* model.generateText({ prompt: "again", toolkit })
        expect(JSON.stringify(toolResults)).toContain("is limited to 1 call")
      })
    ))
})

describe("an agent of plain JavaScript", () => {
  it.each<readonly [object, string]>([
    [{ prepare: { instructions: "Only look." } }, "prepare of the agent must be a function"],
    [{ answer: true }, "answer of the agent must be a function"],
    [{ output: {} }, "output of the agent must be a Schema, but is an empty object"],
    [{ signing: {} }, "signing.secrets of the agent must be an array of secrets"],
    [{ signing: { secrets: ["0123456789abcdef"] } }, "signing.secrets of the agent must be an array of secrets"],
    [
      { signing: { secrets: [Redacted.make("0123456789abcdef")], timetolive: "1 hour" } },
      'signing.timetolive of the agent must be named as an option is (did you mean "timeToLive"?)'
    ]
  ])("is not made with %j", (config, problem) =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([])
        const error = yield* Effect.flip(Agent.make({ model, ...config }))
        expect(error.message).toContain(problem)
      })
    )
  )

  it("has no window whose options are misspelt or of another kind", () =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([])
        // As plain JavaScript gives it.
        const make = ContextWindow.make as (options: unknown) => unknown
        expect(() => make({ budget: 1_500, overflw: "drop" })).toThrow('did you mean "overflow"?')
        expect(() => make({ budget: 1_500, kep: 0.5 })).toThrow('did you mean "keep"?')
        expect(() => make(undefined)).toThrow("What `ContextWindow.make` takes must be an object with budget")
        // As above.
        const summarise = ContextWindow.summarise as (model: unknown, options: unknown) => unknown
        expect(() => summarise(model, { timelimit: "1 second" })).toThrow('did you mean "timeLimit"?')
      })
    ))

  it("is refused where it is no configuration, and a run where what it is given is no input", () =>
    inShop(
      Effect.gen(function* () {
        // As plain JavaScript gives it.
        const nothing = null as never
        const error = yield* Effect.flip(Agent.make(nothing))
        expect(error.message).toContain("must be an object with model, but is null")
        const agent = yield* Agent.make({ model: yield* modelOf([]) })
        const problemOf = (given: unknown) =>
          // As above.
          Effect.map(Effect.exit(Agent.run(agent, given as string)), (exit) =>
            Exit.isFailure(exit) ? Cause.pretty(exit.cause) : exit.value.text
          )
        expect(yield* problemOf(null)).toContain("What a run is given must be an object, but is null")
        expect(yield* problemOf(["Refund it"])).toContain("must be an object, but is an array of 1")
        const inbox = Promise.resolve([])
        expect(yield* problemOf({ prompt: "Hi", inbox })).toContain(
          "inbox must be an Effect of messages, but is a promise"
        )
      })
    ))

  it("whose functions give promises says so", () =>
    inShop(
      Effect.gen(function* () {
        const model = yield* modelOf([[text("Done."), finish]])
        // As plain JavaScript gives it.
        const prepare = (async () => ({})) as never
        const agent = yield* Agent.make({ model, prepare })
        const exit = yield* Effect.exit(Agent.run(agent, "Refund it"))
        expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(
          "prepare of the agent must be a function that gives an Effect, but is one that gives a promise"
        )
      })
    ))
})
