import { describe, expect, it } from "@effect/vitest"
import { Content, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { decodeError, decodeTurn, encodeResults, encodeTools, format } from "../Ollama.js"

const response = (message: object, more: object = {}) => ({
  model: "qwen3",
  created_at: "2025-11-01T10:00:00Z",
  message: { role: "assistant", content: "", ...message },
  done: true,
  done_reason: "stop",
  prompt_eval_count: 20,
  eval_count: 7,
  ...more
})
const decoded = (body: unknown) => Either.getOrThrow(decodeTurn(body))

describe("tools for Ollama", () => {
  it("are offered, and report what the server will not show to the model", () => {
    const inputSchema = {
      type: "object",
      properties: {
        status: { type: "string", minLength: 1 },
        tags: { type: "array", items: { type: "string", pattern: "^a" } }
      },
      additionalProperties: false
    }
    const { body, losses } = encodeTools([ToolDefinition.make({ name: "get orders", inputSchema })])
    expect(body).toEqual({ tools: [{ type: "function", function: { name: "get orders", parameters: inputSchema } }] })
    expect(losses.map((loss) => loss.path)).toEqual([
      ["properties", "status", "minLength"],
      ["properties", "tags", "items", "pattern"]
    ])
  })
})

describe("a response of Ollama's", () => {
  it("is read as thinking, text and calls, with ids made where there are none", () => {
    const message = {
      thinking: "Hm.",
      content: "Let me look.",
      tool_calls: [
        { function: { name: "now", arguments: { zone: "UTC" } } },
        { id: "call_b", function: { name: "now", arguments: {}, index: 1 } }
      ]
    }
    const turn = decoded(response(message))
    expect(turn.parts.map((part) => part._tag)).toEqual(["Reasoning", "Text", "Call", "Call"])
    expect(turn.parts.slice(2)).toMatchObject([
      { call: { id: "call_20251101T100000Z_0" }, nativeId: undefined },
      { call: { id: "call_b" }, nativeId: "call_b" }
    ])
    expect(turn).toMatchObject({
      model: "qwen3",
      finish: "calls",
      nativeFinish: "stop",
      usage: { input: 20, output: 7 },
      native: [{ role: "assistant", ...message }]
    })
  })

  it.each([
    [{}, "stop"],
    [{ done_reason: undefined }, "stop"],
    [{ done_reason: "length" }, "length"],
    [{ done_reason: "load" }, "other"],
    [{ done: false, done_reason: undefined }, "other"]
  ])("with %j ended by %s", (more, finish) => {
    expect(decoded(response({ content: "…" }, more)).finish).toBe(finish)
  })

  it.each([
    [1, []],
    [{ error: "model 'x' not found" }, ["error"]],
    [{ done: true }, ["message"]],
    [response({ content: [] }), ["message", "content"]],
    [response({ tool_calls: "none" }), ["message", "tool_calls"]],
    [response({ tool_calls: [1] }), ["message", "tool_calls", 0]],
    [response({ tool_calls: [{}] }), ["message", "tool_calls", 0, "function", "name"]]
  ])("says where %j is wrong", (body, path) => {
    expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).path).toEqual(path)
  })

  it("is told from others by its look", () => {
    expect(format.isFormatOf(response({}))).toBe(true)
    expect(format.isFormatOf({ message: { role: "assistant" }, finish_reason: "COMPLETE" })).toBe(false)
  })
})

describe("results for Ollama", () => {
  const tools = [
    { function: { name: "now", arguments: {} } },
    { id: "call_b", function: { name: "now", arguments: {} } }
  ]
  const turn = decoded(response({ tool_calls: tools }))

  it("name their tool, and their call where it has an id", () => {
    const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, 12))
    expect(encodeResults(turn, outcomes.toReversed())).toEqual({
      messages: [
        { role: "assistant", content: "", tool_calls: tools },
        { role: "tool", tool_name: "now", content: "12" },
        { role: "tool", tool_name: "now", tool_call_id: "call_b", content: "12" }
      ],
      pending: [],
      losses: []
    })
  })

  it("say in their text that they are errors, and note what cannot be carried", () => {
    const [first, second] = Turn.calls(turn)
    if (first === undefined || second === undefined) throw new Error("no calls")
    const { losses, messages } = encodeResults(turn, [
      Outcome.denial(first, "no"),
      Outcome.success(second, null, [Content.image("image/png", "iVBO")])
    ])
    expect(messages.slice(1)).toMatchObject([
      { content: expect.stringMatching(/^Error: /) },
      { content: expect.stringMatching(/^\[an image/) }
    ])
    expect(losses).toMatchObject([{ keyword: "image" }])
  })
})

describe("an error of Ollama's", () => {
  it.each([
    [400, '"llama2" does not support tools', "RequestRejected"],
    [404, "model 'x' not found", "RequestRejected"],
    [400, "the input length exceeds the context length", "ContextOverflow"],
    [500, "the request exceeds the available context size, try increasing it", "ContextOverflow"],
    [401, "unauthorized", "NotAuthorized"],
    [429, "too many requests", "RateLimited"],
    [503, "server busy, please try again. maximum pending requests exceeded", "ProviderUnavailable"]
  ])("of status %s with %j is %s", (status, error, tag) => {
    expect(decodeError({ status, body: { error } })).toMatchObject({ _tag: tag, status, detail: error })
  })
})
