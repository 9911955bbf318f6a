import { describe, expect, it } from "@effect/vitest"
import type { Json } from "@wield/core"
import { Content, Facts, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { decodeError, decodeTurn, encodeResults, encodeTools, format } from "../BedrockConverse.js"
import * as OpenAiChat from "../OpenAiChat.js"

const orders = ToolDefinition.make({
  name: "get_orders",
  description: "Orders of the customer",
  inputSchema: {
    type: "object",
    properties: { status: { type: "string", minLength: 1 } },
    required: ["status"],
    additionalProperties: false
  }
})
const now = ToolDefinition.make({ name: "now", description: "" })

const response = (content: ReadonlyArray<unknown>, stopReason = "end_turn", more: object = {}) => ({
  output: { message: { role: "assistant", content } },
  stopReason,
  usage: { inputTokens: 2, outputTokens: 5, totalTokens: 30, cacheReadInputTokens: 20, cacheWriteInputTokens: 3 },
  metrics: { latencyMs: 1 },
  ...more
})
const decoded = (body: unknown) => Either.getOrThrow(decodeTurn(body))

describe("tools for Converse", () => {
  it("are offered with their schema; an empty description, which the API refuses, is left out", () => {
    expect(encodeTools([orders, now])).toEqual({
      body: {
        toolConfig: {
          tools: [
            {
              toolSpec: {
                name: "get_orders",
                description: "Orders of the customer",
                inputSchema: { json: orders.inputSchema }
              }
            },
            { toolSpec: { name: "now", inputSchema: { json: now.inputSchema } } }
          ]
        }
      },
      losses: []
    })
    expect(encodeTools([], { choice: { _tag: "Required" }, isCached: true })).toEqual({ body: {}, losses: [] })
  })

  it.each([
    [undefined, undefined, []],
    [{ _tag: "Auto" }, { auto: {} }, []],
    [{ _tag: "Required" }, { any: {} }, []],
    [{ _tag: "None" }, undefined, ["None"]],
    [{ _tag: "OneOf", names: ["now"] }, { tool: { name: "now" } }, []],
    [{ _tag: "OneOf", names: ["now", "get_orders"] }, { any: {} }, ["OneOf"]],
    [{ _tag: "OneOf", names: [] }, undefined, ["OneOf"]]
  ] as const)("are chosen from by %j", (choice, sent, lost) => {
    const { body, losses } = encodeTools([orders, now], { choice })
    expect(body["toolConfig"]).toMatchObject(sent === undefined ? {} : { toolChoice: sent })
    expect(Object.keys(body["toolConfig"] ?? {})).toHaveLength(sent === undefined ? 1 : 2)
    expect(losses.map((loss) => loss.keyword)).toEqual(lost)
  })

  it("are held to their schemas, and end with a cache point", () => {
    const { body, losses } = encodeTools([orders], { isStrict: true, isCached: true, isParallel: false })
    expect(body).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { strict: true } }, { cachePoint: { type: "default" } }] }
    })
    expect(losses.map((loss) => loss.keyword)).toEqual(["minLength", "isParallel"])
  })

  it("are Nova's own where they are, and lost where they are another API's; so are examples", () => {
    const provided = (id: string) =>
      ToolDefinition.make({ name: "web", provider: { id, name: "nova_grounding", settings: {} } })
    expect(encodeTools([provided("amazon.nova_grounding")]).body).toEqual({
      toolConfig: { tools: [{ systemTool: { name: "nova_grounding" } }] }
    })
    expect(encodeTools([provided("openai.web_search")])).toMatchObject({ body: {}, losses: [{ keyword: "provider" }] })
    const shown = ToolDefinition.make({ name: "now", facts: Facts.make({ examples: [{ a: 1 }] }) })
    expect(encodeTools([shown]).losses).toMatchObject([{ keyword: "examples" }])
  })
})

describe("a response of Converse", () => {
  it("is read in the order of its blocks and kept as it is", () => {
    const content = [
      { reasoningContent: { reasoningText: { text: "Orders first.", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "ZW5j" } },
      { citationsContent: { content: [{ text: "As " }, { text: "stated." }], citations: [] } },
      { toolUse: { toolUseId: "t1", name: "nova_grounding", input: {}, type: "server_tool_use" } },
      { toolResult: { toolUseId: "t1", type: "nova_grounding_result", content: [] } },
      { text: "Let me look." },
      { toolUse: { toolUseId: "t2", name: "get_orders", input: { status: "open" }, type: "tool_use" } }
    ]
    const turn = decoded(response(content, "tool_use"))
    expect(turn.parts.map((part) => (part._tag === "Call" ? part.executedBy : part.text))).toEqual([
      "Orders first.",
      "",
      "As stated.",
      "provider",
      "Let me look.",
      "application"
    ])
    expect(turn).toMatchObject({ finish: "calls", native: [{ role: "assistant", content }] })
    expect(turn.usage).toEqual({ input: 25, output: 5, reasoning: undefined, cacheRead: 20, cacheWrite: 3 })
  })

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["guardrail_intervened", "filter"],
    ["content_filtered", "filter"],
    ["malformed_tool_use", "error"],
    ["something_new", "other"]
  ])("says %s in Wield's words: %s", (reason, finish) => {
    expect(decoded(response([{ text: "…" }], reason)).finish).toBe(finish)
  })

  it.each([
    [undefined, []],
    [{ message: "Too many requests" }, ["message"]],
    [{ output: {} }, ["output", "message"]],
    [{ output: { message: {} } }, ["output", "message", "content"]],
    [response([4]), ["output", "message", "content", 0]],
    [response([{ text: 1 }]), ["output", "message", "content", 0, "text"]],
    [response([{ toolUse: { name: "now" } }]), ["output", "message", "content", 0, "toolUse", "toolUseId"]],
    [response([{ toolUse: { toolUseId: "a" } }]), ["output", "message", "content", 0, "toolUse", "name"]]
  ])("says where %j is wrong", (body, path) => {
    expect(Either.flip(decodeTurn(body)).pipe(Either.getOrThrow).path).toEqual(path)
  })

  it("is told from others by its look", () => {
    expect(format.isFormatOf(response([]))).toBe(true)
    expect([{ output: [] }, { output: { message: "x" } }, null].map(format.isFormatOf)).toEqual([false, false, false])
  })
})

describe("results for Converse", () => {
  const turn = decoded(response([{ toolUse: { toolUseId: "tooluse_1", name: "now", input: {} } }], "tool_use"))
  const [call] = Turn.calls(turn)
  if (call === undefined) throw new Error("no call")
  const sent = (outcome: Outcome.Outcome) => {
    const { losses, messages } = encodeResults(turn, [outcome])
    return { result: messages[1], losses: losses.map((loss) => loss.keyword) }
  }
  const success = (value: Json.Json, content?: ReadonlyArray<Content.Part>) => Outcome.success(call, value, content)

  it.each([
    [{ hour: 12 }, { json: { hour: 12 } }],
    [[1], { text: "[1]" }],
    ["noon", { text: "noon" }],
    ["", { text: '""' }],
    [null, { text: "null" }]
  ])("carry %j", (value, block) => {
    expect(sent(success(value))).toEqual({
      result: {
        role: "user",
        content: [{ toolResult: { toolUseId: "tooluse_1", content: [block], status: "success" } }]
      },
      losses: []
    })
  })

  it("carry images, documents and video, and name documents apart from those of other calls", () => {
    const { result, losses } = sent(
      success(null, [
        Content.text("The page:"),
        Content.image("image/jpg", "/9j/"),
        Content.file("application/pdf; charset=binary", "JVBE", "a_b.pdf"),
        Content.file("video/mp4", "AAAA"),
        new Content.Image({ mediaType: "image/png", source: { _tag: "Url", url: "s3://bucket/a.png" } }),
        new Content.Image({ mediaType: "image/png", source: { _tag: "Url", url: "https://example.com/a.png" } }),
        Content.file("audio/mpeg", "AAAA")
      ])
    )
    expect(result).toMatchObject({
      content: [
        {
          toolResult: {
            content: [
              { text: "The page:" },
              { image: { format: "jpeg", source: { bytes: "/9j/" } } },
              { document: { format: "pdf", name: "a-b-pdf [tooluse-1]", source: { bytes: "JVBE" } } },
              { video: { format: "mp4", source: { bytes: "AAAA" } } },
              { image: { format: "png", source: { s3Location: { uri: "s3://bucket/a.png" } } } },
              { text: "[an image of type image/png that this API cannot carry in a result]" },
              { text: "[a file of type audio/mpeg that this API cannot carry in a result]" }
            ]
          }
        }
      ]
    })
    expect(losses).toEqual(["image", "file"])
  })

  it("say that they are errors, as text", () => {
    const failure = Outcome.failure(call, { code: 7 })
    expect(sent(failure).result).toMatchObject({
      content: [{ toolResult: { content: [{ text: '{"code":7}' }], status: "error" } }]
    })
  })

  it("follow a turn of another API that is re-encoded", () => {
    const message = {
      role: "assistant",
      content: "Let me look.",
      tool_calls: [{ id: "call|1", type: "function", function: { name: "now", arguments: "{}" } }]
    }
    const other = Either.getOrThrow(OpenAiChat.decodeTurn({ choices: [{ message, finish_reason: "tool_calls" }] }))
    const outcomes = Turn.calls(other).map((each) => Outcome.denial(each, "no"))
    const { messages } = encodeResults(other, outcomes)
    const [id] = /call_1_[0-9a-f]{8}/.exec(JSON.stringify(messages)) ?? []
    expect(messages).toMatchObject([
      {
        role: "assistant",
        content: [{ text: "Let me look." }, { toolUse: { toolUseId: id, name: "now", input: {} } }]
      },
      { role: "user", content: [{ toolResult: { toolUseId: id, status: "error" } }] }
    ])
  })
})

describe("an error of Bedrock's", () => {
  it.each([
    [429, "ThrottlingException:http://internal.amazon.com/", "Too many requests", "RateLimited"],
    [429, "ThrottlingException", "Too many tokens per day, please wait before trying again.", "QuotaExceeded"],
    [429, "ModelNotReadyException", "The model is not ready", "ProviderUnavailable"],
    [400, "ValidationException", "Input is too long for requested model.", "ContextOverflow"],
    [400, "ValidationException", "prompt is too long: 210000 tokens > 200000 maximum", "ContextOverflow"],
    [400, "ValidationException", "messages.0.content: Field required", "RequestRejected"],
    [400, "ServiceQuotaExceededException", "…", "QuotaExceeded"],
    [403, "AccessDeniedException", "…", "NotAuthorized"],
    [403, "UnrecognizedClientException", "…", "NotAuthorized"],
    [404, "ResourceNotFoundException", "…", "RequestRejected"],
    [408, "ModelTimeoutException", "…", "ProviderUnavailable"],
    [424, "ModelErrorException", "…", "ProviderUnavailable"],
    [503, "ServiceUnavailableException", "…", "ProviderUnavailable"],
    [500, undefined, "…", "ProviderUnavailable"],
    [403, undefined, "…", "NotAuthorized"],
    [400, undefined, "The model returned the following errors: Input is too long", "ContextOverflow"]
  ])("of status %s named %s with %j is %s", (status, name, message, tag) => {
    const error = decodeError({ status, headers: { "x-amzn-errortype": name }, body: { message } })
    expect(error).toMatchObject({ _tag: tag, status, detail: message })
  })

  it("is named in the body where no header names it, and may be no JSON", () => {
    const body = { __type: "com.amazon.coral.availability#ThrottlingException", Message: "slow down" }
    expect(decodeError({ status: 400, headers: { "retry-after": "3" }, body })).toMatchObject({
      _tag: "RateLimited",
      code: "ThrottlingException",
      retryAfter: 3000
    })
    expect(decodeError({ status: 502, body: "<html>" })).toMatchObject({
      _tag: "ProviderUnavailable",
      detail: "<html>"
    })
    expect(decodeError({ status: 418, body: undefined })).toMatchObject({ _tag: "RequestRejected" })
  })
})
