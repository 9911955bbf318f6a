import { describe, expect, it } from "@effect/vitest"
import { Turn } from "@wield/core"
import { WireFormat } from "@wield/providers"
import { Either } from "effect"
import { readStream } from "./readStream.js"
import { eventStream, serverSentEvents } from "./streamBody.js"

/** A response that ended by a word right after its last call was named, streamed and whole. */
interface Case {
  readonly words: ReadonlyArray<string>
  readonly streamed: (word: string, sent?: string) => Uint8Array
  readonly whole: (word: string, sent: string) => object
}

const chat: Case = {
  words: ["length", "content_filter", "error"],
  streamed: (word, sent) =>
    serverSentEvents([
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: "abcdefghi", function: { name: "wipe", arguments: sent } }] }
          }
        ]
      },
      { choices: [{ index: 0, delta: {}, finish_reason: word }] }
    ]),
  whole: (word, sent) => ({
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "abcdefghi", type: "function", function: { name: "wipe", arguments: sent } }]
        },
        finish_reason: word
      }
    ]
  })
}

const cases: { readonly [format: string]: Case } = {
  "openai-chat": chat,
  mistral: chat,
  "openai-responses": {
    words: ["max_output_tokens", "content_filter"],
    streamed: (word, sent) => {
      const item = { type: "function_call", id: "fc_1", call_id: "call_1", name: "wipe" }
      const done = { ...item, arguments: sent ?? "", status: sent === undefined ? "incomplete" : "completed" }
      return serverSentEvents([
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...item, arguments: "", status: "in_progress" }
        },
        { type: "response.output_item.done", output_index: 0, item: done },
        {
          type: "response.incomplete",
          response: { id: "r1", status: "incomplete", incomplete_details: { reason: word }, output: [done] }
        }
      ])
    },
    whole: (word, sent) => ({
      id: "r1",
      object: "response",
      status: "incomplete",
      incomplete_details: { reason: word },
      output: [
        {
          type: "function_call",
          id: "fc_1",
          call_id: "call_1",
          name: "wipe",
          arguments: sent,
          status: sent === "" ? "incomplete" : "completed"
        }
      ]
    })
  },
  "cohere-v2": {
    words: ["MAX_TOKENS", "ERROR_LIMIT", "ERROR_TOXIC", "STOP_SEQUENCE", "TIMEOUT"],
    streamed: (word, sent) =>
      serverSentEvents([
        {
          type: "tool-call-start",
          index: 0,
          delta: {
            message: { tool_calls: { id: "w1", type: "function", function: { name: "wipe", arguments: sent ?? "" } } }
          }
        },
        { type: "tool-call-end", index: 0 },
        { type: "message-end", delta: { finish_reason: word } }
      ]),
    whole: (word, sent) => ({
      message: {
        role: "assistant",
        tool_calls: [{ id: "w1", type: "function", function: { name: "wipe", arguments: sent } }]
      },
      finish_reason: word
    })
  },
  "bedrock-converse": {
    words: ["max_tokens", "content_filtered", "guardrail_intervened", "malformed_tool_use", "stop_sequence"],
    streamed: (word, sent) =>
      eventStream([
        ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "w1", name: "wipe" } } }],
        ...(sent === undefined
          ? []
          : [["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: sent } } }] as const]),
        ["contentBlockStop", { contentBlockIndex: 0 }],
        ["messageStop", { stopReason: word }]
      ]),
    whole: (word, sent) => ({
      output: {
        message: {
          role: "assistant",
          content: [
            { toolUse: { toolUseId: "w1", name: "wipe", input: JSON.parse(sent === "" ? "{}" : sent) as unknown } }
          ]
        }
      },
      stopReason: word
    })
  },
  anthropic: {
    words: ["max_tokens", "refusal", "stop_sequence"],
    streamed: (word, sent) =>
      serverSentEvents([
        { type: "message_start", message: { id: "m1", type: "message", role: "assistant", content: [] } },
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "w1", name: "wipe", input: {} }
        },
        ...(sent === undefined
          ? []
          : [{ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: sent } }]),
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: word } },
        { type: "message_stop" }
      ]),
    whole: (word, sent) => ({
      id: "m1",
      type: "message",
      role: "assistant",
      content: [{ type: "tool_use", id: "w1", name: "wipe", input: JSON.parse(sent === "" ? "{}" : sent) as unknown }],
      stop_reason: word
    })
  }
}

/** The arguments with which a runner would be given the calls. */
const sentIn = (turn: Turn.Turn): ReadonlyArray<unknown> => Turn.calls(turn).map((call) => call.arguments)

/** No runner takes it for arguments: it is no JSON. */
const cutText = /^\{(?!.*\}$)/

describe.each(WireFormat.all.filter(({ name }) => name in cases).map((format) => [format.name, format] as const))(
  "%s",
  (name, format) => {
    const { streamed, whole, words } = cases[name]!
    it.each(words)("gives no call to run that a stream cut off before its arguments (%s)", (word) => {
      const { failure, turn } = readStream(format, streamed(word))
      expect(failure).toBeUndefined()
      expect(sentIn(turn).filter((sent) => typeof sent !== "string" || !cutText.test(sent))).toEqual([])
    })

    it.each(words)("gives no call to run that was cut off before its arguments (%s)", (word) => {
      const turn = Either.getOrThrow(format.decodeTurn(whole(word, "")))
      expect(sentIn(turn)).toEqual([expect.stringMatching(cutText)])
    })

    it.each(words)("gives a call whose arguments are whole (%s)", (word) => {
      const { turn } = readStream(format, streamed(word, '{"before":"2020"}'))
      expect(sentIn(turn).map((sent) => (typeof sent === "string" ? (JSON.parse(sent) as unknown) : sent))).toEqual([
        { before: "2020" }
      ])
    })
  }
)

describe.each(["anthropic", "bedrock-converse"])("%s, which sends what it has of a call that was cut off", (name) => {
  it("gives that call as text that lacks its end", () => {
    const format = WireFormat.all.find((one) => one.name === name)!
    const turn = Either.getOrThrow(format.decodeTurn(cases[name]!.whole("max_tokens", '{"before":"2020"}')))
    expect(sentIn(turn)).toEqual(['{"before":"2020"'])
  })
})

const formatOf = (name: string): WireFormat.WireFormat => WireFormat.all.find((one) => one.name === name)!

const chunks = (...deltas: ReadonlyArray<readonly [delta: object, finish?: string]>): Uint8Array =>
  serverSentEvents(deltas.map(([delta, finish]) => ({ choices: [{ index: 0, delta, finish_reason: finish ?? null }] })))

const item = (fields: object): object => ({ id: "i_1", call_id: "call_1", ...fields })
const incomplete = (...output: ReadonlyArray<object>): object => ({
  id: "r1",
  object: "response",
  status: "incomplete",
  incomplete_details: { reason: "max_output_tokens" },
  output
})
const custom = { id: "c", type: "custom", custom: { name: "sql", input: "DELETE FROM orders" } }
const toolUse = { type: "tool_use", id: "w1", name: "wipe", input: { before: "2020" } }
const message = (content: unknown, more: object) => ({ id: "m1", type: "message", role: "assistant", content, ...more })
const blockStart = { type: "content_block_start", index: 0, content_block: { ...toolUse, input: {} } }
const cutAt = { type: "message_delta", delta: { stop_reason: "max_tokens" } }
const messageStart = { type: "message_start", message: message([], {}) }

describe("no call is given to run whose end may lack", () => {
  it.each([
    [
      "openai-chat",
      "a custom call's text",
      { choices: [{ message: { content: null, tool_calls: [custom] }, finish_reason: "length" }] }
    ],
    [
      "openai-responses",
      "a custom call's text",
      incomplete(item({ type: "custom_tool_call", name: "sql", input: "DELETE FROM orders", status: "incomplete" }))
    ],
    [
      "openai-responses",
      "a command",
      incomplete(item({ type: "local_shell_call", action: { command: ["rm", "-r"] }, status: "incomplete" }))
    ],
    [
      "openai-responses",
      "an item without a status",
      incomplete(item({ type: "function_call", name: "wipe", arguments: "" }))
    ],
    [
      "anthropic",
      "a call before a refusal that says why",
      message([toolUse], { stop_reason: "refusal", stop_details: { explanation: "No." } })
    ]
  ])("%s: %s", (name, _, body) => {
    const [sent, ...others] = sentIn(Either.getOrThrow(formatOf(name).decodeTurn(body)))
    expect(others).toEqual([])
    expect(() => JSON.parse(String(sent)) as unknown).toThrow(SyntaxError)
  })

  it.each([
    ["openai-chat", "a custom call's text", chunks([{ tool_calls: [{ index: 0, ...custom }] }], [{}, "length"])],
    [
      "openai-chat",
      "an empty object",
      chunks([{ tool_calls: [{ index: 0, id: "a", function: { name: "wipe", arguments: {} } }] }], [{}, "length"])
    ],
    [
      "openai-responses",
      "an item without a status",
      serverSentEvents([
        {
          type: "response.output_item.done",
          output_index: 0,
          item: item({ type: "function_call", name: "wipe", arguments: "" })
        },
        {
          type: "response.incomplete",
          response: incomplete(item({ type: "function_call", name: "wipe", arguments: "" }))
        }
      ])
    ],
    [
      "openai-responses",
      "an item without a status, where the stream breaks off",
      serverSentEvents([
        {
          type: "response.output_item.done",
          output_index: 0,
          item: item({ type: "function_call", name: "wipe", arguments: "" })
        }
      ])
    ],
    [
      "anthropic",
      "a block that is open when the message ends",
      serverSentEvents([messageStart, blockStart, cutAt, { type: "message_stop" }])
    ],
    [
      "anthropic",
      "a block that ends behind the reason",
      serverSentEvents([
        messageStart,
        blockStart,
        cutAt,
        { type: "content_block_stop", index: 0 },
        { type: "message_stop" }
      ])
    ]
  ])("streamed, %s: %s", (name, _, bytes) => {
    const { turn } = readStream(formatOf(name), bytes)
    expect(sentIn(turn).filter((sent) => typeof sent !== "string" || !cutText.test(sent))).toEqual([])
  })
})

describe("a call has all of its arguments", () => {
  const sent = { before: "2020" }
  const cohere = (...calls: ReadonlyArray<object>): Uint8Array =>
    serverSentEvents([
      ...calls,
      { type: "tool-call-end", index: 0 },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } }
    ])
  const part = (type: string, index: number | undefined, described: object) => ({
    type,
    ...(index === undefined ? {} : { index }),
    delta: { message: { tool_calls: { id: "w1", type: "function", function: described } } }
  })

  it.each([
    [
      "openai-chat",
      "where each chunk says that the response ended",
      chunks(
        [{ tool_calls: [{ index: 0, id: "a", function: { name: "wipe", arguments: "" } }] }, "tool_calls"],
        [{ tool_calls: [{ index: 0, function: { arguments: '{"before":' } }] }, "tool_calls"],
        [{ tool_calls: [{ index: 0, function: { arguments: '"2020"}' } }] }, "tool_calls"]
      )
    ],
    [
      "openai-chat",
      "as an object of the old function_call",
      chunks([{ function_call: { name: "wipe", arguments: sent } }], [{}, "function_call"])
    ],
    ["cohere-v2", "as an object", cohere(part("tool-call-start", 0, { name: "wipe", arguments: sent }))],
    [
      "cohere-v2",
      "though the call was started without an index",
      cohere(
        part("tool-call-start", undefined, { name: "wipe", arguments: "" }),
        part("tool-call-delta", 0, { arguments: '{"before":"2020"}' })
      )
    ],
    [
      "bedrock-converse",
      "as an object",
      eventStream([
        ["contentBlockStart", { contentBlockIndex: 0, start: { toolUse: { toolUseId: "w1", name: "wipe" } } }],
        ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: sent } } }],
        ["contentBlockStop", { contentBlockIndex: 0 }],
        ["messageStop", { stopReason: "tool_use" }]
      ])
    ]
  ])("%s: %s", (name, _, bytes) => {
    const { failure, turn } = readStream(formatOf(name), bytes)
    expect(failure).toBeUndefined()
    expect(sentIn(turn).map((one) => (typeof one === "string" ? (JSON.parse(one) as unknown) : one))).toEqual([sent])
  })
})

it("completes the calls of a Chat message in their order, though one has no arguments", () => {
  const { events } = readStream(
    formatOf("openai-chat"),
    chunks(
      [{ tool_calls: [{ index: 0, id: "a", function: { name: "save", arguments: "" } }] }],
      [{ tool_calls: [{ index: 1, id: "b", function: { name: "publish", arguments: '{"id":1}' } }] }],
      [{}, "tool_calls"]
    )
  )
  const complete = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call.name] : []))
  expect(complete).toEqual(["save", "publish"])
})

it.each([
  ["anthropic", message([{ type: "text", text: null }, toolUse], { stop_reason: "tool_use" }), 1],
  ["anthropic", message(null, { stop_reason: "end_turn" }), 0],
  ["bedrock-converse", { output: { message: { role: "assistant", content: null } }, stopReason: "end_turn" }, 0],
  ["openai-responses", { id: "r1", object: "response", status: "completed", output: null }, 0]
])("%s: a null in place of a text or a list loses no turn", (name, body, calls) => {
  expect(Turn.calls(Either.getOrThrow(formatOf(name).decodeTurn(body)))).toHaveLength(calls)
})

it("sends a message back as an assistant's, though its role came empty", () => {
  const streamed = readStream(
    formatOf("openai-chat"),
    chunks([{ role: "assistant", content: "" }], [{ role: "", content: "Hi" }, "stop"])
  )
  const whole = Either.getOrThrow(
    formatOf("openai-chat").decodeTurn({ choices: [{ message: { role: "", content: "Hi" }, finish_reason: "stop" }] })
  )
  for (const { native } of [streamed.turn, whole]) expect(native).toEqual([{ role: "assistant", content: "Hi" }])
})

it("counts no tokens below zero", () => {
  const { turn } = readStream(
    WireFormat.all.find(({ name }) => name === "mistral")!,
    serverSentEvents([
      {
        choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: -5, completion_tokens: 3 }
      }
    ])
  )
  expect(turn.usage).toMatchObject({ input: undefined, output: 3 })
})
