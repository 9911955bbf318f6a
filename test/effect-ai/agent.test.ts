import { describe, expect, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { Effect } from "effect"
import * as Claude from "./anthropicReplies.js"
import { claude, gpt, toolset } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { serve } from "./serve.js"

const mistaken = [
  [
    "a tool that does not exist",
    Gpt.call("call_1", "get_order", '{"limit":3}'),
    Claude.call("toolu_1", "get_order", {})
  ],
  [
    "arguments that do not fit",
    Gpt.call("call_1", "get_orders", '{"limit":"three"}'),
    Claude.call("toolu_1", "get_orders", { limit: "three" })
  ],
  [
    "arguments that are no JSON",
    Gpt.call("call_1", "get_orders", '{"limit":'),
    { type: "tool_use", id: "toolu_1", name: "get_orders", input: '{"limit":' }
  ]
] as const

describe("an agent whose model, a LanguageModel, makes a mistake is told so and goes on", () => {
  for (const [mistake, ofOpenAi, ofAnthropic] of mistaken) {
    for (const isStreaming of mistake.endsWith("no JSON") ? [true] : [true, false]) {
      const how = isStreaming ? "streamed" : "not streamed"
      it.scoped(`${mistake}, OpenAI, ${how}`, () =>
        Effect.gen(function* () {
          const reply = isStreaming ? Gpt.streamed : Gpt.whole
          const { received, url } = yield* serve([
            reply(ofOpenAi),
            reply(Gpt.call("call_2", "get_orders", '{"limit":3}')),
            reply(Gpt.text("msg_1", "It is on its way."))
          ])
          const agent = yield* Agent.make({ model: yield* gpt(url, isStreaming), toolset: yield* toolset })
          const result = yield* Agent.run(agent, "Where is my kettle?")
          expect(result).toMatchObject({ _tag: "Finished", text: "It is on its way.", steps: 3 })
          expect(received[2]?.body["input"]).toMatchObject([
            { role: "user" },
            { type: "function_call", call_id: "call_1" },
            { type: "function_call_output", call_id: "call_1" },
            { type: "function_call", call_id: "call_2" },
            { type: "function_call_output", call_id: "call_2", output: '{"limit":3,"orders":["kettle"]}' }
          ])
        })
      )
      it.scoped(`${mistake}, Anthropic, ${how}`, () =>
        Effect.gen(function* () {
          const reply = isStreaming ? Claude.streamed : Claude.whole
          const { received, url } = yield* serve([
            reply(ofAnthropic),
            reply(Claude.call("toolu_2", "get_orders", { limit: 3 })),
            reply(Claude.text("It is on its way."))
          ])
          const agent = yield* Agent.make({ model: yield* claude(url, isStreaming), toolset: yield* toolset })
          const result = yield* Agent.run(agent, "Where is my kettle?")
          expect(result).toMatchObject({ _tag: "Finished", text: "It is on its way.", steps: 3 })
          expect(received[2]?.body["messages"]).toMatchObject([
            { role: "user" },
            { content: [{ type: "tool_use", id: "toolu_1" }] },
            { content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true }] },
            { content: [{ type: "tool_use", id: "toolu_2" }] },
            { content: [{ type: "tool_result", tool_use_id: "toolu_2", is_error: false }] }
          ])
        })
      )
    }
  }
})

it.scoped("a server that counts its ids anew in each response is sent no two calls of one id", () =>
  Effect.gen(function* () {
    const call = Gpt.whole(Gpt.call("call_0", "get_orders", '{"limit":3}'))
    const { received, url } = yield* serve([call, call, Gpt.whole(Gpt.text("msg_1", "It is on its way."))])
    const agent = yield* Agent.make({ model: yield* gpt(url, false), toolset: yield* toolset })
    yield* Agent.run(agent, "Where is my kettle?")
    const ids = JSON.stringify(received[2]?.body["input"]).match(/"call_id":"[^"]*"/g)
    expect(ids).toEqual(['"call_id":"call_0"', '"call_id":"call_0"', '"call_id":"call_0_2"', '"call_id":"call_0_2"'])
  })
)
