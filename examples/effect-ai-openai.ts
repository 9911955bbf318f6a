/**
 * A toolset in the hands of a `LanguageModel` of @effect/ai-openai. A server on
 * this machine stands for OpenAI: leave `apiUrl` out, and give your key.
 */
import * as assert from "node:assert/strict"
import { createServer } from "node:http"
import { Chat, Tool, Toolkit } from "@effect/ai"
import { OpenAiClient, OpenAiLanguageModel } from "@effect/ai-openai"
import { FetchHttpClient, HttpServer, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { CallContext, Hidden, Toolset } from "@wield/core"
import { Effect, Layer, Redacted, Schema } from "effect"

const Orders = Tool.make("get_orders", {
  description: "The customer's orders, newest first",
  parameters: { customerId: Schema.String, limit: Schema.Int.pipe(Schema.between(1, 50)) },
  success: Schema.Array(Schema.String)
}).pipe(Hidden.fields("customerId"))

class Shop extends Toolkit.make(Orders) {}
const ShopLive = Shop.toLayer({
  get_orders: ({ customerId, limit }) =>
    Effect.succeed(["a kettle", "a cup"].slice(0, limit).map((one) => `${one} for ${customerId}`))
})

/** What OpenAI's Responses API would answer: a call, then words. */
const answers = [
  {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "get_orders",
    arguments: '{"limit":1}',
    status: "completed"
  },
  {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "You ordered a kettle.", annotations: [], logprobs: [] }]
  }
]

const usage = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2
}

/** Answers on loopback, and keeps what it was sent. */
const openServer = Effect.gen(function* () {
  const sent: Array<string> = []
  const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
  yield* server.serve(
    Effect.gen(function* () {
      sent.push(yield* (yield* HttpServerRequest.HttpServerRequest).text)
      return HttpServerResponse.unsafeJson({
        id: `resp_${sent.length}`,
        object: "response",
        status: "completed",
        created_at: 0,
        error: null,
        incomplete_details: null,
        instructions: null,
        temperature: 1,
        top_p: 1,
        model: "gpt-5-mini",
        output: [answers[sent.length - 1]],
        parallel_tool_calls: true,
        tool_choice: "auto",
        tools: [],
        metadata: {},
        usage
      })
    }).pipe(Effect.orDie)
  )
  return { sent, apiUrl: HttpServer.formatAddress(server.address) }
})

const program = Effect.gen(function* () {
  const { apiUrl, sent } = yield* openServer
  const Model = OpenAiLanguageModel.layer({ model: "gpt-5-mini", config: { strict: false } }).pipe(
    Layer.provide(OpenAiClient.layer({ apiUrl, apiKey: Redacted.make("no key") })),
    Layer.provide(FetchHttpClient.layer)
  )
  const toolkit = yield* Toolset.toToolkit(yield* Toolset.fromToolkit(Shop), {
    limits: { default: { timeout: "5 seconds" } }
  })
  const text = yield* Effect.gen(function* () {
    const chat = yield* Chat.empty
    const called = yield* chat.generateText({ prompt: "What did I order?", toolkit })
    assert.deepEqual(called.toolResults[0]?.result, ["a kettle for ada"])
    const { text } = yield* chat.generateText({ prompt: [], toolkit })
    return text
  }).pipe(CallContext.provide({ customerId: "ada" }), Effect.provide(Model))
  console.log("The model was shown:    ", JSON.stringify(JSON.parse(sent[0] ?? "").tools))
  assert.ok(!sent[0]?.includes("customerId"))
  assert.ok(sent[1]?.includes("a kettle for ada"))
  console.log("It answered:            ", text)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(ShopLive)))
