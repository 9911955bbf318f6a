import { describe, expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import { Either, FastCheck } from "effect"
import { deltas, readStream } from "../../test/readStream.js"
import { format } from "../CohereV2.js"
import * as NameMap from "../NameMap.js"
import { nameRule } from "./format.js"
import { runs } from "../../../../test/sizes.js"

const body = (events: ReadonlyArray<object>): Uint8Array =>
  new TextEncoder().encode(
    events
      .map((event) => `event: ${"type" in event ? String(event.type) : ""}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("")
  )

const message = (type: string, index: number | undefined, content: object) => ({
  type,
  ...(index === undefined ? {} : { index }),
  delta: { message: content }
})

const begin = {
  id: "c1",
  type: "message-start",
  delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } }
}
const end = (reason: string, more: object = {}) => ({
  type: "message-end",
  delta: { finish_reason: reason, usage, ...more }
})
const usage = {
  billed_units: { input_tokens: 5, output_tokens: 3 },
  tokens: { input_tokens: 100, output_tokens: 10 },
  cached_tokens: 64
}

const startCall = (index: number, id: string, name: string) =>
  message("tool-call-start", index, { tool_calls: { id, type: "function", function: { name, arguments: "" } } })
const argumentsDelta = (index: number, text: string) =>
  message("tool-call-delta", index, { tool_calls: { function: { arguments: text } } })
const endCall = (index: number) => ({ type: "tool-call-end", index })

const pieces = (text: string): ReadonlyArray<string> => text.match(/[^]{1,3}/gu) ?? []

const word = FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 12 })
const content = FastCheck.record({
  thinking: FastCheck.option(word, { nil: undefined }),
  text: FastCheck.option(word, { nil: undefined }),
  plan: FastCheck.option(word, { nil: undefined }),
  calls: FastCheck.array(
    FastCheck.tuple(
      FastCheck.constantFrom("now", "__proto__"),
      FastCheck.dictionary(word, FastCheck.jsonValue({ maxDepth: 1 }), { maxKeys: 4 })
    ),
    {
      maxLength: 3
    }
  ),
  citations: FastCheck.array(FastCheck.record({ start: FastCheck.nat(), text: word }), { maxLength: 3 })
})
type Said = typeof content extends FastCheck.Arbitrary<infer A> ? A : never

const items = ({ text, thinking }: Said) => [
  ...(thinking === undefined ? [] : [{ type: "thinking", thinking }]),
  ...(text === undefined ? [] : [{ type: "text", text }])
]

const response = (said: Said, reason: string) => ({
  id: "c1",
  message: {
    role: "assistant",
    ...(items(said).length === 0 ? {} : { content: items(said) }),
    ...(said.plan === undefined ? {} : { tool_plan: said.plan }),
    ...(said.calls.length === 0
      ? {}
      : {
          tool_calls: said.calls.map(([name, input], index) => ({
            id: `${name}_${index}`,
            type: "function",
            function: { name, arguments: JSON.stringify(input) }
          }))
        }),
    ...(said.citations.length === 0 ? {} : { citations: said.citations })
  },
  finish_reason: reason,
  usage
})

const streamed = (said: Said, reason: string): ReadonlyArray<object> => [
  begin,
  ...items(said).flatMap((item, index) => {
    const key = "text" in item ? "text" : "thinking"
    const text = "text" in item ? item.text : item.thinking
    return [
      message("content-start", index, { content: { type: key, [key]: "" } }),
      ...pieces(text).map((piece) => message("content-delta", index, { content: { [key]: piece } })),
      { type: "content-end", index }
    ]
  }),
  ...pieces(said.plan ?? "").map((piece) => message("tool-plan-delta", undefined, { tool_plan: piece })),
  ...said.calls.flatMap(([name, input], index) => [
    startCall(index, `${name}_${index}`, name),
    ...pieces(JSON.stringify(input)).map((piece) => argumentsDelta(index, piece)),
    endCall(index)
  ]),
  ...said.citations.flatMap((citations, index) => [
    message("citation-start", index, { citations }),
    { type: "citation-end", index }
  ]),
  end(reason)
]

const shares = FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })

describe("a stream of Cohere's", () => {
  it("ends in the turn that the response without a stream gives, wherever the body is cut", () => {
    FastCheck.assert(
      FastCheck.property(content, FastCheck.constantFrom("COMPLETE", "TOOL_CALL"), shares, (said, reason, cuts) => {
        const bytes = body(streamed(said, reason))
        const whole = readStream(format, bytes)
        expect(whole.failure).toBeUndefined()
        expect(whole.turn).toEqual(Either.getOrThrow(format.decodeTurn(response(said, reason))))
        expect(readStream(format, bytes, cuts)).toEqual(whole)
        expect(deltas(whole.events, "TextDelta")).toBe(Turn.text(whole.turn))
      })
    )
  })

  it("announces a call at its end, while the rest still streams", () => {
    const { events } = readStream(
      format,
      body([
        begin,
        message("tool-plan-delta", undefined, { tool_plan: "I will look." }),
        startCall(0, "now_1", "now"),
        argumentsDelta(0, '{"zone":'),
        argumentsDelta(0, '"UTC"}'),
        endCall(0),
        startCall(1, "now_2", "now"),
        endCall(1),
        end("TOOL_CALL")
      ])
    )
    expect(events.map((event) => event._tag)).toEqual([
      "ReasoningDelta",
      "CallStarted",
      "ArgumentsDelta",
      "ArgumentsDelta",
      "CallComplete",
      "CallStarted",
      "CallComplete",
      "UsageKnown",
      "Finished"
    ])
    expect(events[4]).toMatchObject({ part: { call: { id: "now_1", name: "now", arguments: '{"zone":"UTC"}' } } })
  })

  it("leaves out a call that a limit cut off", () => {
    const { turn } = readStream(
      format,
      body([begin, startCall(0, "now_1", "now"), argumentsDelta(0, '{"zone":"U'), end("MAX_TOKENS")])
    )
    expect(turn).toMatchObject({ parts: [], native: [], finish: "length", isComplete: true })
  })

  it("keeps the kind of an item that it does not know, and gives one to an item that states none", () => {
    const { turn } = readStream(
      format,
      body([
        begin,
        message("content-start", 0, { content: { type: "document", text: "A page" } }),
        message("content-start", 1, { content: { type: null, text: null, thinking: "Hm" } }),
        end("COMPLETE")
      ])
    )
    expect(turn.native).toMatchObject([
      {
        content: [
          { type: "document", text: "A page" },
          { type: "thinking", thinking: "Hm" }
        ]
      }
    ])
  })

  it("keeps what came of a body that breaks off, and only calls that have ended", () => {
    FastCheck.assert(
      FastCheck.property(content, FastCheck.double({ min: 0, max: 0.999, noNaN: true }), (said, share) => {
        const list = streamed(said, "TOOL_CALL")
        const { turn } = readStream(format, body(list.slice(0, Math.floor(share * list.length))))
        expect(turn).toMatchObject({ isComplete: false, finish: "other" })
        const again = Either.getOrThrow(format.decodeTurn({ message: turn.native[0] ?? {} }))
        expect(Turn.calls(again)).toEqual(Turn.calls(turn))
      })
    )
  })

  it.each([
    ["an error at the end", end("ERROR", { error: "something went wrong" }), "ProviderUnavailable"],
    [
      "a call that the model could not make",
      end("ERROR", {
        error: "your request resulted in an invalid tool generation.",
        error_type: "INVALID_TOOL_GENERATION"
      }),
      "RequestRejected"
    ],
    [
      "an error in place of an event",
      { message: "too many tokens: size limit exceeded by 3 tokens." },
      "ContextOverflow"
    ]
  ])("fails with %s", (_, event, tag) => {
    const said = message("content-delta", 0, { content: { text: "Let me" } })
    const { failure, turn } = readStream(format, body([begin, said, event]))
    expect(failure).toMatchObject({ _tag: tag })
    expect(turn).toMatchObject({ parts: [{ _tag: "Text", text: "Let me" }], finish: "error", isComplete: false })
  })

  it("starts a call once whose start is sent twice", () => {
    const starts = [startCall(0, "a", "f"), startCall(0, "a", "f")]
    const { turn } = readStream(
      format,
      body([begin, ...starts, argumentsDelta(0, '{"a":1}'), endCall(0), end("COMPLETE")])
    )
    expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: '{"a":1}' }])
  })

  it("maps names back, and reads events that are named by their type only", () => {
    const definitions = [ToolDefinition.make({ name: "shop/get orders" })]
    const name = NameMap.make(definitions, nameRule).toNative("shop/get orders")
    const events = [begin, startCall(0, "a", name), argumentsDelta(0, '{"a":1}'), endCall(0), end("TOOL_CALL")]
    const bytes = new TextEncoder().encode(
      events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(": ping\n\n")
    )
    expect(Turn.calls(readStream(format, bytes, [], { definitions }).turn)).toEqual([
      { id: "a", name: "shop/get orders", arguments: '{"a":1}' }
    ])
  })

  it("reads a call whose index has no text", () => {
    const at = (event: object) => ({ ...event, index: { toString: "" } })
    const events = [begin, at(startCall(0, "a", "now")), at(argumentsDelta(0, "{}")), at(endCall(0)), end("TOOL_CALL")]
    const { turn } = readStream(format, body(events), [])
    expect(Turn.calls(turn)).toMatchObject([{ id: "a" }])
  })

  it("never throws, whatever the events hold", () => {
    const type = FastCheck.constantFrom(
      "message-start",
      "content-start",
      "content-delta",
      "tool-plan-delta",
      "tool-call-start",
      "tool-call-delta",
      "tool-call-end",
      "citation-start",
      "message-end",
      "debug"
    )
    const inner = FastCheck.constantFrom<unknown>(
      { tool_calls: { id: "a", function: { name: "now", arguments: "{" } } },
      { tool_calls: [] },
      { content: { thinking: 1 } },
      { content: { text: "a" } },
      { citations: [1] },
      null
    )
    const event = FastCheck.record({
      type,
      index: FastCheck.constantFrom<unknown>(0, 1, "x", undefined),
      delta: FastCheck.oneof(
        inner.map((content) => ({ message: content, finish_reason: "MAX_TOKENS" })),
        FastCheck.jsonValue()
      )
    })
    FastCheck.assert(
      FastCheck.property(FastCheck.array(event, { maxLength: 12 }), shares, (list, cuts) => {
        expect(readStream(format, body(list), cuts).turn.format).toBe(format.name)
      }),
      { numRuns: runs(300) }
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array(), (bytes) => {
        expect(readStream(format, bytes).turn.format).toBe(format.name)
      })
    )
  })
})
