/** What only an API understands of its own turns goes back to it, also without the message it stood in. */
import { expect, it } from "@effect/vitest"
import { Content, type Json, type Message, Turn } from "@wield/core"
import {
  Anthropic,
  BedrockConverse,
  CohereV2,
  Gemini,
  Mistral,
  Ollama,
  OpenAiChat,
  OpenAiResponses,
  WireFormat
} from "@wield/providers"
import { Either } from "effect"

type Format = WireFormat.WireFormat
type Body = Json.JsonObject

const user = { role: "user", content: "Go on." }
const chat = (message: object): Body => ({ messages: [user, { role: "assistant", ...message }, user] })
const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" }
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "noon" } }
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }

const says = { role: "user", content: [{ text: "Go on." }] }
const converse = (...content: ReadonlyArray<Json.Json>): Body => ({
  messages: [says, { role: "assistant", content }, says]
})

const asks = { role: "user", parts: [{ text: "Go on." }] }
const generate = (...parts: ReadonlyArray<Json.Json>): Body => ({ contents: [asks, { role: "model", parts }, asks] })

const input = (...items: ReadonlyArray<Json.Json>): Body => ({
  input: [user, ...items, { role: "assistant", content: "So." }, user]
})
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }

const cases: ReadonlyArray<readonly [string, Format, Body]> = [
  [
    "signed thinking",
    Anthropic.format,
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Go on." }] },
        {
          role: "assistant",
          content: [thinking, { type: "redacted_thinking", data: "ZGF0YQ==" }, { type: "text", text: "So." }]
        },
        { role: "user", content: [{ type: "text", text: "Go on." }] }
      ]
    }
  ],
  [
    "a search and its results",
    Anthropic.format,
    {
      messages: [
        { role: "user", content: [{ type: "text", text: "Go on." }] },
        { role: "assistant", content: [search, found, { type: "text", text: "So." }] },
        { role: "user", content: [{ type: "text", text: "Go on." }] }
      ]
    }
  ],
  [
    "signed reasoning",
    BedrockConverse.format,
    converse(
      { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: "ZGF0YQ==" } },
      { text: "So." }
    )
  ],
  [
    "Nova's own tool",
    BedrockConverse.format,
    converse(
      { toolUse: { toolUseId: "t_1", name: "nova_grounding", type: "server_tool_use", input: {} } },
      { toolResult: { toolUseId: "t_1", content: [{ text: "found" }] } },
      { text: "So." }
    )
  ],
  [
    "thoughts and code",
    Gemini.format,
    generate(
      { text: "Hm.", thought: true },
      { executableCode: { language: "PYTHON", code: "1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
      { text: "So." }
    )
  ],
  ["encrypted reasoning", OpenAiResponses.format, input(reasoning)],
  [
    "reasoning in the open",
    OpenAiResponses.format,
    input({ type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] })
  ],
  [
    "a web search",
    OpenAiResponses.format,
    input(reasoning, {
      type: "web_search_call",
      id: "ws_1",
      status: "completed",
      action: { type: "search", query: "noon" }
    })
  ],
  [
    "a file search",
    OpenAiResponses.format,
    input({ type: "file_search_call", id: "fs_1", status: "completed", queries: ["noon"], results: null })
  ],
  [
    "code",
    OpenAiResponses.format,
    input({
      type: "code_interpreter_call",
      id: "ci_1",
      code: "1",
      container_id: "cntr_1",
      outputs: [],
      status: "completed"
    })
  ],
  [
    "an MCP server's tools and a call of one",
    OpenAiResponses.format,
    input(
      { type: "mcp_list_tools", id: "mcpl_1", server_label: "wiki", tools: [] },
      { type: "mcp_call", id: "mcp_1", server_label: "wiki", name: "ask", arguments: "{}", output: "noon" }
    )
  ],
  ["reasoning_content", OpenAiChat.format, chat({ content: "So.", reasoning_content: "Hm." })],
  ["reasoning", OpenAiChat.format, chat({ content: "So.", reasoning: "Hm." })],
  [
    "reasoning_details",
    OpenAiChat.format,
    chat({ content: "So.", reasoning_details: [{ type: "reasoning.encrypted", data: "gAAA" }] })
  ],
  [
    "chunks of thinking",
    Mistral.format,
    chat({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
        { type: "text", text: "So." }
      ]
    })
  ],
  ["a plan", CohereV2.format, chat({ content: "So.", tool_plan: "Hm." })],
  [
    "thinking",
    CohereV2.format,
    chat({
      content: [
        { type: "thinking", thinking: "Hm." },
        { type: "text", text: "So." }
      ]
    })
  ],
  ["thinking", Ollama.format, chat({ content: "So.", thinking: "Hm." })]
]

const withoutNative = (message: Message.Message): Message.Message => ({ ...message, native: undefined })

it.each(cases)("%s of %o goes back in a request without the message it stood in", (_, format, body) => {
  const request = Either.getOrThrow(format.decodeRequest(body))
  const again = format.encodeRequest({ ...request, messages: request.messages.map(withoutNative) })
  expect(again.body).toEqual(body)
  expect(again.losses).toEqual([])
  for (const other of WireFormat.all) {
    if (other === format) continue
    const { body: foreign, losses } = other.encodeRequest({ ...request, messages: request.messages.map(withoutNative) })
    expect(JSON.stringify(foreign)).not.toContain("Hm.")
    expect(losses.map(({ keyword }) => keyword)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(reasoning|providerCall)$/)])
    )
  }
})

const silence = (format: Format): Turn.Turn => ({
  format: format.name,
  id: undefined,
  model: undefined,
  parts: [],
  usage: { input: undefined, output: undefined, reasoning: undefined, cacheRead: undefined, cacheWrite: undefined },
  finish: "stop",
  nativeFinish: undefined,
  native: [],
  isComplete: true
})

/** The message of a model that said nothing; `undefined` where the API refuses one. */
const empties = new Map<Format, Json.Json | undefined>([
  [OpenAiChat.format, { role: "assistant", content: "" }],
  [OpenAiResponses.format, { role: "assistant", content: "" }],
  [Ollama.format, { role: "assistant", content: "" }],
  [Gemini.format, { role: "model", parts: [{ text: "" }] }]
])

it.each(WireFormat.all)("$name: a turn without content is a message, or a loss", (format) => {
  const empty = empties.get(format)
  for (const turn of WireFormat.all.map(silence)) {
    const isOwn = turn.format === format.name
    const { losses, messages } = format.encodeResults(turn, [])
    expect(messages).toEqual(empty === undefined ? [] : [empty])
    const lost = [...(isOwn ? [] : ["native"]), ...(empty === undefined ? ["turn"] : [])]
    expect(losses.map(({ keyword }) => keyword)).toEqual(lost)

    const said: Message.Message = { _tag: "Assistant", parts: [], native: { format: turn.format, json: [] } }
    const request = { messages: [said], definitions: [], options: {}, settings: undefined, losses: [] }
    const body = format.encodeRequest(request).body
    expect(body[format.historyKey] ?? []).toEqual(empty === undefined ? [] : [empty])
  }
})

it.each([{ content: "" }, { content: null }, { content: [] }, { content: "", tool_calls: null }])(
  "leaves out an empty turn of Mistral's own, which it would refuse: %j",
  (message) => {
    const body = { id: "a", model: "m", choices: [{ index: 0, message: { role: "assistant", ...message } }] }
    const turn = Either.getOrThrow(Mistral.format.decodeTurn(body))
    const sent = Mistral.format.encodeResults(turn, [])
    expect(sent).toMatchObject({ messages: [], losses: [{ keyword: "turn" }] })
    const said: Message.Message = { _tag: "Assistant", parts: turn.parts, native: Turn.native(turn) }
    const request = { messages: [said], definitions: [], options: {}, settings: undefined, losses: [] }
    expect(Mistral.format.encodeRequest(request)).toMatchObject({
      body: { messages: [] },
      losses: [{ keyword: "turn" }]
    })
    expect(OpenAiChat.format.encodeResults(Either.getOrThrow(OpenAiChat.format.decodeTurn(body)), []).messages).toEqual(
      [body.choices[0]?.message]
    )
  }
)

const cutOff: ReadonlyArray<readonly [Format, response: Json.Json, said: Json.Json, reasoned: Json.Json]> = [
  [
    Anthropic.format,
    { type: "message", role: "assistant", model: "m", stop_reason: "max_tokens", usage: {} },
    { type: "text", text: "So." },
    { type: "thinking", thinking: "Hm.", signature: "c2ln" }
  ],
  [
    BedrockConverse.format,
    { stopReason: "max_tokens", usage: {} },
    { text: "So." },
    { reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } }
  ],
  [
    OpenAiResponses.format,
    { object: "response", status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "So." }] },
    reasoning
  ]
]

it.each(cutOff)(
  "$0.name: a turn that ended while the model reasoned goes back without its end",
  (format, fields, ...both) => {
    const [said, reasoned] = both
    const messageOf = (content: ReadonlyArray<Json.Json>): Json.Json =>
      format === OpenAiResponses.format ? content : { role: "assistant", content }
    const turnOf = (...content: ReadonlyArray<Json.Json>) => {
      const message = messageOf(content)
      const wire =
        format === OpenAiResponses.format
          ? { output: content }
          : format === BedrockConverse.format
            ? { output: { message } }
            : { content }
      return Either.getOrThrow(format.decodeTurn({ ...(fields as Json.JsonObject), ...wire }))
    }
    const asked: Message.Message = { _tag: "User", content: [Content.text("So?")], native: undefined }
    const sent = (turn: Turn.Turn) => {
      const answer: Message.Message = { _tag: "Assistant", parts: turn.parts, native: Turn.native(turn) }
      const messages = [asked, answer, asked]
      return format.encodeRequest({ messages, definitions: [], options: {}, settings: undefined, losses: [] }).body
    }
    const spoken = turnOf(said, reasoned)
    const spokenOnly = turnOf(said)
    expect(format.encodeResults(spoken, []).messages).toEqual(format.encodeResults(spokenOnly, []).messages)
    expect(sent(spoken)).toEqual(sent(spokenOnly))
    const silent = turnOf(reasoned)
    expect(format.encodeResults(silent, []).messages).toEqual([])
    expect(JSON.stringify(sent(silent))).not.toContain("assistant")
    // What leads to something stays.
    expect(format.encodeResults(turnOf(reasoned, said), []).messages).toEqual([messageOf([reasoned, said])].flat())
  }
)

it("leaves Converse's roles alternating where a turn of reasoning only is left out", () => {
  const messages = [
    { role: "user", content: [{ text: "A?" }] },
    { role: "assistant", content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature: "c2ln" } } }] },
    { role: "user", content: [{ text: "B?" }] }
  ]
  const request = Either.getOrThrow(BedrockConverse.format.decodeRequest({ messages }))
  expect(BedrockConverse.format.encodeRequest(request).body["messages"]).toEqual([
    { role: "user", content: [{ text: "A?" }, { text: "B?" }] }
  ])
})

it("tells Mistral's plain answers from OpenAI's", () => {
  const body = (id: string, model: string) => ({
    id,
    model,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "Noon." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  })
  const nameOf = (given: unknown) => WireFormat.all.filter((format) => format.isFormatOf(given)).map(({ name }) => name)
  const id = "b3999b8c93e04e11bca7955806a1421d"
  expect(nameOf(body(id, "mistral-small-latest"))).toEqual(["mistral"])
  expect(nameOf(body(`cmpl-${id}`, "open-mistral-nemo"))).toEqual(["mistral"])
  expect(nameOf(body("chatcmpl-123", "mistral"))).toEqual(["openai-chat"])
  expect(nameOf(body("gen-123", "mistralai/mistral-small"))).toEqual(["openai-chat"])
  expect(nameOf(body(id, "MiniMax-M2"))).toEqual(["openai-chat"])
})
