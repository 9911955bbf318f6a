/**
 * Any provider: one conversation goes from OpenAI to Anthropic, on to Gemini,
 * back to OpenAI by its other API, and home again. One runner runs the calls of
 * all. Each request is the whole conversation, said in the words of the API
 * that is asked next; what it cannot say is a loss. The answers are written down
 * here, so no key is needed.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Content, Outcome, ToolRunner, Toolset, Turn } from "@wield/core"
import type { Message } from "@wield/core"
import { Anthropic, Gemini, OpenAiChat, OpenAiResponses } from "@wield/providers"
import type { WireFormat } from "@wield/providers"
import { Effect, Schema } from "effect"

const Order = Schema.Struct({ id: Schema.String, item: Schema.String, price: Schema.Number })

class Shop extends Toolkit.make(
  Tool.make("get_orders", { description: "The customer's orders", success: Schema.Array(Order) }),
  Tool.make("refund", {
    description: "Pays money back for an order",
    parameters: { orderId: Schema.String, amount: Schema.Number.pipe(Schema.positive()) },
    success: Schema.Struct({ refunded: Schema.Number })
  })
) {}

const ShopLive = Shop.toLayer({
  get_orders: () => Effect.succeed([{ id: "o_1", item: "mug", price: 12 }]),
  refund: ({ amount }) => Effect.succeed({ refunded: amount })
})

const toolCall = { id: "call_1", type: "function", function: { name: "get_orders", arguments: "{}" } }
const chatMessage = { role: "assistant", content: null, tool_calls: [toolCall] }

/** Who is asked, and what comes back. */
const steps: ReadonlyArray<{
  readonly format: WireFormat.WireFormat
  readonly answer: object
}> = [
  {
    format: OpenAiChat.format,
    answer: { id: "chatcmpl-1", choices: [{ index: 0, message: chatMessage, finish_reason: "tool_calls" }] }
  },
  {
    format: Anthropic.format,
    answer: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The mug cost 12.", signature: "EqQBCkYIAx" },
        { type: "text", text: "I pay the mug back." },
        { type: "tool_use", id: "toolu_1", name: "refund", input: { orderId: "o_1", amount: 12 } }
      ],
      stop_reason: "tool_use"
    }
  },
  {
    format: Gemini.format,
    // Gemini sends no ids, and signs its calls.
    answer: {
      responseId: "r_1",
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ functionCall: { name: "get_orders", args: {} }, thoughtSignature: "CiQB" }]
          },
          finishReason: "STOP"
        }
      ]
    }
  },
  {
    format: OpenAiResponses.format,
    answer: {
      id: "resp_1",
      object: "response",
      status: "completed",
      output: [
        {
          type: "message",
          id: "msg_2",
          role: "assistant",
          content: [{ type: "output_text", text: "Your 12 euros are on their way.", annotations: [] }]
        }
      ]
    }
  }
]

const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop))
  const definitions = yield* runner.definitions

  /** The conversation in Wield's words: of no provider, but with each provider's own messages kept beside. */
  let messages: ReadonlyArray<Message.Message> = [
    { _tag: "System", text: "You help the customers of a shop.", native: undefined },
    { _tag: "User", content: [Content.text("My mug arrived broken.")], native: undefined }
  ]
  const encode = (format: WireFormat.Conversing) =>
    format.encodeRequest({ messages, definitions, options: {}, settings: undefined, losses: [] })

  for (const { answer, format } of steps) {
    const { body, losses } = encode(format)
    console.log(`\n${format.name} is sent ${messages.length} messages: ${Object.keys(body).join(", ")}`)
    for (const loss of losses) console.log(`  lost: ${loss.subject}, ${loss.keyword}: ${loss.reason}`)

    const turn = yield* format.decodeTurn(answer, { definitions })
    const outcomes = yield* runner.runAll(Turn.calls(turn))
    for (const outcome of outcomes) console.log(`  it called ${outcome.name}: ${outcome._tag}`)
    if (Turn.text(turn) !== "") console.log(`  it said: ${Turn.text(turn)}`)
    assert.ok(outcomes.every((outcome) => outcome._tag === "Success"))

    const results = outcomes.map(Outcome.render).filter((result) => result !== undefined)
    messages = [
      ...messages,
      { _tag: "Assistant", parts: turn.parts, native: { format: turn.format, json: turn.native } },
      ...(results.length === 0 ? [] : [{ _tag: "Results" as const, results, native: undefined }])
    ]
  }

  // Anthropic's reasoning is Anthropic's alone: Gemini does not get it, nor anything false instead.
  const gemini = JSON.stringify(encode(Gemini.format).body)
  assert.ok(!gemini.includes("EqQBCkYIAx"))
  assert.ok(encode(Gemini.format).losses.some((loss) => loss.keyword === "reasoning"))
  // Each provider gets back byte for byte what it sent.
  assert.ok(gemini.includes('"thoughtSignature":"CiQB"'))
  assert.ok(JSON.stringify(encode(Anthropic.format).body).includes('"signature":"EqQBCkYIAx"'))

  // Home again: all four turns in one Chat Completions body, each call with its result.
  const { messages: history } = Schema.decodeUnknownSync(History)(encode(OpenAiChat.format).body)
  const called = history.flatMap((message) => (message.tool_calls ?? []).map((call) => call.id))
  const answered = history.flatMap((message) => message.tool_call_id ?? [])
  console.log(`\n${OpenAiChat.format.name} would go on with`, called.join(", "))
  assert.deepEqual(
    history.map((message) => message.role),
    ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "assistant"]
  )
  assert.equal(new Set(called).size, 3)
  assert.deepEqual(answered, called)
  assert.deepEqual(called.slice(0, 2), ["call_1", "toolu_1"])
})

const History = Schema.Struct({
  messages: Schema.Array(
    Schema.Struct({
      role: Schema.String,
      tool_calls: Schema.optional(Schema.Array(Schema.Struct({ id: Schema.String }))),
      tool_call_id: Schema.optional(Schema.String)
    })
  )
})

await Effect.runPromise(program.pipe(Effect.provide(ShopLive)))
