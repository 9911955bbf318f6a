import { OpenAiLanguageModel } from "@effect/ai-openai"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "@wield/agent"
import { Content, type Message, ToolCall, ToolDefinition } from "@wield/core"
import { Effect } from "effect"
import * as Claude from "./anthropicReplies.js"
import { assistant, claude, getOrders, gpt, heard, system, turnOf, user } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { openAi, serve } from "./serve.js"

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

  it.scoped("pairs each call of another format with its result, and leaves out what has no other half", () =>
    Effect.gen(function* () {
      const calling = (...ids: ReadonlyArray<string>): Message.Assistant => ({
        _tag: "Assistant",
        parts: ids.map((id) => ({
          _tag: "Call",
          call: ToolCall.make(id, "get_orders", {}),
          executedBy: "application",
          nativeName: "get_orders",
          nativeId: id
        })),
        native: undefined
      })
      const results = (...ids: ReadonlyArray<string>): Message.Results => ({
        _tag: "Results",
        results: ids.map((id) => ({ id, name: "get_orders", isError: false, content: [Content.text("none")] })),
        native: undefined
      })
      const messages = [
        user("Where is it?"),
        calling("a", "b"),
        results("b", "c"),
        calling("d"),
        user("Well?"),
        results("d"),
        calling("e"),
        calling("f"),
        results("e", "f")
      ]
      const [openAiBody, anthropicBody] = yield* ask({ messages })
      for (const body of [openAiBody?.["input"], anthropicBody?.["messages"]]) {
        const said = JSON.stringify(body)
        const idsOf = (pattern: RegExp) => [...said.matchAll(pattern)].map(([, id]) => id).toSorted()
        expect(idsOf(/"(?:type":"tool_use","id|function_call","call_id)":"(.)"/g)).toEqual(["b", "e", "f"])
        expect(idsOf(/"(?:tool_use_id|function_call_output","call_id)":"(.)"/g)).toEqual(["b", "e", "f"])
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
