import { describe, expect, it } from "@effect/vitest"
import type { Message } from "@wield/core"
import { Content, ToolCall, ToolDefinition } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { mutated } from "../../test/mutated.js"
import { withoutNative } from "../../test/request.js"
import * as Anthropic from "../Anthropic.js"
import * as Gemini from "../Gemini.js"
import type { Request } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const decode = (body: unknown): Request => Either.getOrThrow(Gemini.decodeRequest(body))

const body = {
  systemInstruction: { role: "user", parts: [{ text: "Be brief." }, { text: "Be kind." }] },
  generationConfig: { temperature: 0, thinkingConfig: { includeThoughts: true } },
  cachedContent: "cachedContents/1",
  tools: [
    {
      functionDeclarations: [
        { name: "get_orders", description: "Orders", parametersJsonSchema: { type: "object" } },
        { name: "now", parameters: { type: "OBJECT", properties: { zone: { type: "STRING", nullable: true } } } }
      ]
    },
    { googleSearch: { excludeDomains: ["example.com"] } }
  ],
  toolConfig: {
    functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["now"] },
    includeServerSideToolInvocations: true
  },
  contents: [
    {
      role: "user",
      parts: [
        { text: "Hello" },
        { inlineData: { mimeType: "image/png", data: "iV_ORw-KGgo=" } },
        { fileData: { mimeType: "application/pdf", fileUri: "gs://bucket/a.pdf" }, videoMetadata: { fps: 1 } }
      ]
    },
    {
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { functionCall: { name: "now", args: { zone: "UTC" } }, thoughtSignature: "c2ln" },
        { functionCall: { name: "now", args: {} } },
        { functionCall: { name: "get_orders", id: "fc1", args: {} } },
        { text: "", thoughtSignature: "c2ln" }
      ]
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "get_orders", id: "fc1", response: { error: "none" } } },
        { functionResponse: { name: "now", response: { hour: 12 } } },
        {
          functionResponse: {
            name: "now",
            response: { output: "13:00" },
            parts: [{ inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }]
          }
        },
        { text: "And now?" }
      ]
    },
    {
      role: "model",
      parts: [{ executableCode: { language: "PYTHON", code: "1" } }, { codeExecutionResult: {} }, { text: "Two." }]
    }
  ]
}

it("puts a body back as it stood", () => {
  expect(Gemini.encodeRequest(decode(body))).toEqual({ body, losses: [] })
})

it.each([
  { contents: [], tools: [], toolConfig: { functionCallingConfig: { mode: "AUTO" } } },
  { contents: [], tools: null, toolConfig: null, systemInstruction: null },
  { contents: [{ parts: [{ text: "Hi" }] }], system_instruction: { parts: [{ text: "Be brief." }] } },
  {
    contents: [
      { role: "model", parts: [{ function_call: { name: "now", args: {} }, thought_signature: "c2ln" }] },
      { role: "user", parts: [{ function_response: { name: "now", response: { output: 1 } } }] },
      { role: "user", parts: [{ inline_data: { mime_type: "image/png", data: "AA==" } }] }
    ],
    tools: [
      { google_search: {} },
      { function_declarations: [{ name: "now", parameters_json_schema: { type: "object" } }] },
      { functionDeclarations: [] }
    ],
    tool_config: { function_calling_config: { mode: "VALIDATED" } }
  },
  {
    system_instruction: { parts: { text: "Be brief." } },
    contents: { role: "user", parts: { text: "Hi" } },
    tools: { function_declarations: { name: "now" }, google_search: {} }
  }
])("puts back other spellings, and what says nothing here (%#)", (given) => {
  expect(Gemini.encodeRequest(decode(given)).body).toEqual(given)
})

const foreign: ReadonlySet<string> = new Set(["args", "response", "googleSearch"])

/** Each key of the API as its protocol buffers spell it; what is handed through (arguments, results, settings of a tool) stays. */
const inSnakeCase = (value: unknown, key = ""): unknown => {
  if (Array.isArray(value)) return value.map((item) => inSnakeCase(item))
  if (typeof value !== "object" || value === null || foreign.has(key)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      inSnakeCase(inner, name)
    ])
  )
}

it("reads every key in snake case", () => {
  const spelled = inSnakeCase(body)
  expect(Gemini.encodeRequest(decode(spelled)).body).toEqual(spelled)
  const inWords = (given: unknown) => {
    const { definitions, messages, options } = withoutNative(decode(given))
    const withoutKept = messages.map((message) =>
      message._tag === "Assistant"
        ? { ...message, parts: message.parts.map((part) => ({ ...part, native: undefined })) }
        : message
    )
    return { definitions, options, messages: withoutKept }
  }
  expect(inWords(spelled)).toEqual(inWords(body))
})

it("reads one message where the API has a list of them", () => {
  const request = decode({
    contents: [
      { role: "user", parts: { text: "Hi" } },
      { role: "model", parts: { functionCall: { name: "now", args: {} } } },
      { role: "user", parts: { functionResponse: { name: "now", response: { output: 1 } } } }
    ],
    tools: { functionDeclarations: { name: "now" } },
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: "now" } }
  })
  expect(request.messages.map(({ _tag }) => _tag)).toEqual(["User", "Assistant", "Results"])
  expect(request.messages[2]).toMatchObject({ results: [{ id: "call_0", structured: 1 }] })
  expect(request.definitions.map(({ name }) => name)).toEqual(["now"])
  expect(request.options).toEqual({ choice: { _tag: "OneOf", names: ["now"] } })
})

it("sends the list where something was added to a single content", () => {
  const request = decode({ contents: { role: "user", parts: [{ text: "Hi" }] } })
  const more: Message.Message = { _tag: "User", content: [Content.text("Well?")], native: undefined }
  expect(Gemini.encodeRequest({ ...request, messages: [...request.messages, more] }).body).toEqual({
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "user", parts: [{ text: "Well?" }] }
    ]
  })
})

describe("what a body says", () => {
  const request = decode(body)

  it("are messages in their order, results before what the user adds to them", () => {
    expect(request.messages.map((message) => message._tag)).toEqual([
      "System",
      "User",
      "Assistant",
      "Results",
      "User",
      "Assistant"
    ])
    expect(request.messages[1]).toMatchObject({
      content: [
        Content.text("Hello"),
        { _tag: "Image", source: { data: "iV/ORw+KGgo=" } },
        { _tag: "File", mediaType: "application/pdf", source: { url: "gs://bucket/a.pdf" } }
      ]
    })
    expect(request.messages[2]).toMatchObject({
      parts: [
        { _tag: "Reasoning" },
        { call: { id: "call_0", arguments: { zone: "UTC" } }, nativeId: undefined },
        { call: { id: "call_1" } },
        { call: { id: "fc1" }, nativeId: "fc1" }
      ]
    })
    expect(request.messages[3]).toMatchObject({
      results: [
        { id: "fc1", name: "get_orders", isError: true, content: [Content.text("none")] },
        { id: "call_0", name: "now", isError: false, structured: { hour: 12 } },
        { id: "call_1", content: [Content.text("13:00"), { _tag: "Image" }] }
      ]
    })
    expect(request.messages[4]).toMatchObject({ content: [Content.text("And now?")], native: { json: [] } })
  })

  it("are definitions and options, with schemas as JSON Schema", () => {
    expect(request.definitions).toMatchObject([
      { name: "get_orders", inputSchema: { type: "object" }, native: { json: { name: "get_orders" } } },
      { name: "now", inputSchema: { type: "object", properties: { zone: { type: ["string", "null"] } } } },
      { name: "googleSearch", provider: { id: "google.googleSearch", settings: { excludeDomains: ["example.com"] } } }
    ])
    expect(request.options).toEqual({ choice: { _tag: "OneOf", names: ["now"] } })
    expect(Object.keys(request.settings?.json ?? {})).toEqual(["generationConfig", "cachedContent"])
  })

  it("are losses where it has no words here", () => {
    expect(request.losses.map(({ keyword, path, subject }) => [subject, ...path, keyword].join(" "))).toEqual([
      "content 0 parts 2 videoMetadata",
      "content 3 parts 1 codeExecutionResult"
    ])
  })
})

const skip = Buffer.from("skip_thought_signature_validator").toString("base64")

it("says a conversation anew, with every call and its result", () => {
  const encoded = Gemini.encodeRequest(withoutNative(decode(body)))
  expect(encoded.body["contents"]).toMatchObject([
    { role: "user", parts: [{ text: "Hello" }, { inlineData: {} }, { fileData: { fileUri: "gs://bucket/a.pdf" } }] },
    {
      role: "model",
      parts: [
        { text: "Hm.", thought: true },
        { functionCall: { name: "now", args: { zone: "UTC" } }, thoughtSignature: skip },
        { functionCall: { name: "now" } },
        { functionCall: { name: "get_orders", id: "fc1" } }
      ]
    },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "get_orders", id: "fc1", response: { error: "none" } } },
        { functionResponse: { name: "now", response: { hour: 12 } } },
        { functionResponse: { name: "now", response: { output: ["13:00", expect.stringContaining("File 1")] } } }
      ]
    },
    { role: "user", parts: [{ text: "File 1, from the result of now:" }, { inlineData: { mimeType: "image/png" } }] },
    { role: "user", parts: [{ text: "And now?" }] },
    { role: "model", parts: [{ executableCode: { code: "1" } }, { codeExecutionResult: {} }, { text: "Two." }] }
  ])
  expect(encoded.body["toolConfig"]).toEqual(body.toolConfig)
  expect(encoded.losses).toEqual([])
})

it("takes a conversation of Anthropic's, and gives it back", () => {
  const messages = [
    { role: "user", content: "What time is it?" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "now", input: { zone: "UTC" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "12:00" }] }
  ]
  const request = Either.getOrThrow(Anthropic.decodeRequest({ system: "Be brief.", max_tokens: 9, messages }))
  const { body: made, losses } = Gemini.encodeRequest(request)
  expect(made).toEqual({
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      { role: "user", parts: [{ text: "What time is it?" }] },
      {
        role: "model",
        parts: [{ functionCall: { id: "toolu_1", name: "now", args: { zone: "UTC" } }, thoughtSignature: skip }]
      },
      { role: "user", parts: [{ functionResponse: { id: "toolu_1", name: "now", response: { output: "12:00" } } }] }
    ]
  })
  expect(losses).toMatchObject([{ keyword: "max_tokens" }])
  const again = Anthropic.encodeRequest(decode(made)).body
  expect(again["messages"]).toEqual([
    { role: "user", content: [{ type: "text", text: "What time is it?" }] },
    messages[1],
    messages[2]
  ])
})

it("leaves out calls that were never answered, and results of no call", () => {
  const call = (id: string) => ({
    _tag: "Call" as const,
    call: ToolCall.make(id, "now", '{"a":'),
    executedBy: "application" as const,
    nativeName: "now",
    nativeId: id
  })
  const results: Message.Message = {
    _tag: "Results",
    results: ["b", "never"].map((id) => ({ id, name: "now", isError: false, content: [Content.json(1)] })),
    native: undefined
  }
  const { body: made, losses } = Gemini.encodeRequest({
    messages: [
      { _tag: "Assistant", parts: [call("a"), call("b")], native: undefined },
      results,
      { _tag: "User", content: [Content.text("Hm")], native: undefined }
    ],
    definitions: [ToolDefinition.make({ name: "now" })],
    options: {},
    settings: undefined,
    losses: []
  })
  expect(made["contents"]).toMatchObject([
    { parts: [{ functionCall: { id: "b", args: { invalid_json: '{"a":' } } }] },
    { parts: [{ functionResponse: { id: "b", response: { output: 1 } } }] },
    {}
  ])
  expect(losses.map((loss) => loss.keyword)).toEqual(["call", "result"])
})

it("carries a result of any depth whole", () => {
  const text = `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`
  const results: Message.Message = {
    _tag: "Results",
    results: [{ id: "a", name: "now", isError: false, content: [Content.json(JSON.parse(text))] }],
    native: undefined
  }
  const part = {
    _tag: "Call" as const,
    call: ToolCall.make("a", "now", JSON.parse(text)),
    executedBy: "application" as const,
    nativeName: "now",
    nativeId: "a"
  }
  const { body: made } = Gemini.encodeRequest({
    messages: [{ _tag: "Assistant", parts: [part], native: undefined }, results],
    definitions: [],
    options: {},
    settings: undefined,
    losses: []
  })
  const sent = JSON.stringify(made)
  expect(sent.split(text.slice(1, -1))).toHaveLength(3)
})

it("puts back any body that it reads, and throws at none", () => {
  FastCheck.assert(
    FastCheck.property(mutated(body), (given) => {
      const request = Gemini.decodeRequest(given)
      if (Either.isLeft(request)) return
      expect(Gemini.encodeRequest(request.right).body).toEqual(given)
      Gemini.encodeRequest(withoutNative(request.right))
    }),
    { numRuns: runs(500) }
  )
})
