import { describe, expect, it } from "@effect/vitest"
import { Content } from "@wield/core"
import { Either, FastCheck } from "effect"
import { emptyRequest, withoutNative } from "../../test/request.js"
import { decodeRequest, encodeRequest } from "../Ollama.js"
import type { Request } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const tool = (name: string) => ({
  type: "function",
  function: { name, description: "…", parameters: { type: "object", properties: {} } }
})

const call = (name: string, zone: string) => ({ type: "function", function: { name, arguments: { zone } } })

const body = {
  model: "qwen3",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "What time is it?", images: ["iVBORw0KGgo="] },
    {
      role: "assistant",
      content: "",
      thinking: "…",
      tool_calls: [call("now", "UTC"), call("date", "UTC"), call("now", "CET")]
    },
    { role: "tool", tool_name: "now", content: "12:00" },
    { role: "tool", tool_name: "now", content: "13:00" },
    { role: "tool", tool_name: "date", content: "today" },
    { role: "assistant", content: "Noon." }
  ],
  tools: [tool("now"), tool("date")],
  stream: false,
  think: true,
  options: { temperature: 0 }
}

const decoded = (json: unknown): Request => Either.getOrThrow(decodeRequest(json))

describe("a request of Ollama's", () => {
  it("is read as messages, with results paired by tool and order", () => {
    const request = decoded(body)
    expect(request.messages.map((message) => message._tag)).toEqual([
      "System",
      "User",
      "Assistant",
      "Results",
      "Assistant"
    ])
    expect(request.messages[1]).toMatchObject({
      content: [Content.text("What time is it?"), Content.image("image/png", "iVBORw0KGgo=")]
    })
    expect(request.messages[3]).toMatchObject({
      results: [
        { id: "call_2_0", name: "now", content: [Content.text("12:00")] },
        { id: "call_2_2", name: "now", content: [Content.text("13:00")] },
        { id: "call_2_1", name: "date", content: [Content.text("today")] }
      ]
    })
    expect(Object.keys(request.settings?.json ?? {})).toEqual(["model", "stream", "think", "options"])
  })

  it("is written as it was read", () => {
    expect(encodeRequest(decoded(body))).toEqual({ body, losses: [] })
  })

  it("is re-encoded as it was", () => {
    const { body: anew, losses } = encodeRequest(withoutNative(decoded(body)))
    expect({ ...anew, messages: undefined }).toEqual({ ...body, messages: undefined })
    expect(JSON.stringify(anew["messages"])).toBe(JSON.stringify(body.messages))
    expect(losses).toEqual([])
  })

  it("keeps the ids of newer servers with both the call and its result", () => {
    const json = {
      messages: [
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "call_a", ...call("now", "UTC") },
            { id: "call_b", ...call("now", "CET") }
          ]
        },
        { role: "tool", tool_name: "now", tool_call_id: "call_b", content: "13:00" },
        { role: "tool", tool_name: "now", tool_call_id: "call_a", content: "12:00" }
      ]
    }
    const request = decoded(json)
    expect(request.messages[1]).toMatchObject({ results: [{ id: "call_b" }, { id: "call_a" }] })
    expect(encodeRequest(withoutNative(request)).body).toEqual(json)
  })

  it.each([
    ["no tools", { messages: [], tools: [] }],
    ["a result without its call", { messages: [{ role: "tool", content: "12:00" }] }],
    [
      "calls without text",
      { messages: [{ role: "assistant", tool_calls: [{ function: { name: "now", arguments: {}, index: 3 } }] }] }
    ]
  ])("is written as it was read, with %s", (_, json) => {
    expect(encodeRequest(decoded(json))).toEqual({ body: json, losses: [] })
  })

  it("leaves the tools out where none may be called, and reports demands that it cannot make", () => {
    const { definitions } = decoded(body)
    const write = (options: Request["options"]) => encodeRequest({ ...emptyRequest, definitions, options })
    expect(write({ choice: { _tag: "None" } })).toEqual({ body: { messages: [] }, losses: [] })
    expect(write({ choice: { _tag: "Auto" } })).toEqual({ body: { messages: [], tools: body.tools }, losses: [] })
    const { losses } = write({ choice: { _tag: "Required" }, isParallel: false, isStrict: true })
    expect(losses.map((loss) => loss.keyword)).toEqual(["isParallel", "Required", "isStrict"])
  })

  it("says a conversation of another API and reports what is lost", () => {
    const { body: written, losses } = encodeRequest({
      ...emptyRequest,
      messages: [
        {
          _tag: "User",
          content: [
            Content.text("Look:"),
            Content.image("image/png", "iVBO"),
            new Content.Image({ mediaType: "image/*", source: { _tag: "Url", url: "https://example.com/a.png" } })
          ],
          native: undefined
        },
        {
          _tag: "Assistant",
          parts: [
            {
              _tag: "Call",
              call: { id: "call_1", name: "shop/now", arguments: "no JSON" },
              executedBy: "application",
              nativeName: "shop_now",
              nativeId: "call_1"
            }
          ],
          native: undefined
        },
        {
          _tag: "Results",
          results: [{ id: "call_1", name: "", isError: true, content: [Content.text("no clock")] }],
          native: undefined
        }
      ]
    })
    expect(written).toEqual({
      messages: [
        {
          role: "user",
          content: "Look:\n[an image of type image/* that this API cannot carry in a result]",
          images: ["iVBO"]
        },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "call_1", type: "function", function: { name: "shop/now", arguments: {} } }]
        },
        { role: "tool", tool_name: "shop/now", tool_call_id: "call_1", content: "Error: no clock" }
      ]
    })
    expect(losses.map((loss) => loss.keyword)).toEqual(["image", "arguments"])
  })

  it("never throws, and writes again whatever it could read", () => {
    const message = FastCheck.oneof(
      FastCheck.constantFrom<unknown>(...body.messages),
      FastCheck.record({
        role: FastCheck.constantFrom("System", "user", "assistant", "tool"),
        content: FastCheck.oneof(FastCheck.string(), FastCheck.jsonValue()),
        images: FastCheck.jsonValue(),
        tool_calls: FastCheck.oneof(FastCheck.constant([call("now", "UTC")]), FastCheck.jsonValue())
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
