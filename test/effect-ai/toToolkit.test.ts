import { LanguageModel, Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Approval, CallContext, Content, Facts, Hidden, Outcome, ToolRunner, Toolset } from "@wield/core"
import { Effect, FastCheck, Schema, Stream } from "effect"
import * as Claude from "./anthropicReplies.js"
import * as Gpt from "./openAiReplies.js"
import { anthropic, openAi, serve } from "./serve.js"
import { runs } from "../sizes.js"

const TooMuch = Schema.Struct({ limit: Schema.Number })

const GetOrders = Tool.make("get_orders", {
  description: "The customer's orders",
  parameters: { customerId: Schema.String, since: Schema.Date },
  success: Schema.Struct({ customer: Schema.String, since: Schema.Date })
}).pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays money back",
  parameters: { amount: Schema.Number },
  success: Schema.String,
  // What `Toolkit.handle` would raise is told to the model here.
  failure: TooMuch
})

const ShowChart = Tool.make("show_chart", { parameters: { title: Schema.String }, success: Schema.Boolean }).pipe(
  Facts.client
)

const Shop = Toolkit.make(GetOrders, Refund, ShowChart)

const shop = Toolset.fromLayer(
  Shop,
  Shop.toLayer({
    get_orders: ({ customerId, since }) => Effect.succeed({ customer: customerId, since }),
    refund: ({ amount }) => {
      if (amount === 13) throw new Error("secret: the database is at 10.0.0.7")
      return amount > 100 ? Effect.fail({ limit: 100 }) : Effect.succeed(`refunded ${amount}`)
    }
  })
)

const functions = (body: { readonly [key: string]: unknown }) =>
  (body["tools"] as ReadonlyArray<{ readonly [key: string]: unknown }>).map((tool) => ({
    name: tool["name"],
    description: tool["description"],
    inputSchema: tool["parameters"] ?? tool["input_schema"]
  }))

describe("a toolset as a toolkit of @effect/ai", () => {
  it.scoped("a model of OpenAI calls its tools and gets their results, decoded and encoded", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([
        Gpt.whole(Gpt.call("call_1", "get_orders", '{"since":"2025-01-02T00:00:00.000Z"}'))
      ])
      const toolset = yield* shop
      const response = yield* LanguageModel.generateText({
        prompt: "My orders?",
        toolkit: Toolset.toToolkit(toolset)
      }).pipe(CallContext.provide({ customerId: "c_42" }), Effect.provide(openAi(url)))
      const since = new Date("2025-01-02")
      expect(response.toolResults).toMatchObject([
        {
          id: "call_1",
          name: "get_orders",
          isFailure: false,
          result: { customer: "c_42", since },
          encodedResult: { customer: "c_42", since: since.toISOString() }
        }
      ])
      expect(JSON.stringify(received[0]?.body)).not.toContain("customerId")
    })
  )

  it.scoped("whatever goes wrong with a call, the response lives on and the model can read why", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Claude.whole(
          Claude.call("toolu_1", "refund", { amount: "much" }),
          Claude.call("toolu_2", "refund", { amount: 500 }),
          Claude.call("toolu_3", "refund", { amount: 13 }),
          Claude.call("toolu_4", "refund", { amount: 50 }),
          Claude.call("toolu_5", "show_chart", { title: "Sales" }),
          Claude.call("toolu_6", "get_orders", { since: "2025-01-02" }),
          Claude.call("toolu_7", "refund", { amount: 20 })
        )
      ])
      const toolset = yield* shop
      const response = yield* LanguageModel.generateText({
        prompt: "Pay me back",
        toolkit: Toolset.toToolkit(toolset, {
          approval: {
            refund: ({ parameters }) => (parameters.amount === 50 ? Approval.deny("not today") : Approval.allow)
          }
        })
      }).pipe(Effect.provide(anthropic(url)))
      expect(response.toolResults.map(({ encodedResult, isFailure }) => [isFailure, encodedResult])).toEqual([
        [true, expect.stringContaining("The arguments of refund are invalid")],
        [true, { limit: 100 }],
        [true, expect.stringMatching(/failed internally \(reference \w+\)/)],
        [true, expect.stringContaining("not today")],
        [true, expect.stringContaining("run by the client, which cannot be reached here")],
        [true, expect.stringContaining("failed internally")],
        [false, "refunded 20"]
      ])
      expect(response.toolResults.map(({ result }) => (Outcome.isOutcome(result) ? result._tag : result))).toEqual([
        "InvalidArguments",
        { limit: 100 },
        "Defect",
        "Denied",
        "Deferred",
        "MissingContext",
        "refunded 20"
      ])
      expect(JSON.stringify(response.toolResults.map(({ encodedResult }) => encodedResult))).not.toContain("10.0.0.7")
    }).pipe(CallContext.provide({ customerId: undefined }))
  )

  it.scoped("a call that waits for approval is told not to have been run", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([Gpt.whole(Gpt.call("call_1", "refund", '{"amount":5}'))])
      const toolset = yield* shop
      const response = yield* LanguageModel.generateText({
        prompt: "Pay me back",
        toolkit: Toolset.toToolkit(toolset, { approval: () => Approval.ask() })
      }).pipe(Effect.provide(openAi(url)))
      expect(response.toolResults).toMatchObject([
        { isFailure: true, encodedResult: expect.stringContaining("needs a person's approval") }
      ])
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )

  it.scoped("it streams: results come after their calls, arguments as the model sent them", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Claude.streamed(
          Claude.text("One moment."),
          Claude.call("toolu_1", "refund", { amount: "much" }),
          Claude.call("toolu_2", "refund", { amount: 20 })
        )
      ])
      const toolset = yield* shop
      const parts = yield* LanguageModel.streamText({
        prompt: "Pay me back",
        toolkit: yield* Toolset.toToolkit(toolset)
      }).pipe(Stream.runCollect, Effect.provide(anthropic(url)))
      const calls = Array.from(parts).filter((part) => part.type === "tool-call")
      const results = Array.from(parts).filter((part) => part.type === "tool-result")
      expect(calls.map(({ params }) => params)).toEqual([{ amount: "much" }, { amount: 20 }])
      expect(results.map(({ id, isFailure }) => [id, isFailure])).toEqual([
        ["toolu_1", true],
        ["toolu_2", false]
      ])
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )

  it.scoped("content of several parts is told as text", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([Gpt.whole(Gpt.call("call_1", "look", "{}"))])
      const toolset = yield* Toolset.dynamic([
        {
          name: "look",
          isContent: true,
          execute: () => Effect.succeed([Content.text("the page"), Content.image("image/png", "iVBORw0KGgo=")])
        }
      ])
      const response = yield* LanguageModel.generateText({
        prompt: "Look",
        toolkit: Toolset.toToolkit(toolset)
      }).pipe(Effect.provide(openAi(url)))
      expect(response.toolResults).toMatchObject([
        {
          isFailure: false,
          encodedResult: "the page\n[an image of type image/png that this API cannot carry in a result]"
        }
      ])
    })
  )

  it.scoped("given as an effect, it offers what is on offer at each request", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([Gpt.whole(Gpt.text("msg_1", "-")), Gpt.whole(Gpt.text("msg_2", "-"))])
      const toolset = yield* Toolset.dynamic([{ name: "a", execute: () => Effect.void }])
      const ask = LanguageModel.generateText({ prompt: "Hi", toolkit: Toolset.toToolkit(toolset) })
      yield* Effect.gen(function* () {
        yield* ask
        yield* toolset.put({ name: "b", execute: () => Effect.void })
        yield* ask
      }).pipe(Effect.provide(openAi(url)))
      expect(received.map(({ body }) => functions(body).map(({ name }) => name))).toEqual([["a"], ["a", "b"]])
    })
  )

  it.scoped("a tool whose failureMode is error fails the request where that is asked for, and no other tool does", () =>
    Effect.gen(function* () {
      const declined = { parameters: { amount: Schema.Number }, success: Schema.String, failure: TooMuch }
      const Bank = Toolkit.make(
        Tool.make("pay", declined),
        Tool.make("tell", { ...declined, failureMode: "return" }),
        Tool.make("break", declined)
      )
      const fail = () => Effect.fail({ limit: 100 })
      const bank = yield* Toolset.fromLayer(Bank, Bank.toLayer({ pay: fail, tell: fail, break: () => Effect.die("x") }))
      const ask = (name: string, toolkit: Effect.Effect.Success<ReturnType<typeof raising>>) =>
        Effect.gen(function* () {
          const { url } = yield* serve([Gpt.whole(Gpt.call("call_1", name, '{"amount":500}'))])
          return yield* LanguageModel.generateText({ prompt: "Pay", toolkit }).pipe(Effect.provide(openAi(url)))
        })
      const raising = () => Toolset.toToolkit(bank, {}, { raisesFailures: true })
      const toolkit = yield* raising()
      const failure: unknown = yield* Effect.flip(ask("pay", toolkit))
      expect(failure).toEqual({ limit: 100 })
      for (const [name, text] of [
        ["tell", '{"limit":100}'],
        ["break", "failed internally"]
      ] as const) {
        const { toolResults } = yield* ask(name, toolkit)
        expect(toolResults[0]?.isFailure).toBe(true)
        expect(JSON.stringify(toolResults[0]?.encodedResult)).toContain(text)
      }
      const kept = yield* Toolset.toToolkit(bank)
      expect((yield* kept.handle("pay", { amount: 500 })).isFailure).toBe(true)
    })
  )

  it.effect("a tool that has gone since, or whose name lies on every object, is a readable failure", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "a", execute: () => Effect.succeed("done") }])
      const toolkit = yield* Toolset.toToolkit(toolset)
      yield* toolset.remove("a")
      for (const name of ["a", "toString", "__proto__"]) {
        const result = yield* toolkit.handle(name, {})
        expect(result.isFailure).toBe(true)
        expect(result.encodedResult).toContain("There is no tool named")
      }
    })
  )

  it.effect("tools that have come to collide are a readable failure that the program can tell", () =>
    Effect.gen(function* () {
      const left = yield* Toolset.dynamic([{ name: "a", execute: () => Effect.succeed("left") }])
      const right = yield* Toolset.dynamic([])
      const toolkit = yield* Toolset.toToolkit(Toolset.combine(left, right))
      yield* right.put({ name: "a", execute: () => Effect.succeed("right") })
      const result = yield* toolkit.handle("a", {})
      expect(result).toMatchObject({ isFailure: true, result: { _tag: "Defect" } })
      expect(result.encodedResult).toContain("failed internally")
    })
  )
})

describe("what it advertises", () => {
  const json = FastCheck.letrec<{ value: unknown }>((tie) => ({
    value: FastCheck.oneof(
      { maxDepth: 2 },
      FastCheck.constantFrom<unknown>({ type: "string" }, { type: "integer", minimum: 0 }, { enum: ["a", "b"] }),
      FastCheck.record({ type: FastCheck.constant("array"), items: tie("value") }),
      FastCheck.record({
        type: FastCheck.constant("object"),
        description: FastCheck.string(),
        properties: FastCheck.dictionary(FastCheck.stringMatching(/^[a-z]{1,8}$/), tie("value"), { maxKeys: 3 })
      })
    )
  })).value
  const tools = FastCheck.uniqueArray(
    FastCheck.record({
      name: FastCheck.stringMatching(/^[a-z_]{1,20}$/),
      description: FastCheck.option(FastCheck.string({ minLength: 1 }), { nil: undefined }),
      properties: FastCheck.dictionary(FastCheck.stringMatching(/^[a-z]{1,8}$/), json, { maxKeys: 4 })
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 5 }
  )

  const layers = [
    ["OpenAI", openAi, Gpt.whole(Gpt.text("msg_1", "-"))],
    ["Anthropic", anthropic, Claude.whole(Claude.text("-"))]
  ] as const

  for (const [provider, layer, reply] of layers) {
    it.effect(`${provider} is sent the toolset's definitions, name, description and schema`, () =>
      Effect.gen(function* () {
        const samples = FastCheck.sample(tools, { numRuns: runs(40), seed: 7 })
        const { received, url } = yield* serve(samples.map(() => reply))
        for (const sample of samples) {
          const toolset = yield* Toolset.dynamic(
            sample.map(({ description, name, properties }) => ({
              name,
              description,
              inputSchema: { type: "object", properties },
              execute: () => Effect.void
            }))
          )
          const definitions = yield* (yield* ToolRunner.make(toolset)).definitions
          yield* LanguageModel.generateText({ prompt: "-", toolkit: Toolset.toToolkit(toolset) }).pipe(
            Effect.provide(layer(url))
          )
          const body = received.at(-1)?.body ?? {}
          expect(functions(body)).toEqual(
            definitions.map(({ description, inputSchema, name }) => ({ name, description, inputSchema }))
          )
        }
      }).pipe(Effect.scoped)
    )
  }
})
