import { describe, expect, it } from "@effect/vitest"
import { Content, ToolDefinition } from "@wield/core"
import { Either, FastCheck } from "effect"
import { emptyRequest, withoutNative } from "../../test/request.js"
import { decodeRequest, encodeRequest } from "../CohereV2.js"
import type { Request } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const tool = (name: string) => ({
  type: "function",
  function: { name, description: "…", parameters: { type: "object", properties: {} } }
})

const calls = [
  { id: "get_orders_1", type: "function", function: { name: "get_orders", arguments: '{"status":"open"}' } },
  { id: "now_2", type: "function", function: { name: "now", arguments: "{}" } }
]

const body = {
  model: "command-a-03-2025",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Where is my order?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }
      ]
    },
    { role: "assistant", tool_plan: "I will look.", tool_calls: calls },
    {
      role: "tool",
      tool_call_id: "get_orders_1",
      content: [{ type: "document", document: { data: { id: 7 } } }]
    },
    { role: "tool", tool_call_id: "now_2", content: "12:00" },
    {
      role: "assistant",
      content: [{ type: "text", text: "On its way." }],
      citations: [{ start: 0, end: 2, text: "On" }]
    },
    { role: "user", content: "Thanks." }
  ],
  tools: [tool("get_orders"), tool("now")],
  tool_choice: "REQUIRED",
  strict_tools: true,
  temperature: 0.3,
  documents: [{ data: { text: "…" } }]
}

const decoded = (json: unknown): Request => Either.getOrThrow(decodeRequest(json))

describe("a request of Cohere's", () => {
  it("is read as messages, definitions, options and settings", () => {
    const request = decoded(body)
    expect(request.messages.map((message) => message._tag)).toEqual([
      "System",
      "User",
      "Assistant",
      "Results",
      "Assistant",
      "User"
    ])
    expect(request.messages[1]).toMatchObject({
      content: [Content.text("Where is my order?"), Content.image("image/png", "iVBO")]
    })
    expect(request.messages[2]).toMatchObject({ parts: [{ _tag: "Reasoning", text: "I will look." }, {}, {}] })
    expect(request.messages[3]).toMatchObject({
      results: [
        { id: "get_orders_1", name: "get_orders", content: [Content.json({ id: 7 })], structured: { id: 7 } },
        { id: "now_2", name: "now", content: [Content.text("12:00")] }
      ]
    })
    expect(request.messages[3]?.native?.json).toHaveLength(2)
    expect(request.options).toEqual({ choice: { _tag: "Required" }, isStrict: true })
    expect(Object.keys(request.settings?.json ?? {})).toEqual(["model", "temperature", "documents"])
  })

  it("is written as it was read", () => {
    expect(encodeRequest(decoded(body))).toEqual({ body, losses: [] })
  })

  it("is re-encoded up to citations and the form of a single text", () => {
    const { body: anew, losses } = encodeRequest(withoutNative(decoded(body)))
    expect(anew).toEqual({
      ...body,
      messages: [...body.messages.slice(0, 5), { role: "assistant", content: "On its way." }, ...body.messages.slice(6)]
    })
    expect(losses).toEqual([])
  })

  it.each([
    ["no tools", { messages: [], tools: [], tool_choice: "NONE", strict_tools: true }],
    ["a choice of a new kind", { messages: [], tools: [tool("a")], tool_choice: "SOME" }],
    ["strict tools turned off", { messages: [], tools: [tool("a")], strict_tools: false }],
    ["a tool of a new kind", { messages: [], tools: [{ type: "clock", zone: "UTC" }] }],
    [
      "content without words here",
      {
        messages: [
          { role: "user", content: [{ type: "sound" }] },
          { role: "assistant", content: null },
          { role: "developer", content: [{ type: "text", text: "a" }] }
        ]
      }
    ]
  ])("is written as it was read, with %s", (_, json) => {
    expect(encodeRequest(decoded(json))).toEqual({ body: json, losses: [] })
  })

  it("says a conversation of another API and reports what is lost", () => {
    const { body: written, losses } = encodeRequest({
      ...emptyRequest,
      definitions: [ToolDefinition.make({ name: "get-orders" })],
      options: { choice: { _tag: "OneOf", names: ["get-orders"] }, isParallel: false },
      messages: [
        { _tag: "User", content: [Content.text("Hi"), Content.file("application/pdf", "JVBE")], native: undefined },
        {
          _tag: "Assistant",
          parts: [
            { _tag: "Text", text: "Let me look." },
            {
              _tag: "Call",
              call: { id: "call_1", name: "get-orders", arguments: { a: 1 } },
              executedBy: "application",
              nativeName: "get-orders",
              nativeId: "call_1"
            }
          ],
          native: undefined
        },
        {
          _tag: "Results",
          results: [
            { id: "call_1", name: "", isError: true, content: [Content.json({ code: 1 })] },
            { id: "stray", name: "", isError: false, content: [] }
          ],
          native: undefined
        }
      ]
    })
    const [name] = /get_orders_[0-9a-f]{8}/.exec(JSON.stringify(written)) ?? []
    expect(written).toMatchObject({
      messages: [
        { role: "user", content: [{ type: "text", text: "Hi" }, { type: "text" }] },
        {
          role: "assistant",
          content: "Let me look.",
          tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: '{"a":1}' } }]
        },
        { role: "tool", tool_call_id: "call_1", content: '{"error":{"code":1}}' }
      ],
      tools: [{ function: { name } }],
      tool_choice: "REQUIRED"
    })
    expect(losses.map((loss) => loss.keyword)).toEqual(["file", "result", "isParallel", "OneOf"])
  })

  it("never throws, and writes again whatever it could read", () => {
    const message = FastCheck.oneof(
      FastCheck.constantFrom<unknown>(...body.messages),
      FastCheck.record({
        role: FastCheck.constantFrom("system", "user", "assistant", "tool"),
        content: FastCheck.oneof(FastCheck.jsonValue(), FastCheck.array(FastCheck.jsonValue())),
        tool_calls: FastCheck.oneof(FastCheck.constant(calls), FastCheck.jsonValue())
      })
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(message, { maxLength: 5 }), FastCheck.jsonValue(), (list, tools) => {
        const json = JSON.parse(JSON.stringify({ messages: list, tools })) as unknown
        const request = decodeRequest(json)
        const unread = { body: json, losses: [] }
        expect(Either.match(request, { onLeft: () => unread, onRight: encodeRequest })).toEqual(unread)
        const anew = Either.map(request, (read) => encodeRequest(withoutNative(read)).body["messages"])
        expect(Array.isArray(Either.getOrElse(anew, () => []))).toBe(true)
      }),
      { numRuns: runs(300) }
    )
  })
})
