import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Content, Facts, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { decodeError, decodeTurn, encodeResults, encodeTools, format } from "../CohereV2.js"

const now = ToolDefinition.make({ name: "now" })

const response = (message: object, finish = "COMPLETE") => ({
  id: "c1",
  message: { role: "assistant", ...message },
  finish_reason: finish,
  usage: {
    billed_units: { input_tokens: 5, output_tokens: 3 },
    tokens: { input_tokens: 100, output_tokens: 10 },
    cached_tokens: 64
  }
})
const called = { id: "now_1", type: "function", function: { name: "now", arguments: '{"a":1}' } }
const decoded = (body: unknown) => Either.getOrThrow(decodeTurn(body))

describe("tools for Cohere", () => {
  it.each([
    [undefined, undefined, []],
    [{ _tag: "Auto" }, undefined, []],
    [{ _tag: "None" }, "NONE", []],
    [{ _tag: "Required" }, "REQUIRED", []],
    [{ _tag: "OneOf", names: ["now"] }, "REQUIRED", ["OneOf"]],
    [{ _tag: "OneOf", names: [] }, "NONE", ["OneOf"]]
  ] as const)("are chosen from by %j", (choice, sent, lost) => {
    const { body, losses } = encodeTools([now], { choice })
    expect(body["tool_choice"]).toBe(sent)
    expect(losses.map((loss) => loss.keyword)).toEqual(lost)
    expect(encodeTools([], { choice, isStrict: true }).body).toEqual({})
  })

  it("are named as Cohere demands, and lose what its API does not know", () => {
    const definitions = [
      ToolDefinition.make({ name: "get-orders", facts: Facts.make({ examples: [{ a: 1 }] }) }),
      ToolDefinition.make({ name: "web", provider: { id: "openai.web_search", name: "web_search", settings: {} } })
    ]
    const { body, losses } = encodeTools(definitions, { isStrict: true, isParallel: false })
    expect(body).toMatchObject({
      tools: [{ type: "function", function: { name: expect.stringMatching(/^get_orders_[0-9a-f]{8}$/) } }],
      strict_tools: true
    })
    expect(losses.map((loss) => loss.keyword)).toEqual(["examples", "provider", "isParallel"])
  })

  it("are described in what strict mode enforces where it is asked for, and whole where it is not", () => {
    const inputSchema = {
      type: "object",
      properties: { city: { $ref: "#/$defs/City" } },
      required: ["city"],
      $defs: { City: { type: "string", minLength: 2 } }
    }
    const definition = ToolDefinition.make({ name: "get_weather", inputSchema })
    const parametersOf = (isStrict: boolean) => {
      const { body, losses } = encodeTools([definition], { isStrict })
      return { body, keywords: losses.map((loss) => loss.keyword) }
    }
    expect(parametersOf(true)).toMatchObject({
      body: {
        tools: [
          {
            function: {
              parameters: {
                type: "object",
                properties: { city: { type: "string", description: '{"minLength":2}' } },
                required: ["city"]
              }
            }
          }
        ]
      },
      keywords: ["minLength"]
    })
    expect(parametersOf(false)).toMatchObject({
      body: { tools: [{ function: { parameters: inputSchema } }] },
      keywords: []
    })
  })
})

describe("a response of Cohere's", () => {
  it("is read as plan, thinking, text and calls, with its citations kept", () => {
    const message = {
      tool_plan: "I will look.",
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "Let me look." }
      ],
      tool_calls: [called],
      citations: [{ start: 0, end: 3, text: "Let" }]
    }
    const turn = decoded(response(message, "TOOL_CALL"))
    expect(turn.parts.map((part) => part._tag)).toEqual(["Reasoning", "Reasoning", "Text", "Call"])
    expect(Turn.calls(turn)).toEqual([{ id: "now_1", name: "now", arguments: '{"a":1}' }])
    expect(turn).toMatchObject({
      id: "c1",
      finish: "calls",
      usage: { input: 100, output: 10, cacheRead: 64 },
      native: [{ role: "assistant", ...message }]
    })
  })

  it.each([
    ["COMPLETE", "stop"],
    ["STOP_SEQUENCE", "stop"],
    ["MAX_TOKENS", "length"],
    ["ERROR", "error"],
    ["TIMEOUT", "error"],
    ["ERROR_TOXIC", "filter"],
    ["SOMETHING", "other"]
  ])("says %s in Wield's words: %s", (reason, finish) => {
    expect(decoded(response({ content: "…" }, reason)).finish).toBe(finish)
  })

  it.each([
    [null, []],
    [{ message: "invalid api token" }, ["message"]],
    [response({ content: 1 }), ["message", "content"]],
    [response({ content: [1] }), ["message", "content", 0]],
    [response({ tool_calls: "none" }), ["message", "tool_calls"]],
    [response({ tool_calls: [1] }), ["message", "tool_calls", 0]],
    [response({ tool_calls: [{}] }), ["message", "tool_calls", 0, "id"]],
    [response({ tool_calls: [{ id: "a" }] }), ["message", "tool_calls", 0, "function", "name"]]
  ])("says where %j is wrong", (body, path) => {
    expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).path).toEqual(path)
  })

  it.each(["null", null, undefined])("reads the arguments %j of a call as none", (args) => {
    const tool_calls = [{ id: "now_1", type: "function", function: { name: "now", arguments: args } }]
    const turn = decoded(response({ role: "assistant", tool_calls }, "TOOL_CALL"))
    expect(Turn.calls(turn)).toEqual([{ id: "now_1", name: "now", arguments: {} }])
    expect(turn.native).toMatchObject([{ tool_calls }])
  })

  it("leaves no message where it is empty, and is told from Ollama's by its look", () => {
    expect(decoded(response({ content: [] })).native).toEqual([])
    expect(format.isFormatOf(response({}))).toBe(true)
    expect(format.isFormatOf({ message: { role: "assistant", content: "" }, done: true })).toBe(false)
  })
})

describe("results for Cohere", () => {
  const turn = decoded(response({ tool_calls: [called] }, "TOOL_CALL"))
  const [call] = Turn.calls(turn)
  if (call === undefined) throw new Error("no call")
  const content = (outcome: Outcome.Outcome) => {
    const message = encodeResults(turn, [outcome]).messages[1]
    return typeof message === "object" && message !== null && "content" in message ? message.content : undefined
  }
  const success = (value: Json.Json, parts?: ReadonlyArray<Content.Part>) => Outcome.success(call, value, parts)
  const document = (data: object) => ({ type: "document", document: { data } })

  it.each([
    [{ hour: 12 }, [document({ hour: 12 })]],
    [
      [{ a: 1 }, { a: 2 }],
      [document({ a: 1 }), document({ a: 2 })]
    ],
    [[1], "[1]"],
    ["noon", "noon"],
    [null, "null"]
  ])("carry %j", (value, sent) => {
    expect(content(success(value))).toEqual(sent)
  })

  it("carry several parts, and a note for an image", () => {
    const parts = [Content.text("See:"), Content.json({ a: 1 }), Content.image("image/png", "iVBO")]
    expect(content(success(null, parts))).toEqual([
      { type: "text", text: "See:" },
      document({ a: 1 }),
      { type: "text", text: "[an image of type image/png that this API cannot carry in a result]" }
    ])
    expect(encodeResults(turn, [success(null, parts)]).losses).toMatchObject([{ keyword: "image" }])
  })

  it("say in their text that they are errors", () => {
    expect(content(Outcome.failure(call, { code: 7 }))).toBe('{"error":{"code":7}}')
    expect(content(Outcome.denial(call, "no"))).toMatch(/^Error: /)
  })
})

describe("an error of Cohere's", () => {
  it.each([
    [400, "too many tokens: size limit exceeded by 11326 tokens.", "ContextOverflow"],
    [400, "too many tokens: max tokens must be less than or equal to 4096", "RequestRejected"],
    [401, "invalid api token", "NotAuthorized"],
    [402, "Please add or update your payment method", "QuotaExceeded"],
    [404, "model 'x' not found", "RequestRejected"],
    [429, "You are using a Trial key, which is limited to 40 API calls / minute.", "RateLimited"],
    [429, "You are using a Trial key, which is limited to 1000 API calls / month.", "QuotaExceeded"],
    [498, "invalid token", "NotAuthorized"],
    [500, "internal server error", "ProviderUnavailable"]
  ])("of status %s with %j is %s", (status, message, tag) => {
    expect(decodeError({ status, body: { message } })).toMatchObject({ _tag: tag, status, detail: message })
  })
})
