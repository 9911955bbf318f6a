import { describe, expect, it } from "@effect/vitest"
import { Content, ToolDefinition } from "@wield/core"
import type { Message } from "@wield/core"
import { Either, FastCheck } from "effect"
import { emptyRequest, withoutNative } from "../../test/request.js"
import { decodeRequest, encodeRequest } from "../BedrockConverse.js"
import type { Request } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const toolSpec = (name: string, more: object = {}) => ({
  toolSpec: { name, description: "…", inputSchema: { json: { type: "object", properties: {} } }, ...more }
})

const body = {
  modelId: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
  system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
  messages: [
    {
      role: "user",
      content: [{ text: "Where is my order?" }, { image: { format: "png", source: { bytes: "iVBO" } } }]
    },
    {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "Orders first.", signature: "c2ln" } } },
        { text: "Let me look." },
        { toolUse: { toolUseId: "tooluse_1", name: "get_orders", input: { status: "open" } } },
        { toolUse: { toolUseId: "tooluse_2", name: "now", input: {} } }
      ]
    },
    {
      role: "user",
      content: [
        { toolResult: { toolUseId: "tooluse_1", content: [{ json: { id: 7 } }], status: "success" } },
        { toolResult: { toolUseId: "tooluse_2", content: [{ text: "no clock" }], status: "error" } },
        { text: "Hurry." },
        { cachePoint: { type: "default" } }
      ]
    },
    { role: "assistant", content: [{ text: "Order 7 is on its way." }] }
  ],
  toolConfig: {
    tools: [toolSpec("get_orders"), toolSpec("now"), { cachePoint: { type: "default" } }],
    toolChoice: { tool: { name: "now" } }
  },
  inferenceConfig: { maxTokens: 100 },
  guardrailConfig: { guardrailIdentifier: "g" }
}

const decoded = (json: unknown): Request => Either.getOrThrow(decodeRequest(json))

describe("a Converse request", () => {
  it("is read as messages, definitions, options and settings", () => {
    const request = decoded(body)
    expect(request.messages.map((message) => message._tag)).toEqual([
      "System",
      "User",
      "Assistant",
      "Results",
      "User",
      "Assistant"
    ])
    expect(request.messages[1]).toMatchObject({
      content: [Content.text("Where is my order?"), Content.image("image/png", "iVBO")]
    })
    expect(request.messages[3]).toMatchObject({
      results: [
        {
          id: "tooluse_1",
          name: "get_orders",
          isError: false,
          content: [Content.json({ id: 7 })],
          structured: { id: 7 }
        },
        { id: "tooluse_2", name: "now", isError: true, content: [Content.text("no clock")] }
      ]
    })
    expect(request.messages[4]).toMatchObject({ content: [Content.text("Hurry.")], native: { json: [] } })
    expect(request.definitions.map((definition) => definition.name)).toEqual(["get_orders", "now"])
    expect(request.options).toEqual({ choice: { _tag: "OneOf", names: ["now"] }, isCached: true })
    expect(Object.keys(request.settings?.json ?? {})).toEqual(["modelId", "inferenceConfig", "guardrailConfig"])
    expect(request.losses.map((loss) => loss.keyword)).toEqual(["cachePoint", "cachePoint"])
  })

  it("is written as it was read", () => {
    expect(encodeRequest(decoded(body))).toEqual({ body, losses: [] })
  })

  it("is re-encoded up to cache points in messages", () => {
    const { body: anew, losses } = encodeRequest(withoutNative(decoded(body)))
    const [first, second, third, fourth] = body.messages
    expect(anew).toEqual({
      ...body,
      system: body.system.slice(0, 1),
      messages: [first, second, { ...third, content: third?.content.slice(0, 3) }, fourth]
    })
    expect(losses).toEqual([])
  })

  it.each([
    ["an emptyRequest system", { system: [], messages: [] }],
    ["no tools", { messages: [], toolConfig: { tools: [] } }],
    [
      "a choice of a new kind",
      { messages: [], toolConfig: { tools: [toolSpec("a")], toolChoice: { some: { a: 1 } } } }
    ],
    [
      "strict tools",
      { messages: [], toolConfig: { tools: [toolSpec("a", { strict: true })], toolChoice: { any: {} } } }
    ],
    ["Nova's own tools", { messages: [], toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] } }],
    [
      "cache points among the tools",
      {
        messages: [],
        toolConfig: {
          tools: [
            toolSpec("a"),
            { cachePoint: { type: "default" } },
            toolSpec("b"),
            { cachePoint: { type: "default", ttl: "1h" } }
          ]
        }
      }
    ],
    [
      "two messages of one role",
      {
        messages: [
          { role: "user", content: [{ text: "a" }] },
          { role: "user", content: [] }
        ]
      }
    ],
    [
      "a choice of a tool that cannot be",
      {
        messages: [],
        toolConfig: {
          tools: [{ toolSpec: { name: "now", inputSchema: { json: {} } } }],
          toolChoice: { tool: { name: "what time?" } }
        }
      }
    ],
    [
      "blocks without words here",
      {
        messages: [
          { role: "user", content: [{ guardContent: { text: { text: "a" } } }, { somethingNew: {} }] },
          { role: "assistant", content: [{ somethingNew: {} }] }
        ]
      }
    ]
  ])("is written as it was read, with %s", (_, json) => {
    expect(encodeRequest(decoded(json))).toEqual({ body: json, losses: [] })
  })

  it("says what a user says beside results in their message, also when only one of them is new", () => {
    const said: Message.Message = { _tag: "User", content: [Content.text("Hurry.")], native: undefined }
    const { messages } = decoded({ ...body, messages: body.messages.slice(0, 2) })
    const results: Message.Message = {
      _tag: "Results",
      results: [
        { id: "tooluse_1", name: "get_orders", isError: false, content: [Content.json([1])] },
        { id: "tooluse_2", name: "now", isError: false, content: [Content.text("")] }
      ],
      native: undefined
    }
    const written = encodeRequest({ ...emptyRequest, messages: [...messages, results, said] }).body
    expect(written["messages"]).toEqual([
      ...body.messages.slice(0, 2),
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "tooluse_1", content: [{ text: "[1]" }], status: "success" } },
          { toolResult: { toolUseId: "tooluse_2", content: [{ text: '""' }], status: "success" } },
          { text: "Hurry." }
        ]
      }
    ])
  })

  it("says a conversation of another API with legal ids and names, and reports what is lost", () => {
    const definitions = [ToolDefinition.make({ name: "shop/get orders" })]
    const call = (id: string, executedBy: "application" | "provider") => ({
      _tag: "Call" as const,
      call: { id, name: "shop/get orders", arguments: '{"a":1}' },
      executedBy,
      nativeName: "shop/get orders",
      nativeId: id
    })
    const { body: written, losses } = encodeRequest({
      ...emptyRequest,
      definitions,
      settings: { format: "openai-chat", json: { model: "gpt-5", temperature: 1 } },
      messages: [
        { _tag: "User", content: [Content.text("Hi")], native: { format: "openai-chat", json: [{}] } },
        { _tag: "System", text: "Be brief.", native: undefined },
        {
          _tag: "Assistant",
          parts: [
            { _tag: "Reasoning", text: "…" },
            call("call|1", "application"),
            call("srv", "provider"),
            call("never answered", "application")
          ],
          native: undefined
        },
        {
          _tag: "Results",
          results: [
            {
              id: "call|1",
              name: "",
              isError: false,
              content: [Content.image("image/png", "iVBO"), Content.file("audio/mpeg", "AAAA")]
            },
            { id: "stray", name: "", isError: false, content: [] }
          ],
          native: undefined
        },
        { _tag: "User", content: [Content.text("And?")], native: undefined }
      ]
    })
    const text = JSON.stringify(written)
    const [id] = /call_1_[0-9a-f]{8}/.exec(text) ?? []
    const [name] = /shop_get_orders_[0-9a-f]{8}/.exec(text) ?? []
    expect(written).toMatchObject({
      system: [{ text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "Hi" }] },
        { role: "assistant", content: [{ toolUse: { toolUseId: id, name, input: { a: 1 } } }] },
        {
          role: "user",
          content: [
            {
              toolResult: {
                toolUseId: id,
                content: [
                  { image: { format: "png", source: { bytes: "iVBO" } } },
                  { text: "[a file of type audio/mpeg that this API cannot carry in a result]" }
                ]
              }
            },
            { text: "And?" }
          ]
        }
      ],
      toolConfig: { tools: [{ toolSpec: { name } }] }
    })
    expect(losses.map((loss) => loss.keyword)).toEqual([
      "model",
      "temperature",
      "system",
      "reasoning",
      "providerCall",
      "call",
      "file",
      "result"
    ])
  })

  it("gives documents names that the API takes, each another", () => {
    const file = (filename?: string) => Content.file("application/pdf", "JVBE", filename)
    const { body: written } = encodeRequest({
      ...emptyRequest,
      messages: [{ _tag: "User", content: [file("my_report.pdf"), file("my_report.pdf"), file()], native: undefined }]
    })
    const names = JSON.stringify(written).match(/"name":"[^"]*"/g)
    expect(names).toEqual(['"name":"my-report-pdf"', '"name":"my-report-pdf (2)"', '"name":"Document"'])
  })

  it("never throws, and writes again whatever it could read", () => {
    const odd = FastCheck.oneof(
      FastCheck.constantFrom<unknown>(...body.messages, ...body.messages.flatMap((message) => [...message.content])),
      FastCheck.jsonValue()
    )
    const messages = FastCheck.array(
      FastCheck.record({
        role: FastCheck.constantFrom("user", "assistant"),
        // Reasoning at the end does not go back.
        content: FastCheck.array(odd, { maxLength: 4 }).filter(
          (content) => !JSON.stringify(content.at(-1))?.startsWith('{"reasoningContent"')
        )
      }),
      { maxLength: 5 }
    )
    FastCheck.assert(
      FastCheck.property(
        messages,
        FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constant(body.toolConfig)),
        (list, toolConfig) => {
          const json = JSON.parse(JSON.stringify({ messages: list, toolConfig })) as unknown
          const request = decodeRequest(json)
          const unread = { body: json, losses: [] }
          expect(Either.match(request, { onLeft: () => unread, onRight: encodeRequest })).toEqual(unread)
          const anew = Either.map(request, (read) => encodeRequest(withoutNative(read)).body["messages"])
          expect(Array.isArray(Either.getOrElse(anew, () => []))).toBe(true)
        }
      ),
      { numRuns: runs(300) }
    )
  })
})
