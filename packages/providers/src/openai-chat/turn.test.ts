import { expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as OpenAiChat from "../OpenAiChat.js"
import type { Offered } from "../WireFormat.js"

const body = (message: object, finish: string | null = "stop", rest: object = {}) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "gpt-4.1",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  ...rest
})

const turnOf = (message: object, finish: string | null = "stop", rest: object = {}, offered?: Offered) =>
  Either.getOrThrow(OpenAiChat.decodeTurn(body(message, finish, rest), offered))

const call = (id: unknown, name: string, args: unknown) => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

it("reads text, usage, id and model, and keeps the message verbatim", () => {
  const sent = body({ content: "Hello.", refusal: null, annotations: [] }, "stop", {
    usage: {
      prompt_tokens: 20,
      completion_tokens: 8,
      total_tokens: 28,
      prompt_tokens_details: { cached_tokens: 16 },
      completion_tokens_details: { reasoning_tokens: 5 }
    }
  })
  expect(Either.getOrThrow(OpenAiChat.decodeTurn(sent))).toStrictEqual({
    format: "openai-chat",
    id: "chatcmpl-1",
    model: "gpt-4.1",
    parts: [{ _tag: "Text", text: "Hello." }],
    usage: { input: 20, output: 8, reasoning: 5, cacheRead: 16, cacheWrite: undefined },
    finish: "stop",
    nativeFinish: "stop",
    native: [sent.choices[0]?.message],
    isComplete: true
  })
})

it("reads parallel calls with their argument text as it was sent, broken or not", () => {
  const turn = turnOf(
    { content: null, tool_calls: [call("a", "one", '{"x": 1}'), call("b", "two", '{"x":')] },
    "tool_calls"
  )
  expect(Turn.calls(turn)).toStrictEqual([
    { id: "a", name: "one", arguments: '{"x": 1}' },
    { id: "b", name: "two", arguments: '{"x":' }
  ])
  expect(turn.finish).toBe("calls")
})

it("makes ids that are missing or empty of the response's id, the same each time", () => {
  const message = {
    tool_calls: [
      call("call_1", "one", "{}"),
      call("", "two", "{}"),
      call(undefined, "three", "{}"),
      call(7, "four", "{}")
    ]
  }
  const parts = turnOf(message).parts.filter((part) => part._tag === "Call")
  expect(parts.map((part) => [part.call.id, part.nativeId])).toStrictEqual([
    ["call_1", "call_1"],
    ["call_chatcmpl-1_1", undefined],
    ["call_chatcmpl-1_2", undefined],
    ["call_chatcmpl-1_3", undefined]
  ])
  expect(turnOf(message)).toStrictEqual(turnOf(message))
})

it("makes ids of 40 characters at most, which is all that OpenAI takes back", () => {
  const made = (id: string) =>
    Turn.calls(turnOf({ tool_calls: [call("", "one", "{}")] }, "stop", { id })).map((each) => each.id)
  const long = "chatcmpl-8e243c57-23b3-9db2-a02e-e3c53929c368"
  expect(made(long)[0]).toMatch(/^call_[0-9a-f]{16}$/)
  expect(made(long)).not.toEqual(made(`${long}9`))
})

it("keeps an id that the server repeats, since the calls may be one call sent twice", () => {
  const parts = turnOf({ tool_calls: [call("x", "one", "{}"), call("x", "one", "{}")] }).parts
  expect(parts).toMatchObject([
    { call: { id: "x" }, nativeId: "x" },
    { call: { id: "x" }, nativeId: "x" }
  ])
})

it("takes arguments that are absent (OpenRouter) or an object as values", () => {
  const turn = turnOf({
    tool_calls: [{ id: "a", type: "function", function: { name: "f" } }, call("b", "f", { x: 1 })]
  })
  expect(Turn.calls(turn).map((made) => made.arguments)).toStrictEqual([{}, { x: 1 }])
})

it("reads a custom tool's input as an argument, and not the empty one that Snowflake adds", () => {
  const turn = turnOf({
    tool_calls: [
      { id: "a", type: "custom", custom: { name: "sql", input: "select 1" } },
      { ...call("b", "f", "{}"), custom: { name: "", input: "" } }
    ]
  })
  expect(Turn.calls(turn)).toStrictEqual([
    { id: "a", name: "sql", arguments: { input: "select 1" } },
    { id: "b", name: "f", arguments: "{}" }
  ])
})

it("reads the function_call of the API's first years, unless it is Snowflake's empty one", () => {
  const turn = turnOf({ content: null, function_call: { name: "f", arguments: "{}" } }, "function_call")
  expect(turn.parts).toMatchObject([
    { call: { id: "call_chatcmpl-1_0", name: "f", arguments: "{}" }, nativeId: undefined }
  ])
  expect(turn.finish).toBe("calls")
  expect(turnOf({ content: "Hi", function_call: { name: "", arguments: "" } }, "").finish).toBe("stop")
})

it("keeps a call without a name, since it must have a result", () => {
  expect(Turn.calls(turnOf({ tool_calls: [{ id: "a", type: "function" }] }))).toStrictEqual([
    { id: "a", name: "", arguments: {} }
  ])
})

it.each([
  [{ reasoning_content: "Hm.", reasoning: "Hm." }, "Hm."],
  [{ reasoning: "Hm." }, "Hm."],
  [
    {
      reasoning_details: [
        { type: "reasoning.text", text: "H" },
        { type: "reasoning.summary", summary: "m." }
      ]
    },
    "Hm."
  ],
  [{ reasoning: null, reasoning_details: [{ type: "reasoning.encrypted", data: "gAAA" }] }, ""]
])("reads reasoning from %j", (message, text) => {
  expect(turnOf({ ...message, content: "Yes." }).parts).toMatchObject([
    { _tag: "Reasoning", text },
    { _tag: "Text", text: "Yes." }
  ])
})

it("reads content in parts, and a transcript in place of content", () => {
  expect(
    turnOf({ content: [{ type: "text", text: "A" }, "B", { type: "refusal", refusal: "No" }, null, 3] }).parts
  ).toEqual([
    { _tag: "Text", text: "A" },
    { _tag: "Text", text: "B" },
    { _tag: "Refusal", text: "No" }
  ])
  expect(turnOf({ content: [{ type: "thinking", thinking: [{ type: "text", text: "T" }] }] }).parts).toEqual([
    {
      _tag: "Reasoning",
      text: "T",
      native: {
        format: "openai-chat",
        json: [{ type: "thinking", thinking: [{ type: "text", text: "T" }] }]
      }
    }
  ])
  expect(Turn.text(turnOf({ content: null, audio: { id: "a", transcript: "Spoken" } }))).toBe("Spoken")
})

it("reads a refusal", () => {
  expect(turnOf({ content: null, refusal: "I will not." }).parts).toEqual([{ _tag: "Refusal", text: "I will not." }])
})

it("shows what Groq's compound systems ran as run by the provider", () => {
  const turn = turnOf({ content: "42", executed_tools: [{ index: 0, type: "python", arguments: '{"code":"6*7"}' }] })
  expect(turn.parts[0]).toMatchObject({ call: { name: "python" }, executedBy: "provider" })
  expect(turn.finish).toBe("stop")
})

it.each([
  ["stop", [call("a", "f", "{}")], "calls"],
  ["tool_calls", [], "stop"],
  ["length", [call("a", "f", '{"x')], "length"],
  ["content_filter", [], "filter"],
  ["", [], "stop"],
  [null, [call("a", "f", "{}")], "calls"],
  ["eos", [], "stop"],
  ["MAX_TOKENS", [], "length"],
  ["insufficient_system_resource", [], "error"],
  ["never_heard_of", [], "other"]
])("understands the finish reason %j with the calls %j as %s", (word, calls, finish) => {
  expect(turnOf({ content: "", tool_calls: calls }, word).finish).toBe(finish)
})

it.each([
  [
    { prompt_tokens: 32, completion_tokens: 9, cached_tokens: 30 },
    { input: 32, output: 9, cacheRead: 30 }
  ],
  [
    { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, prompt_tokens_details: { cached_tokens: 100 } },
    { input: 103, output: 2, cacheRead: 100 }
  ]
])("counts cached tokens of %j among the input, wherever a server counts them", (usage, counts) => {
  expect(turnOf({ content: "Hi" }, "stop", { usage }).usage).toMatchObject(counts)
})

it("counts reasoning as output where the server leaves it out of the count but not of the total", () => {
  const usage = { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 }
  expect(turnOf({ content: "" }, "stop", { usage }).usage.output).toBe(74)
  const xai = { ...usage, completion_tokens_details: { reasoning_tokens: 62 } }
  expect(turnOf({ content: "" }, "stop", { usage: xai }).usage).toMatchObject({ output: 74, reasoning: 62 })
})

it("maps a name back that the API would have refused", () => {
  const definitions = [ToolDefinition.make({ name: "orders/get all" })]
  const { body } = OpenAiChat.encodeTools(definitions)
  const native = JSON.parse(JSON.stringify(body)).tools[0].function.name
  expect(native).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  const turn = turnOf({ tool_calls: [call("a", native, "{}")] }, "tool_calls", {}, { definitions })
  expect(turn.parts).toMatchObject([{ call: { name: "orders/get all" }, nativeName: native }])
})

it("takes away the null of an absent optional parameter of a tool offered in strict mode, and no other", () => {
  const definitions = [
    ToolDefinition.make({
      name: "find",
      inputSchema: {
        type: "object",
        properties: { text: { type: "string" }, limit: { type: "number" }, after: { type: ["string", "null"] } },
        required: ["text"]
      }
    })
  ]
  const strict = { definitions, isStrict: true }
  const argumentsOf = (text: string, offered: Offered) =>
    Turn.calls(turnOf({ tool_calls: [call("a", "find", text)] }, "tool_calls", {}, offered))[0]?.arguments
  const text = '{"text":null,"limit":null,"after":null}'
  expect(argumentsOf(text, strict)).toStrictEqual({ text: null, after: null })
  expect(argumentsOf(text, { definitions })).toBe(text)
  expect(argumentsOf('{"text":"a null","limit":1}', strict)).toBe('{"text":"a null","limit":1}')
  expect(argumentsOf('{"limit":null', strict)).toBe('{"limit":null')
})

it.each([
  [undefined, [], "an object with choices"],
  [[], [], "an object with choices"],
  [{}, ["choices"], "an array of choices"],
  [{ choices: [] }, ["choices", 0], "a choice"],
  [{ choices: [], error: { message: "busy" } }, ["error"], "a choice"],
  [{ choices: [{ message: null }] }, ["choices", 0, "message"], "a message"],
  [{ choices: [{ message: { tool_calls: "no" } }] }, ["choices", 0, "message", "tool_calls"], "an array of calls"],
  [{ choices: [{ message: { tool_calls: [4] } }] }, ["choices", 0, "message", "tool_calls", 0], "a call"]
])("refuses %j and says where", (sent, path, expected) => {
  expect(OpenAiChat.decodeTurn(sent)).toMatchObject({ left: { format: "openai-chat", path, expected } })
})

it("tells an API's error from a malformed response", () => {
  const error = { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" }
  expect(OpenAiChat.decodeTurn({ error })).toMatchObject({
    left: { path: ["error"], received: "an error: rate_limit_exceeded: Rate limit reached" }
  })
  expect(OpenAiChat.decodeTurn({ detail: "Not found" })).toMatchObject({ left: { received: "an error: Not found" } })
  expect(OpenAiChat.decodeTurn({ choices: [{ error: { code: 502, message: "down" } }] })).toMatchObject({
    left: { received: "an error: 502: down" }
  })
})
