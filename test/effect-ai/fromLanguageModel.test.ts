import { OpenAiLanguageModel } from "@effect/ai-openai"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "@wield/agent"
import { Content, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Effect } from "effect"
import * as Claude from "./anthropicReplies.js"
import { assistant, claude, getOrders, gpt, heard, runner, system, turnOf, user } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { openAi, serve } from "./serve.js"

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

describe("a call of a tool that was not offered", () => {
  it.scoped("is a call like any other, not streamed: nothing of the response is lost", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Claude.whole(
          Claude.thinking("Hm", "sig=="),
          Claude.call("toolu_1", "get_order", { limit: 3 }),
          Claude.call("toolu_2", "get_orders", { limit: 3 })
        )
      ])
      const turn = yield* turnOf(yield* claude(url, false))
      const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["UnknownTool", "Success"])
      expect(turn).toMatchObject({ finish: "calls", isComplete: true, usage: { output: 30 } })
      expect(JSON.stringify(turn.native)).toContain("sig==")
    })
  )

  for (const name of ["get_order", "toString", "__proto__"]) {
    it.scoped(`${name} ends a streamed turn, whose history can go on`, () =>
      Effect.gen(function* () {
        const { received, url } = yield* serve([
          Gpt.streamed(
            Gpt.reasoning("rs_1", ["Hm"], "gAAAA"),
            Gpt.call("call_1", "get_orders", '{"limit":3}'),
            Gpt.call("call_2", name, '{"limit":3}'),
            Gpt.call("call_3", "get_orders", '{"limit":4}')
          ),
          Gpt.streamed(Gpt.text("msg_2", "-"))
        ])
        const model = yield* gpt(url)
        const { failure, turn } = yield* heard(model)
        expect(failure).toBeUndefined()
        expect(turn).toMatchObject({ finish: "calls", isComplete: true, usage: Turn.unknownUsage })
        if (turn === undefined) return expect.unreachable()
        const outcomes = yield* (yield* runner).runAll(Turn.calls(turn))
        expect(outcomes.map(({ _tag, id }) => [id, _tag])).toEqual([
          ["call_1", "Success"],
          ["call_2", "UnknownTool"]
        ])
        const results = outcomes.flatMap((outcome) => Outcome.render(outcome) ?? [])
        yield* turnOf(model, {
          messages: [user("-"), assistant(turn), { _tag: "Results", results, native: undefined }]
        })
        const input = received[1]?.body["input"] as ReadonlyArray<{ readonly call_id?: string }>
        expect(input.map(({ call_id }) => call_id).filter((id) => id !== undefined)).toEqual([
          "call_1",
          "call_2",
          "call_1",
          "call_2"
        ])
        expect(JSON.stringify(input)).toContain("gAAAA")
      })
    )
  }

  it.scoped("that the conversation has called before is decoded, and advertised to nobody", () =>
    Effect.gen(function* () {
      const former = Gpt.call("call_1", "search", "{}")
      const { received, url } = yield* serve([
        Gpt.streamed(former),
        Gpt.streamed(Gpt.call("call_2", "search", "{}"), Gpt.call("call_3", "get_orders", '{"limit":4}'))
      ])
      const model = yield* gpt(url)
      const first = yield* turnOf(model, { definitions: [getOrders, ToolDefinition.make({ name: "search" })] })
      const result = { id: "call_1", name: "search", isError: false, content: [Content.json(1)], structured: 1 }
      const second = yield* turnOf(model, {
        messages: [user("-"), assistant(first), { _tag: "Results", results: [result], native: undefined }]
      })
      expect(Turn.calls(second).map(({ name }) => name)).toEqual(["search", "get_orders"])
      expect(second.usage).toEqual(usageOfGpt)
      expect(received[1]?.body["tools"]).toMatchObject([{ name: "get_orders" }])
      expect(received[1]?.body["tool_choice"]).toBe("auto")
    })
  )
})

describe("arguments that are no JSON", () => {
  it.scoped("end a streamed turn of OpenAI as a call with the text that was sent", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Gpt.streamed(Gpt.text("msg_1", "Look:"), Gpt.call("call_1", "get_orders", '{"limit": three}'))
      ])
      const turn = yield* turnOf(yield* gpt(url))
      expect(Turn.calls(turn)).toEqual([{ id: "call_1", name: "get_orders", arguments: '{"limit": three}' }])
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toBe("InvalidArguments")
    })
  )

  it.scoped("end a streamed turn of Anthropic likewise, and go back as an object", () =>
    Effect.gen(function* () {
      const broken = { type: "tool_use", id: "toolu_1", name: "get_orders", input: '{"limit": 3' }
      const { received, url } = yield* serve([Claude.streamed(broken), Claude.streamed(Claude.text("-"))])
      const model = yield* claude(url)
      const turn = yield* turnOf(model)
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toBe("InvalidArguments")
      const results = outcome === undefined ? [] : [Outcome.render(outcome)].flatMap((result) => result ?? [])
      yield* turnOf(model, { messages: [user("-"), assistant(turn), { _tag: "Results", results, native: undefined }] })
      expect(received[1]?.body["messages"]).toMatchObject([
        {},
        { content: [{ type: "tool_use", input: {} }] },
        { content: [{ type: "tool_result", is_error: true, content: expect.stringContaining("JSON") }] }
      ])
    })
  )

  it.scoped("that name a prototype reach the runner as text, not as a prototype", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([
        Gpt.streamed(Gpt.call("call_1", "get_orders", '{"limit":1,"__proto__":{"admin":true}}'))
      ])
      const turn = yield* turnOf(yield* gpt(url))
      const [outcome] = yield* (yield* runner).runAll(Turn.calls(turn))
      expect(outcome?._tag).toMatch(/^(Success|InvalidArguments)$/)
      expect(({} as { admin?: boolean }).admin).toBeUndefined()
    })
  )

  it.scoped("fail as WireError where the response is not streamed", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([Gpt.whole(Gpt.call("call_1", "get_orders", "{"))])
      const { events, failure } = yield* heard(yield* gpt(url, false))
      expect(events).toEqual([])
      expect(failure?._tag).toBe("WireError")
      expect(failure?.message).toContain("get_orders")
    })
  )
})

describe("a request", () => {
  const ask = (request: Partial<Model.ModelRequest>) =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([Gpt.streamed(Gpt.text("m", "-")), Claude.streamed(Claude.text("-"))])
      yield* turnOf(yield* gpt(url), request)
      yield* turnOf(yield* claude(url), request)
      return received.map(({ body }) => body)
    })

  it.scoped("offers the definitions as they are", () =>
    Effect.gen(function* () {
      const [openAiBody, anthropicBody] = yield* ask({})
      expect(openAiBody?.["tools"]).toEqual([
        {
          type: "function",
          name: "get_orders",
          description: "The customer's orders",
          parameters: getOrders.inputSchema,
          strict: false
        }
      ])
      expect(anthropicBody?.["tools"]).toEqual([
        { name: "get_orders", description: "The customer's orders", input_schema: getOrders.inputSchema }
      ])
    })
  )

  it.scoped("maps names that providers refuse, and maps them back", () =>
    Effect.gen(function* () {
      const name = "shop/orders: list all of them, of every customer, since the beginning"
      const definitions = [ToolDefinition.make({ name })]
      const [openAiBody] = yield* ask({ definitions })
      const offered = openAiBody?.["tools"] as ReadonlyArray<{ readonly name: string }> | undefined
      const native = offered?.[0]?.name ?? ""
      expect(native).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      const { received, url } = yield* serve([
        Gpt.streamed(Gpt.call("call_1", native, "{}")),
        Gpt.streamed(Gpt.text("m", "-"))
      ])
      const model = yield* gpt(url)
      const { events, turn } = yield* heard(model, { definitions })
      expect(events).toContainEqual({ _tag: "CallStarted", index: 0, id: "call_1", name })
      expect(turn?.parts).toMatchObject([{ call: { name }, nativeName: native }])
      if (turn === undefined) return expect.unreachable()
      yield* turnOf(model, { definitions, messages: [user("-"), assistant(turn)] })
      expect(received[1]?.body["input"]).toMatchObject([{}, { type: "function_call", name: native }])
    })
  )

  it.scoped("says which tools may or must be called", () =>
    Effect.gen(function* () {
      const other = ToolDefinition.make({ name: "other" })
      const choices = [
        [{ _tag: "Auto" }, "auto", { type: "auto" }],
        [{ _tag: "Required" }, "required", { type: "any" }],
        [
          { _tag: "OneOf", names: ["get_orders"] },
          { type: "function", name: "get_orders" },
          { type: "tool", name: "get_orders" }
        ],
        [{ _tag: "OneOf", names: ["get_orders", "other"] }, "required", { type: "any" }],
        [{ _tag: "None" }, "none", undefined]
      ] as const
      for (const [choice, ofOpenAi, ofAnthropic] of choices) {
        const [openAiBody, anthropicBody] = yield* ask({
          definitions: [getOrders, other, ToolDefinition.make({ name: "third" })],
          options: { choice }
        })
        expect(openAiBody?.["tool_choice"]).toEqual(ofOpenAi)
        expect(anthropicBody?.["tool_choice"]).toEqual(ofAnthropic)
      }
    })
  )

  it.scoped("says images, files and system texts as each provider takes them", () =>
    Effect.gen(function* () {
      const [openAiBody, anthropicBody] = yield* ask({
        messages: [
          system("Be brief."),
          {
            _tag: "User",
            native: undefined,
            content: [
              Content.text("What is this?"),
              Content.json({ page: 1 }),
              Content.image("image/png", "iVBORw0KGgo="),
              Content.file("application/pdf", "JVBERi0xLjQ=", "a.pdf"),
              new Content.Image({ mediaType: "image/png", source: { _tag: "Url", url: "https://example.com/a.png" } })
            ]
          },
          system("Be kind.")
        ]
      })
      expect(openAiBody?.["input"]).toMatchObject([
        { role: "developer", content: "Be brief." },
        { role: "developer", content: "Be kind." },
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is this?" },
            { type: "input_text", text: '{"page":1}' },
            { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" },
            { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0xLjQ=" },
            { type: "input_image", image_url: "https://example.com/a.png" }
          ]
        }
      ])
      expect(anthropicBody?.["system"]).toMatchObject([{ text: "Be brief." }, { text: "Be kind." }])
      expect(anthropicBody?.["messages"]).toMatchObject([
        {
          role: "user",
          content: [
            { type: "text" },
            { type: "text" },
            { type: "image", source: { type: "base64", data: "iVBORw0KGgo=" } },
            { type: "document", source: { type: "base64", data: "JVBERi0xLjQ=" } },
            { type: "image", source: { type: "url", url: "https://example.com/a.png" } }
          ]
        }
      ])
    })
  )

  it.scoped("says a turn of another format anew, without what only that one understands", () =>
    Effect.gen(function* () {
      const call = { id: "c1", name: "get_orders", arguments: '{"limit":3}' }
      const [openAiBody, anthropicBody] = yield* ask({
        messages: [
          user("-"),
          {
            _tag: "Assistant",
            parts: [
              { _tag: "Reasoning", text: "of another model" },
              { _tag: "Text", text: "Look:" },
              { _tag: "Call", call, executedBy: "application", nativeName: "get_orders", nativeId: "c1" },
              { _tag: "Call", call: { ...call, id: "s1" }, executedBy: "provider", nativeName: "x", nativeId: "s1" }
            ],
            native: { format: "gemini", json: [{ role: "model", parts: [] }] }
          },
          {
            _tag: "Results",
            results: [
              { id: "c1", name: "get_orders", isError: false, content: [Content.json(null)], structured: null }
            ],
            native: undefined
          }
        ]
      })
      expect(openAiBody?.["input"]).toMatchObject([
        { role: "user" },
        { role: "assistant", content: [{ type: "output_text", text: "Look:" }] },
        { type: "function_call", call_id: "c1", arguments: '{"limit":3}' },
        { type: "function_call_output", call_id: "c1", output: "null" }
      ])
      expect(anthropicBody?.["messages"]).toMatchObject([
        {},
        { content: [{ type: "text" }, { type: "tool_use", id: "c1", input: { limit: 3 } }] },
        { content: [{ type: "tool_result", content: "null", is_error: false }] }
      ])
    })
  )

  it.scoped("that has settings puts them where the package looks for them, or is rejected", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([Gpt.streamed(Gpt.text("m", "-"))])
      const settings = { temperature: 0.5, max_output_tokens: 99 }
      const rejected = yield* heard(yield* gpt(url), { settings })
      expect(rejected.failure?._tag).toBe("RequestRejected")
      expect(rejected.failure?.message).toContain("temperature, max_output_tokens")
      expect(received).toEqual([])
      const model = yield* Model.fromLanguageModel({
        id: "gpt-5-mini",
        settings: OpenAiLanguageModel.Config
      }).pipe(Effect.provide(openAi(url)))
      yield* turnOf(model, { settings })
      expect(received[0]?.body).toMatchObject({ ...settings, model: "gpt-5-mini", tools: [{ strict: false }] })
    })
  )

  it.scoped("that holds a file which cannot be read is rejected before it is sent", () =>
    Effect.gen(function* () {
      const { received, url } = yield* serve([])
      const { failure } = yield* heard(yield* gpt(url), {
        messages: [{ _tag: "User", content: [Content.image("image/png", "not base64!")], native: undefined }]
      })
      expect(failure?._tag).toBe("RequestRejected")
      expect(received).toEqual([])
    })
  )
})
