import { describe, expect, it } from "@effect/vitest"
import type { Message, Turn } from "@wield/core"
import { Content, ToolCall, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { withoutNative } from "../../test/request.js"
import * as Mistral from "../Mistral.js"
import * as OpenAiChat from "../OpenAiChat.js"
import type { Conversing, Request, WireFormat } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const decode = (body: object, format: Conversing = OpenAiChat.format) =>
  Either.getOrThrow(format.decodeRequest({ model: "m", ...body }))

const entry = (id: string | undefined, name = "f", args = "{}") => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args }
})

const requestOf = (messages: ReadonlyArray<Message.Message>, rest: Partial<Request> = {}): Request => ({
  messages,
  definitions: [],
  options: {},
  settings: undefined,
  losses: [],
  ...rest
})

const callPart = (id: string, name = "f", rest: Partial<Turn.CallPart> = {}): Turn.CallPart => ({
  _tag: "Call",
  call: ToolCall.make(id, name, { x: 1 }),
  executedBy: "application",
  nativeName: name,
  nativeId: id,
  ...rest
})

const assistant = (...parts: ReadonlyArray<Turn.Part>): Message.Message => ({
  _tag: "Assistant",
  parts,
  native: undefined
})
const user = (text: string): Message.Message => ({ _tag: "User", content: [Content.text(text)], native: undefined })
const results = (...ids: ReadonlyArray<string>): Message.Message => ({
  _tag: "Results",
  results: ids.map((id, index) => ({ id, name: "f", isError: false, content: [Content.text(`r${index}`)] })),
  native: undefined
})

const conversation = {
  messages: [
    { role: "developer", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "image_url", image_url: { url: "data:image/png;base64,AAAA", detail: "low" } },
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        { type: "input_audio", input_audio: { data: "BBBB", format: "wav" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,CCCC" } },
        { type: "file", file: { file_id: "file-1" } }
      ],
      name: "ada"
    },
    { role: "assistant", content: "Wait.", reasoning_content: "Hm.", tool_calls: [entry("a"), entry("b", "g")] },
    { role: "tool", tool_call_id: "b", content: [{ type: "text", text: "two" }] },
    { role: "tool", tool_call_id: "a", content: "one" },
    { role: "assistant", content: "Done.", refusal: null }
  ],
  tools: [
    { type: "function", function: { name: "f", parameters: { type: "object" }, strict: false }, cache_control: {} },
    { type: "openrouter:web_search", parameters: { max_results: 1 } },
    { type: "custom", custom: { name: "sql", format: { type: "text" } } }
  ],
  tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } },
  parallel_tool_calls: false,
  temperature: 0
}

describe("a request of OpenAI's", () => {
  it("becomes messages in order, the results of one turn together, each with what it was", () => {
    const { losses, messages } = decode(conversation)
    expect(messages.map((message) => [message._tag, message.native?.json.length])).toEqual([
      ["System", 1],
      ["User", 1],
      ["Assistant", 1],
      ["Results", 2],
      ["Assistant", 1]
    ])
    expect(messages[1]).toMatchObject({
      content: [
        Content.text("Look."),
        Content.image("image/png", "AAAA"),
        new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url: "https://example.com/a.png" } }),
        Content.file("audio/wav", "BBBB"),
        Content.file("application/pdf", "CCCC", "a.pdf")
      ]
    })
    expect(messages[2]).toMatchObject({
      parts: [
        { _tag: "Reasoning", text: "Hm." },
        { _tag: "Text", text: "Wait." },
        { call: { id: "a" } },
        { call: { id: "b" } }
      ]
    })
    expect(messages[3]).toMatchObject({
      results: [
        { id: "b", name: "g", isError: false, content: [Content.text("two")] },
        { id: "a", name: "f", isError: false, content: [Content.text("one")] }
      ]
    })
    expect(losses).toMatchObject([
      { subject: "message 1", path: ["name"], keyword: "name" },
      { subject: "message 1", path: ["content", 5], keyword: "file" }
    ])
  })

  it("becomes definitions, options and settings", () => {
    const { definitions, options, settings } = decode({ ...conversation, tool_choice: "required" })
    expect(definitions).toMatchObject([
      { name: "f", inputSchema: { type: "object" }, provider: undefined },
      {
        name: "openrouter:web_search",
        provider: {
          id: "openrouter.web_search",
          name: "openrouter:web_search",
          settings: { parameters: { max_results: 1 } }
        }
      },
      { name: "sql", provider: { id: "openai.custom", name: "sql" } }
    ])
    expect(options).toEqual({ choice: { _tag: "Required" }, isParallel: false })
    expect(settings).toEqual({ format: "openai-chat", json: { model: "m", temperature: 0 } })
  })

  it.each([
    ["all that it has", conversation],
    [
      "functions of the first years",
      {
        messages: [
          { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
          { role: "function", name: "f", content: "1" }
        ],
        functions: [{ name: "f", parameters: { type: "object", properties: {} } }],
        function_call: { name: "f" }
      }
    ],
    ["no tools, said in so many words", { messages: [], tools: [], tool_choice: "none", parallel_tool_calls: null }],
    [
      "a choice without a type",
      { messages: [], tools: [{ type: "function", function: { name: "f" } }], tool_choice: { function: { name: "f" } } }
    ],
    [
      "a role of a later day",
      {
        messages: [
          { role: "platform", content: "Hi" },
          { role: "user", content: "Ho" }
        ]
      }
    ],
    [
      "calls without ids",
      {
        messages: [
          { role: "assistant", tool_calls: [entry(undefined)] },
          { role: "tool", content: "1" }
        ]
      }
    ]
  ])("comes back equal: %s", (_, body) => {
    const whole = { model: "m", ...body }
    expect(OpenAiChat.encodeRequest(decode(body)).body).toEqual(whole)
    expect(OpenAiChat.encodeRequest(decode(body)).losses).toEqual([])
  })

  it("says what it said of tools only while the options still do", () => {
    const request = decode(conversation)
    const changed = { ...request, options: { choice: { _tag: "Required" as const } } }
    expect(OpenAiChat.encodeRequest(changed).body).toMatchObject({ tool_choice: "required", temperature: 0 })
    expect(OpenAiChat.encodeRequest(changed).body).not.toHaveProperty("parallel_tool_calls")
    const none = decode({ messages: [], tools: [] })
    const definitions = [ToolDefinition.make({ name: "f" })]
    expect(OpenAiChat.encodeRequest({ ...none, definitions }).body["tools"]).toHaveLength(1)
  })

  it("fills in ids where a new result has to name its call", () => {
    const request = decode({ messages: [{ role: "assistant", tool_calls: [entry(undefined)] }] })
    const { body } = OpenAiChat.encodeRequest({ ...request, messages: [...request.messages, results("call_m0_0")] })
    expect(body["messages"]).toEqual([
      { role: "assistant", tool_calls: [{ ...entry(undefined), id: "call_m0_0" }] },
      { role: "tool", tool_call_id: "call_m0_0", content: "r0" }
    ])
  })

  it("answers a function_call under the function's name", () => {
    const message = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }
    const request = decode({ messages: [message] })
    const { body } = OpenAiChat.encodeRequest({ ...request, messages: [...request.messages, results("call_m0_0")] })
    expect(body["messages"]).toEqual([message, { role: "function", name: "f", content: "r0" }])
  })

  it("pairs results of one id in order, and leaves one without a call out", () => {
    const messages = [assistant(callPart("a"), callPart("a")), results("a", "a", "c")]
    const { body, losses } = OpenAiChat.encodeRequest(requestOf(messages))
    expect(body["messages"]).toMatchObject([
      { tool_calls: [{ id: "a" }, { id: "a_2" }] },
      { role: "tool", tool_call_id: "a", content: "r0" },
      { role: "tool", tool_call_id: "a_2", content: "r1" }
    ])
    expect(losses).toMatchObject([{ subject: "message 1", path: ["c"], keyword: "result" }])
  })
})

describe("a conversation of another API", () => {
  const parts: ReadonlyArray<Turn.Part> = [
    { _tag: "Reasoning", text: "Hm." },
    { _tag: "Text", text: "Let me " },
    { _tag: "Text", text: "look." },
    callPart("ws", "web_search", { executedBy: "provider" }),
    callPart("toolu_".padEnd(60, "x"), "shop/orders")
  ]
  const messages: ReadonlyArray<Message.Message> = [
    { _tag: "System", text: "Be brief.", native: { format: "anthropic", json: ["Be brief."] } },
    {
      _tag: "User",
      content: [
        Content.text("Look."),
        Content.image("image/png", "AAAA"),
        new Content.File({ mediaType: "application/pdf", source: { _tag: "Url", url: "https://example.com/a.pdf" } })
      ],
      native: { format: "anthropic", json: [{}] }
    },
    { _tag: "Assistant", parts, native: { format: "anthropic", json: [{}] } },
    {
      _tag: "Results",
      results: [
        {
          id: "toolu_".padEnd(60, "x"),
          name: "shop/orders",
          isError: true,
          content: [Content.json({ code: 3 })],
          structured: { code: 3 }
        }
      ],
      native: { format: "anthropic", json: [{}] }
    },
    user("And now?")
  ]
  const request = requestOf(messages, { settings: { format: "anthropic", json: { max_tokens: 9 } } })

  it("is said in OpenAI's words, with each loss", () => {
    const { body, losses } = OpenAiChat.encodeRequest(request)
    const id = expect.stringMatching(/^call_[0-9a-f]{16}$/)
    const name = expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(body).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        {
          role: "user",
          content: [
            { type: "text", text: "Look." },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "text", text: expect.stringContaining("application/pdf") }
          ]
        },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id, type: "function", function: { name, arguments: '{"x":1}' } }]
        },
        { role: "tool", tool_call_id: id, content: '{"error":{"code":3}}' },
        { role: "user", content: "And now?" }
      ]
    })
    expect(losses.map((loss) => loss.keyword)).toEqual(["max_tokens", "file", "reasoning", "providerCall"])
  })

  it("is said in Mistral's words: ids of nine characters, names in results", () => {
    const { body, losses } = Mistral.encodeRequest(request)
    const id = expect.stringMatching(/^[a-zA-Z0-9]{9}$/)
    expect(body["messages"]).toMatchObject([
      { role: "system" },
      {
        content: [
          { type: "text" },
          { type: "image_url" },
          { type: "document_url", document_url: "https://example.com/a.pdf" }
        ]
      },
      { role: "assistant", content: "Let me look.", tool_calls: [{ id }] },
      { role: "tool", tool_call_id: id, name: expect.any(String) },
      { role: "user", content: "And now?" }
    ])
    expect(losses.map((loss) => loss.keyword)).not.toContain("order")
    const [, , called, result] = JSON.parse(JSON.stringify(body["messages"]))
    expect(result.tool_call_id).toBe(called.tool_calls[0].id)
  })

  it("leaves out a call that has no result before the model speaks again", () => {
    const { body, losses } = OpenAiChat.encodeRequest(
      requestOf([assistant(callPart("a")), user("Never mind."), assistant(callPart("b"))])
    )
    expect(body["messages"]).toMatchObject([{ role: "user" }, { role: "assistant", tool_calls: [{ id: "b" }] }])
    expect(losses).toMatchObject([{ keyword: "call" }])
  })
})

describe("a request of Mistral's", () => {
  const body = {
    model: "mistral-large-latest",
    messages: [
      {
        role: "user",
        content: [
          { type: "image_url", image_url: "https://example.com/a.png" },
          { type: "document_url", document_url: "https://example.com/a.pdf", document_name: "a.pdf" },
          { type: "input_audio", input_audio: "AAAA" },
          { type: "file", file_id: "f1" }
        ]
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
          { type: "reference", reference_ids: [1] }
        ],
        prefix: false,
        tool_calls: [{ id: "D681PevKs", index: 0, function: { name: "f", arguments: { x: 1 } } }]
      },
      { role: "tool", tool_call_id: "D681PevKs", name: "f", content: "1" },
      { role: "user", content: "Right after." }
    ],
    tools: [{ function: { name: "f", parameters: {}, strict: true } }],
    tool_choice: "any",
    safe_prompt: true
  }

  it("becomes Wield's words and comes back equal", () => {
    const request = Either.getOrThrow(Mistral.decodeRequest(body))
    expect(request.messages[0]).toMatchObject({
      content: [{ _tag: "Image" }, { mediaType: "application/*", filename: "a.pdf" }, Content.file("audio/*", "AAAA")]
    })
    expect(request.messages[1]).toMatchObject({
      parts: [{ _tag: "Reasoning", text: "Hm." }, { call: { id: "D681PevKs", arguments: { x: 1 } } }]
    })
    expect(request.options).toEqual({ choice: { _tag: "Required" }, isStrict: true })
    expect(Mistral.encodeRequest(request)).toEqual({ body, losses: [] })
  })

  it("is re-encoded with what it needs", () => {
    const { body: said } = Mistral.encodeRequest(withoutNative(Either.getOrThrow(Mistral.decodeRequest(body))))
    expect(said["messages"]).toMatchObject([
      {
        content: [
          { image_url: { url: "https://example.com/a.png" } },
          { document_name: "a.pdf" },
          { input_audio: "AAAA" }
        ]
      },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: [{ text: "Hm." }] }],
        tool_calls: [{ id: "D681PevKs", function: { arguments: '{"x":1}' } }]
      },
      { role: "tool", tool_call_id: "D681PevKs", name: "f" },
      { role: "user" }
    ])
  })
})

describe.each([{ format: OpenAiChat.format }, { format: Mistral.format }])(
  "$format.name",
  ({ format }: { format: WireFormat }) => {
    const text = FastCheck.string()
    const json = FastCheck.oneof(
      FastCheck.jsonValue(),
      FastCheck.constantFrom<Array<unknown>>(null, [], {}, "", "auto", [{}], { type: "function" }, { function: {} })
    )
    const message = FastCheck.oneof(
      FastCheck.record({
        role: FastCheck.constantFrom("user", "system", "developer", "odd"),
        content: FastCheck.oneof(text, json)
      }),
      FastCheck.record(
        { role: FastCheck.constant("tool"), tool_call_id: FastCheck.oneof(text, json), content: json },
        { requiredKeys: ["role"] }
      ),
      FastCheck.record(
        {
          role: FastCheck.constant("assistant"),
          content: json,
          tool_calls: FastCheck.array(
            FastCheck.record(
              { id: FastCheck.oneof(text, json), function: FastCheck.record({ name: text, arguments: json }) },
              { requiredKeys: [] }
            )
          ),
          function_call: json
        },
        { requiredKeys: ["role"] }
      )
    )
    const tool = FastCheck.record(
      {
        type: text,
        function: FastCheck.record(
          { name: text, description: text, parameters: json, strict: json },
          { requiredKeys: [] }
        ),
        custom: json
      },
      { requiredKeys: [] }
    )
    const body = FastCheck.record(
      {
        messages: FastCheck.array(message, { maxLength: 6 }),
        tools: FastCheck.array(tool, { maxLength: 3 }),
        functions: FastCheck.array(json, { maxLength: 1 }),
        tool_choice: json,
        function_call: json,
        parallel_tool_calls: json,
        temperature: json
      },
      { requiredKeys: ["messages"] }
    )

    it("puts back every request that it can read", () => {
      FastCheck.assert(
        FastCheck.property(body, (sent) => {
          const decoded = format.decodeRequest(sent)
          if (Either.isLeft(decoded)) return
          expect(format.encodeRequest(decoded.right)).toEqual({ body: sent, losses: [] })
        }),
        { numRuns: runs(1000) }
      )
    })

    it("says every request anew with each result after its call", () => {
      FastCheck.assert(
        FastCheck.property(body, (sent) => {
          const decoded = format.decodeRequest(sent)
          if (Either.isLeft(decoded)) return
          for (const to of [OpenAiChat.format, Mistral.format]) {
            const said = JSON.parse(JSON.stringify(to.encodeRequest(withoutNative(decoded.right)).body["messages"]))
            const open: Array<string> = []
            // The API's own ids need not be as its rule wants them: it took them before.
            const longest = to === format ? Infinity : to === Mistral.format ? 9 : 40
            for (const each of said) {
              for (const made of each.tool_calls ?? []) {
                expect(made.id).not.toBe("")
                expect(made.id.length).toBeLessThanOrEqual(longest)
                open.push(made.id)
              }
              if (each.role !== "tool") continue
              expect(open).toContain(each.tool_call_id)
              open.splice(open.indexOf(each.tool_call_id), 1)
            }
          }
        }),
        { numRuns: runs(500) }
      )
    })
  }
)
