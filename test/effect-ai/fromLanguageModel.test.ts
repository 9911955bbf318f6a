import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolDefinition, Turn } from "@wield/core"
import { Effect } from "effect"
import * as Claude from "./anthropicReplies.js"
import { assistant, claude, getOrders, gpt, heard, runner, turnOf, user } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { serve } from "./serve.js"

const usageOfGpt = { input: 120, output: 30, reasoning: 20, cacheRead: 100, cacheWrite: undefined }

describe("a streamed response of OpenAI", () => {
  it.scoped("is told as it arrives, and its turn is the one that was told", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Gpt.streamed(
          Gpt.reasoning("rs_1", ["The customer", "wants a kettle"], "gAAAA-encrypted"),
          Gpt.text("msg_1", "Let me look."),
          Gpt.call("call_1", "get_orders", '{"limit":3}')
        )
      ])
      const { events, tags, turn } = yield* heard(yield* gpt(url))
      expect(tags).toEqual([
        "ReasoningDelta",
        "ReasoningDelta",
        "TextDelta",
        "TextDelta",
        "CallStarted",
        "ArgumentsDelta",
        "ArgumentsDelta",
        "CallComplete",
        "UsageKnown",
        "Finished"
      ])
      expect(events.filter(({ _tag }) => _tag === "CallStarted")).toEqual([
        { _tag: "CallStarted", index: 0, id: "call_1", name: "get_orders" }
      ])
      expect(turn).toMatchObject({
        format: "effect-ai",
        id: "resp_1",
        model: "gpt-5-mini-2025-08-07",
        parts: [
          { _tag: "Reasoning", text: "The customer" },
          { _tag: "Reasoning", text: "wants a kettle" },
          { _tag: "Text", text: "Let me look." },
          {
            _tag: "Call",
            call: { id: "call_1", name: "get_orders", arguments: { limit: 3 } },
            executedBy: "application",
            nativeId: "call_1"
          }
        ],
        usage: usageOfGpt,
        finish: "calls",
        isComplete: true
      })
    })
  )

  it.scoped("goes back in the history with its items' ids and its encrypted reasoning, byte for byte", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([
        Gpt.streamed(
          Gpt.reasoning("rs_1", ["First", "second"], "gAAAA-encrypted/+=="),
          Gpt.call("call_1", "get_orders", '{"limit":3}'),
          Gpt.call("call_2", "get_orders", '{"limit":"three"}')
        ),
        Gpt.streamed(Gpt.text("msg_2", "It is on its way."))
      ])
      const model = yield* gpt(url)
      const turn = yield* turnOf(model)
      const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
      const results = outcomes.flatMap((outcome) => Outcome.render(outcome) ?? [])
      yield* turnOf(model, {
        messages: [user("Where is my kettle?"), assistant(turn), { _tag: "Results", results, native: undefined }]
      })
      expect(received[1]?.body["input"]).toEqual([
        { role: "user", content: [{ type: "input_text", text: "Where is my kettle?" }] },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [
            { type: "summary_text", text: "First" },
            { type: "summary_text", text: "second" }
          ],
          encrypted_content: "gAAAA-encrypted/+=="
        },
        { type: "function_call", id: "fc_call_1", call_id: "call_1", name: "get_orders", arguments: '{"limit":3}' },
        {
          type: "function_call",
          id: "fc_call_2",
          call_id: "call_2",
          name: "get_orders",
          arguments: '{"limit":"three"}'
        },
        { type: "function_call_output", call_id: "call_1", output: '{"limit":3,"orders":["kettle"]}' },
        {
          type: "function_call_output",
          call_id: "call_2",
          output: expect.stringContaining("The arguments of get_orders are invalid")
        }
      ])
    })
  )

  it.scoped("keeps reasoning that is encrypted only", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([
        Gpt.streamed(Gpt.reasoning("rs_1", [], "gAAAA-secret"), Gpt.text("msg_1", "Hello")),
        Gpt.streamed(Gpt.text("msg_2", "-"))
      ])
      const model = yield* gpt(url)
      const turn = yield* turnOf(model)
      yield* turnOf(model, { messages: [user("Hi"), assistant(turn), user("Again")] })
      expect(received[1]?.body["input"]).toContainEqual({
        type: "reasoning",
        id: "rs_1",
        summary: [],
        encrypted_content: "gAAAA-secret"
      })
    })
  )
})

describe("a streamed response of Anthropic", () => {
  it.scoped("goes back in the history with its signatures, and says which results are errors", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([
        Claude.streamed(
          Claude.thinking("The customer wants a kettle.", "EqQBCgIYAhIM/signature=="),
          Claude.redacted("EmwKAhgBEgy3-redacted"),
          Claude.text("Let me look."),
          Claude.call("toolu_1", "get_orders", { limit: 3 }),
          Claude.call("toolu_2", "get_orders", { limit: "three" })
        ),
        Claude.streamed(Claude.text("It is on its way."))
      ])
      const model = yield* claude(url)
      const { tags, turn } = yield* heard(model)
      expect(tags.slice(-2)).toEqual(["UsageKnown", "Finished"])
      // 20 that were new, 100 from the cache, 5 to it.
      expect(turn?.usage).toMatchObject({ input: 125, output: 30, cacheRead: 100, cacheWrite: 5 })
      if (turn === undefined) return expect.unreachable()
      const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
      const results = outcomes.flatMap((outcome) => Outcome.render(outcome) ?? [])
      yield* turnOf(model, {
        messages: [user("Where is my kettle?"), assistant(turn), { _tag: "Results", results, native: undefined }]
      })
      expect(received[1]?.body["messages"]).toEqual([
        { role: "user", content: [{ type: "text", text: "Where is my kettle?" }] },
        {
          role: "assistant",
          content: [
            {
              type: "thinking",
              thinking: "The customer wants a kettle.",
              signature: "EqQBCgIYAhIM/signature=="
            },
            { type: "redacted_thinking", data: "EmwKAhgBEgy3-redacted" },
            { type: "text", text: "Let me look." },
            { type: "tool_use", id: "toolu_1", name: "get_orders", input: { limit: 3 } },
            { type: "tool_use", id: "toolu_2", name: "get_orders", input: { limit: "three" } }
          ]
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: '{"limit":3,"orders":["kettle"]}',
              is_error: false
            },
            {
              type: "tool_result",
              tool_use_id: "toolu_2",
              content: expect.stringContaining("The arguments of get_orders are invalid"),
              is_error: true
            }
          ]
        }
      ])
    })
  )
})

describe("a response that is not streamed", () => {
  const openAiItems = [
    Gpt.reasoning("rs_1", ["Hm"], "gAAAA"),
    Gpt.text("msg_1", "Look:"),
    Gpt.call("call_1", "get_orders", '{"limit":3}')
  ]
  const anthropicBlocks = [
    Claude.thinking("Hm", "sig=="),
    Claude.text("Look:"),
    Claude.call("toolu_1", "get_orders", { limit: 3 })
  ]
  const providers = [
    ["OpenAI", gpt, Gpt.whole(...openAiItems), Gpt.streamed(...openAiItems)],
    ["Anthropic", claude, Claude.whole(...anthropicBlocks), Claude.streamed(...anthropicBlocks)]
  ] as const
  for (const [provider, model, whole, streamed] of providers) {
    it.scoped(`of ${provider} gives the turn that the streamed one gives`, () =>
      Effect.gen(function* () {
        const { url } = yield* serve([whole, streamed])
        const first = yield* turnOf(yield* model(url, false))
        const second = yield* turnOf(yield* model(url, true))
        expect(first.parts).toHaveLength(3)
        expect(first).toEqual(second)
      })
    )
  }

  it.scoped("tells a refusal as one", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([Gpt.whole(Gpt.refusal("msg_1", "I cannot help with that."))])
      const { tags, turn } = yield* heard(yield* gpt(url, false))
      expect(tags).toEqual(["RefusalDelta", "UsageKnown", "Finished"])
      expect(turn?.parts).toEqual([{ _tag: "Refusal", text: "I cannot help with that." }])
    })
  )
})

describe("a tool that the provider executes", () => {
  const search = (id: string, name: string) => ToolDefinition.make({ name, provider: { id, name, settings: {} } })

  it.scoped("is offered to OpenAI as its own, and its call is a part of the turn without events", () =>
    Effect.gen(function* () {
      const call = {
        type: "web_search_call",
        id: "ws_1",
        status: "completed",
        action: { type: "search", query: "kettle" }
      }
      const { received, url } = yield* serve([
        Gpt.whole(call, Gpt.text("msg_1", "Found.")),
        Gpt.streamed(call, Gpt.text("msg_1", "Found."))
      ])
      const definitions = [getOrders, search("openai.web_search", "web_search")]
      for (const isStreaming of [false, true]) {
        const { tags, turn } = yield* heard(yield* gpt(url, isStreaming), { definitions })
        expect(tags.every((tag) => ["TextDelta", "UsageKnown", "Finished"].includes(tag))).toBe(true)
        expect(turn?.parts).toMatchObject([
          { _tag: "Call", call: { id: "ws_1", name: "web_search" }, executedBy: "provider" },
          { _tag: "Text", text: "Found." }
        ])
        expect(turn === undefined ? undefined : Turn.calls(turn)).toEqual([])
      }
      expect(received[0]?.body["tools"]).toMatchObject([{ type: "function" }, { type: "web_search" }])
    })
  )

  it.scoped("goes back to Anthropic with its result, as it was sent", () =>
    Effect.gen(function* () {
      const page = {
        type: "web_search_result",
        url: "https://example.com/kettles",
        title: "Kettles",
        encrypted_content: "EqgfCioIARgBIiQ3",
        page_age: null
      }
      const blocks = [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "kettle" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] },
        Claude.text("Found.")
      ]
      const { received, url } = yield* serve([Claude.whole(...blocks), Claude.whole(Claude.text("-"))])
      const model = yield* claude(url, false)
      const definitions = [search("anthropic.web_search_20250305", "web_search")]
      const turn = yield* turnOf(model, { definitions })
      expect(turn.parts).toMatchObject([{ _tag: "Call", executedBy: "provider" }, { _tag: "Text" }])
      yield* turnOf(model, { definitions, messages: [user("-"), assistant(turn), user("-")] })
      expect(received[0]?.body["tools"]).toEqual([{ type: "web_search_20250305", name: "web_search" }])
      expect(received[1]?.body["messages"]).toMatchObject([
        {},
        { role: "assistant", content: [blocks[0], blocks[1], { type: "text", text: "Found." }] },
        {}
      ])
    })
  )
})
