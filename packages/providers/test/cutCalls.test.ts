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
    const early = words.filter((word) => !/stop_sequence/i.test(word))

    it.each(words)("gives no call to run that a stream cut off before its arguments (%s)", (word) => {
      const { failure, turn } = readStream(format, streamed(word))
      expect(failure).toBeUndefined()
      expect(sentIn(turn).filter((sent) => typeof sent !== "string" || !cutText.test(sent))).toEqual([])
    })

    it.each(early)("gives no call to run that was cut off before its arguments (%s)", (word) => {
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
