import { describe, expect, it } from "@effect/vitest"
import type { TurnEvent } from "@wield/core"
import { ToolDefinition, Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Anthropic from "../Anthropic.js"
import type { Offered } from "../WireFormat.js"
import { runs } from "../../../../test/sizes.js"

const encoder = new TextEncoder()

const read = (pieces: ReadonlyArray<string | Uint8Array>, offered?: Offered) => {
  const decoder = Anthropic.streamDecoder(offered)
  const events = pieces.flatMap((piece) => decoder.push(typeof piece === "string" ? encoder.encode(piece) : piece))
  events.push(...decoder.end())
  const last = events.at(-1)
  if (last?._tag !== "Finished") throw new Error("Finished is not last")
  return { events: events.slice(0, -1), turn: last.turn, failure: decoder.failure() }
}

type Message = { readonly type: string; readonly [key: string]: unknown }

const body = (messages: ReadonlyArray<Message>) =>
  messages.map((message) => `event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`).join("")

const stream = (...messages: ReadonlyArray<Message>) => read([body(messages)])

const usage = { input_tokens: 10, cache_read_input_tokens: 3, cache_creation_input_tokens: 0, output_tokens: 1 }
const start: Message = {
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", model: "claude", content: [], stop_reason: null, usage }
}
const open = (index: number, block: object): Message => ({ type: "content_block_start", index, content_block: block })
const delta = (index: number, change: object): Message => ({ type: "content_block_delta", index, delta: change })
const json = (index: number, text: string) => delta(index, { type: "input_json_delta", partial_json: text })
const close = (index: number): Message => ({ type: "content_block_stop", index })
const end = (reason: string, more: object = {}): ReadonlyArray<Message> => [
  {
    type: "message_delta",
    delta: { stop_reason: reason, stop_sequence: null, ...more },
    usage: { output_tokens: 9, input_tokens: null }
  },
  { type: "message_stop" }
]
const call = (id: string, name = "get_orders", more: object = {}) => ({
  type: "tool_use",
  id,
  name,
  input: {},
  ...more
})

const tags = (events: ReadonlyArray<TurnEvent.TurnEvent>) =>
  events.map((event) => ("index" in event ? `${event._tag} ${event.index}` : event._tag))

it("gives a call the digits of a whole number that JavaScript would change", () => {
  const { turn } = stream(
    start,
    open(0, call("toolu_1")),
    json(0, '{"id":12345678901234567890}'),
    close(0),
    ...end("tool_use")
  )
  expect(Turn.calls(turn).map((made) => made.arguments)).toEqual([{ id: "12345678901234567890" }])
})

it("is whole without its last event once the reason of its end has been said, and only then", () => {
  const said = [start, open(0, call("toolu_1")), json(0, '{"id":1}')]
  const [reason = { type: "ping" }] = end("tool_use")
  const { events, failure, turn } = stream(...said, close(0), reason)
  expect([failure, turn.isComplete, turn.finish]).toEqual([undefined, true, "calls"])
  expect(Turn.calls(turn)).toEqual([{ id: "toolu_1", name: "get_orders", arguments: { id: 1 } }])
  expect(tags(events)).toContain("CallComplete 0")
  const cut = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 9 } }
  for (const broken of [said, [...said, cut], [...said, reason], [start, open(0, call("toolu_1")), reason]]) {
    const read = stream(...broken)
    expect([read.turn.isComplete, Turn.calls(read.turn), tags(read.events)]).toEqual([
      false,
      [],
      expect.not.arrayContaining(["CallComplete 0"])
    ])
  }
})

it("never makes a call that is cut off behind the reason of an earlier end", () => {
  const [reason = { type: "ping" }] = end("end_turn")
  const text = [start, open(0, { type: "text", text: "Hi" }), close(0), reason]
  expect(stream(...text).turn.isComplete).toBe(true)
  for (const more of [[], [json(1, '{"id":')], [json(1, '{"id":1}')], [close(1)]]) {
    const { events, turn } = stream(...text, open(1, call("toolu_1")), ...more)
    expect([turn.isComplete, Turn.calls(turn)]).toEqual([false, []])
    expect(tags(events)).not.toContain("CallComplete 0")
  }
})

it("announces each call when its block ends, and keeps counts up to date", () => {
  const { events, failure, turn } = stream(
    start,
    open(0, { type: "text", text: "" }),
    { type: "ping" },
    delta(0, { type: "text_delta", text: "Let me look." }),
    close(0),
    open(1, call("toolu_1")),
    json(1, ""),
    json(1, '{"status":'),
    open(2, call("toolu_2", "now")),
    json(1, '"open"}'),
    json(2, "{}"),
    close(1),
    close(2),
    ...end("tool_use")
  )
  expect(failure).toBeUndefined()
  expect(tags(events)).toEqual([
    "UsageKnown",
    "TextDelta",
    "CallStarted 0",
    "ArgumentsDelta 0",
    "CallStarted 1",
    "ArgumentsDelta 0",
    "ArgumentsDelta 1",
    "CallComplete 0",
    "CallComplete 1",
    "UsageKnown"
  ])
  expect(Turn.calls(turn)).toEqual([
    { id: "toolu_1", name: "get_orders", arguments: { status: "open" } },
    { id: "toolu_2", name: "now", arguments: {} }
  ])
  expect(turn).toMatchObject({ finish: "calls", isComplete: true, usage: { input: 13, output: 9, cacheRead: 3 } })
})

it("reads names back that had to be mapped", () => {
  const definitions = [ToolDefinition.make({ name: "shop/orders" })]
  const tools = Anthropic.encodeTools(definitions).body["tools"]
  const native = Array.isArray(tools) ? String(Reflect.get(tools[0] as object, "name")) : ""
  const { events } = read([body([start, open(0, call("toolu_1", native))])], { definitions })
  expect(events.at(-1)).toMatchObject({ _tag: "CallStarted", name: "shop/orders" })
})

describe("arguments", () => {
  it("are none when no text came, which is known when more comes", () => {
    const { events } = stream(start, open(0, call("a")), json(0, ""), close(0), open(1, call("b")), close(1))
    expect(tags(events)).toEqual(["UsageKnown", "CallStarted 0", "CallComplete 0", "CallStarted 1"])
    expect(tags(stream(start, open(0, call("a")), close(0), ...end("tool_use")).events)).toContain("CallComplete 0")
  })

  it("that the token limit cut off make no call", () => {
    for (const text of ["", '{"path":"a.t']) {
      const { events, turn } = stream(
        start,
        open(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "Hm." }),
        delta(0, { type: "signature_delta", signature: "c2ln" }),
        close(0),
        open(1, { type: "text", text: "Well." }),
        close(1),
        open(2, call("a")),
        json(2, text),
        close(2),
        ...end("max_tokens")
      )
      expect(tags(events)).not.toContain("CallComplete 0")
      expect(turn).toMatchObject({ finish: "length", isComplete: true })
      expect(turn.parts.map((part) => part._tag)).toEqual(["Reasoning", "Text"])
      expect(turn.native).toMatchObject([{ content: [{ type: "thinking", signature: "c2ln" }, { type: "text" }] }])
    }
  })

  it("that fine-grained streaming left invalid are text, and go back as the API asks", () => {
    const { events, turn } = stream(start, open(0, call("a")), json(0, '{"q":"a" "b"}'), close(0), ...end("tool_use"))
    expect(events).toContainEqual(expect.objectContaining({ _tag: "CallComplete", part: turn.parts[0] }))
    expect(Turn.calls(turn)).toMatchObject([{ arguments: '{"q":"a" "b"}' }])
    expect(turn.native).toMatchObject([{ content: [{ id: "a", input: { INVALID_JSON: '{"q":"a" "b"}' } }] }])
  })

  it("may stand in the start of a block (calls by code in Anthropic's container)", () => {
    const { events, turn } = stream(
      start,
      open(0, call("a", "now", { input: { zone: "UTC" }, caller: { type: "code_execution_20250825" } })),
      close(0)
    )
    expect(tags(events).at(-1)).toBe("CallComplete 0")
    expect(Turn.calls(turn)).toMatchObject([{ arguments: { zone: "UTC" } }])
  })

  it("of a megabyte in small pieces take no longer than the text is long", () => {
    const pieces = Array.from({ length: 50_000 }, () => json(0, "x".repeat(20)))
    const { turn } = stream(start, open(0, call("a")), json(0, '{"a":"'), ...pieces, json(0, '"}'), close(0))
    expect(Turn.calls(turn)).toMatchObject([{ arguments: { a: "x".repeat(1_000_000) } }])
  })
})

it("has no events of calls that Anthropic runs itself, but the calls and what belongs to them in the turn", () => {
  const result = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ type: "web_search_result" }] }
  const citation = { type: "web_search_result_location", url: "https://example.com" }
  const { events, turn } = stream(
    start,
    open(0, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }),
    json(0, '{"query":"weather"}'),
    close(0),
    open(1, result),
    close(1),
    open(2, { type: "text", text: "", citations: [] }),
    delta(2, { type: "citations_delta", citation }),
    delta(2, { type: "text_delta", text: "Sunny." }),
    close(2),
    ...end("end_turn", { container: { id: "c" } })
  )
  expect(tags(events)).toEqual(["UsageKnown", "TextDelta", "UsageKnown"])
  expect(turn.parts).toMatchObject([
    { _tag: "Call", executedBy: "provider" },
    { _tag: "Text", text: "Sunny." }
  ])
  expect(turn.native).toEqual([
    {
      role: "assistant",
      content: [
        { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "weather" } },
        result,
        { type: "text", text: "Sunny.", citations: [citation] }
      ]
    }
  ])
})

it("tells why the model declined", () => {
  const { events, turn } = stream(start, ...end("refusal", { stop_details: { explanation: "Not this." } }))
  expect(events.at(-1)).toEqual({ _tag: "RefusalDelta", text: "Not this." })
  expect(turn).toMatchObject({ finish: "filter", parts: [{ _tag: "Refusal", text: "Not this." }], native: [] })
})

it.each([
  ["as an object", [delta(0, { type: "input_json_delta", partial_json: { x: 1 } })]],
  ["under an index that is a text", [{ ...json(0, '{"x"'), index: "0" }, json(0, ":1}")]]
] as const)("reads arguments %s", (_, deltas) => {
  const { failure, turn } = stream(start, open(0, call("a")), ...deltas, close(0), ...end("tool_use"))
  expect(failure).toBeUndefined()
  expect(Turn.calls(turn)).toMatchObject([{ id: "a", arguments: { x: 1 } }])
})

it("starts a call once whose start is sent twice", () => {
  const { turn } = stream(
    start,
    open(0, call("a")),
    open(0, call("a")),
    json(0, '{"a":1}'),
    close(0),
    ...end("tool_use")
  )
  expect(Turn.calls(turn)).toMatchObject([{ id: "a", arguments: { a: 1 } }])
})

describe("a stream that breaks off", () => {
  it("keeps what can be run and sent back, and nothing else", () => {
    const { events, turn } = stream(
      start,
      open(0, { type: "text", text: "Let me" }),
      close(0),
      open(1, call("a")),
      json(1, "{}"),
      close(1),
      open(2, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }),
      json(2, "{}"),
      close(2),
      open(3, call("b")),
      close(3),
      open(4, call("c")),
      json(4, '{"x":1}'),
      open(5, { type: "thinking", thinking: "", signature: "" }),
      delta(5, { type: "thinking_delta", thinking: "Hm" })
    )
    expect(turn).toMatchObject({ isComplete: false, finish: "other", nativeFinish: undefined, id: "msg_1" })
    const announced = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call.id] : []))
    expect(announced).toEqual(["a", "b"])
    expect(Turn.calls(turn).map((each) => each.id)).toEqual(announced)
    expect(turn.parts.map((part) => part._tag)).toEqual(["Text", "Call", "Call", "Reasoning"])
    expect(turn.native).toMatchObject([{ content: [{ type: "text" }, { id: "a" }, { id: "b" }] }])
  })

  it("in an error ends in that error", () => {
    const { events, failure, turn } = stream(
      start,
      open(0, { type: "text", text: "Let me" }),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ...end("end_turn")
    )
    expect(failure).toMatchObject({ _tag: "ProviderUnavailable", code: "overloaded_error", detail: "Overloaded" })
    expect(turn).toMatchObject({ finish: "error", isComplete: false, parts: [{ text: "Let me" }] })
    expect(events.at(-1)?._tag).toBe("TextDelta")
  })

  it("in a gateway's error without a type ends in that error too", () => {
    const error = { type: "overloaded_error", message: "Overloaded" }
    const { failure, turn } = read([body([start]), `data: ${JSON.stringify({ error })}\n\n`])
    expect(failure).toMatchObject({ _tag: "ProviderUnavailable", detail: "Overloaded" })
    expect(turn).toMatchObject({ finish: "error", isComplete: false })
  })

  it("before it began is an empty turn", () => {
    expect(read([]).turn).toMatchObject({ parts: [], native: [], isComplete: false })
  })
})

it.each([{ type: "text" }, { type: "text", text: null }])("reads a text that begins with %j", (block) => {
  const { failure, turn } = stream(
    start,
    open(0, block),
    delta(0, { type: "text_delta", text: "Hi" }),
    ...end("end_turn")
  )
  expect(failure).toBeUndefined()
  expect(turn.native).toEqual([{ role: "assistant", content: [{ type: "text", text: "Hi" }] }])
})

it("reads the first of several messages, ignores what it does not know, and does without indexes", () => {
  const without = (message: Message): Message => ({ ...message, index: undefined })
  const { failure, turn } = stream(
    start,
    { type: "something_new" },
    without(open(0, { type: "text", text: "" })),
    without(delta(0, { type: "text_delta", text: "Hello." })),
    without(delta(0, { type: "newer_delta", text: "?" })),
    without(close(0)),
    ...end("end_turn"),
    start,
    open(0, call("toolu_9"))
  )
  expect(failure).toBeUndefined()
  expect(turn.parts).toEqual([{ _tag: "Text", text: "Hello." }])
})

it.each([
  [[start, delta(3, { type: "text_delta", text: "?" })], ["index"]],
  [
    [start, open(0, { type: "tool_use", name: "now" })],
    ["content_block", "id"]
  ],
  [[{ type: "message_start" }], ["message"]]
])("says where a message is not what it should be (%#)", (messages, path) => {
  expect(read([body(messages as ReadonlyArray<Message>)]).failure).toMatchObject({ _tag: "WireError", path })
})

const text = FastCheck.string({ minLength: 1, unit: "grapheme" })

/** A content block as it comes whole. */
const block = FastCheck.oneof(
  FastCheck.record({ type: FastCheck.constant("text"), text }),
  FastCheck.record({ type: FastCheck.constant("thinking"), thinking: text, signature: text }),
  FastCheck.record({ type: FastCheck.constant("redacted_thinking"), data: text }),
  FastCheck.record({
    type: FastCheck.constantFrom("tool_use", "server_tool_use"),
    id: FastCheck.uuid(),
    name: FastCheck.constantFrom("get_orders", "__proto__"),
    input: FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue())
  })
)

const cutAt = (value: string, places: ReadonlyArray<number>): ReadonlyArray<string> => {
  const sorted = [0, ...places.map((place) => place % (value.length + 1)).sort((left, right) => left - right)]
  return sorted.map((from, index) => value.slice(from, sorted[index + 1] ?? value.length))
}

/** The same block as a stream brings it. */
const streamed = (
  whole: typeof block extends FastCheck.Arbitrary<infer A> ? A : never,
  index: number,
  places: ReadonlyArray<number>
) => {
  const deltas = (value: string, make: (piece: string) => object) =>
    cutAt(value, places).map((piece) => delta(index, make(piece)))
  if ("text" in whole) {
    return [
      open(index, { ...whole, text: "" }),
      ...deltas(whole.text, (piece) => ({ type: "text_delta", text: piece })),
      close(index)
    ]
  }
  if ("thinking" in whole) {
    return [
      open(index, { ...whole, thinking: "", signature: "" }),
      ...deltas(whole.thinking, (piece) => ({ type: "thinking_delta", thinking: piece })),
      delta(index, { type: "signature_delta", signature: whole.signature }),
      close(index)
    ]
  }
  if ("data" in whole) return [open(index, whole), close(index)]
  return [
    open(index, { ...whole, input: {} }),
    ...deltas(JSON.stringify(whole.input), (piece) => ({ type: "input_json_delta", partial_json: piece })),
    close(index)
  ]
}

const places = FastCheck.array(FastCheck.nat(), { maxLength: 6 })
const reason = FastCheck.constantFrom("end_turn", "tool_use", "max_tokens", "pause_turn", "refusal")

it("gives the turn of the response that does not stream, however the bytes are cut", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.array(block, { maxLength: 5 }), places, reason, (content, cuts, stop) => {
      const bytes = encoder.encode(
        body([start, ...content.flatMap((each, index) => streamed(each, index, cuts)), ...end(stop)])
      )
      const whole = Anthropic.decodeTurn({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude",
        content,
        stop_reason: stop,
        usage: { ...usage, output_tokens: 9 }
      })
      const { events, turn } = read([bytes])
      // What came whole does not show whether its last call was cut off; a stream does.
      const isDoubtful = ["max_tokens", "refusal"].includes(stop) && content.at(-1)?.type === "tool_use"
      const known = (parts: ReadonlyArray<Turn.Part>) => (isDoubtful ? parts.slice(0, -1) : parts)
      const { parts, ...rest } = Either.getOrThrow(whole)
      expect({ ...turn, parts: known(turn.parts) }).toStrictEqual({ ...rest, parts: known(parts) })
      const announced = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part] : []))
      expect(announced).toStrictEqual(
        turn.parts.filter((part) => part._tag === "Call" && part.executedBy === "application")
      )
      const points = cuts.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right)
      const pieces = [0, ...points].map((from, index) => bytes.subarray(from, points[index] ?? bytes.length))
      expect(read(pieces).turn).toStrictEqual(turn)
    }),
    { numRuns: runs(60) }
  )
})

it("reads a block whose index has no text", () => {
  const at = <M extends object>(message: M) => ({ ...message, index: { toString: "" } })
  const { failure, turn } = stream(
    start,
    at(open(0, call("a"))),
    at(json(0, '{"x":1}')),
    at(close(0)),
    ...end("tool_use")
  )
  expect(failure).toBeUndefined()
  expect(Turn.calls(turn)).toMatchObject([{ id: "a", arguments: { x: 1 } }])
})

it("never throws, and ends once, whatever the messages", () => {
  const whole = body([
    start,
    ...streamed({ type: "tool_use", id: "a", name: "now", input: { a: 1 } }, 0, [3]),
    ...end("tool_use")
  ])
  const noise = FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constantFrom({}, [], "", null, 7))
  const message = FastCheck.record({
    type: FastCheck.constantFrom(
      "message_start",
      "content_block_start",
      "content_block_delta",
      "content_block_stop",
      "message_delta",
      "error"
    ),
    index: noise,
    message: noise,
    content_block: FastCheck.oneof(noise, FastCheck.constant(call("a"))),
    delta: noise,
    usage: noise,
    error: noise
  })
  FastCheck.assert(
    FastCheck.property(FastCheck.array(message), FastCheck.nat(whole.length), (messages, length) => {
      expect(read([body(messages)]).turn.format).toBe("anthropic")
      expect(read([whole.slice(0, length), "\n\n", body(messages)]).turn.format).toBe("anthropic")
    }),
    { numRuns: runs(300) }
  )
})
