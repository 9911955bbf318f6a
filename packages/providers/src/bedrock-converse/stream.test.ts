import { describe, expect, it } from "@effect/vitest"
import { ToolDefinition, Turn } from "@wield/core"
import { Either, FastCheck } from "effect"
import { deltas, readStream } from "../../test/readStream.js"
import type { Event } from "../../test/streamBody.js"
import { eventFrame, eventStream as body } from "../../test/streamBody.js"
import { format } from "../BedrockConverse.js"
import * as NameMap from "../NameMap.js"
import { nameRule } from "./format.js"
import { runs } from "../../../../test/sizes.js"

const start = (index: number, toolUse: object): Event => [
  "contentBlockStart",
  { contentBlockIndex: index, start: { toolUse } }
]
const delta = (index: number, content: object): Event => [
  "contentBlockDelta",
  { contentBlockIndex: index, delta: content }
]
const stop = (index: number): Event => ["contentBlockStop", { contentBlockIndex: index }]
const begin: Event = ["messageStart", { role: "assistant" }]
const end = (stopReason: string): Event => ["messageStop", { stopReason }]
const metadata: Event = [
  "metadata",
  { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } }
]

const now = { toolUseId: "tooluse_1", name: "now" }

/** A text in the pieces in which a stream may carry it. */
const pieces = (text: string): ReadonlyArray<string> => text.match(/[^]{1,3}/gu) ?? []

const word = FastCheck.string({ unit: "grapheme", minLength: 1, maxLength: 12 })
const block = FastCheck.oneof(
  word.map((text) => ({ text })),
  FastCheck.record({ text: word, signature: FastCheck.base64String({ minLength: 4 }) }).map((reasoningText) => ({
    reasoningContent: { reasoningText }
  })),
  FastCheck.base64String({ minLength: 4 }).map((redactedContent) => ({ reasoningContent: { redactedContent } })),
  FastCheck.tuple(word, FastCheck.array(FastCheck.record({ title: word }), { minLength: 1, maxLength: 3 })).map(
    ([text, citations]) => ({ citationsContent: { content: [{ text }], citations } })
  ),
  FastCheck.tuple(
    FastCheck.constantFrom("get_orders", "now", "__proto__"),
    FastCheck.dictionary(word, FastCheck.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }),
    FastCheck.boolean()
  ).map(([name, input, isServer]) => ({
    // Through JSON once, as everything is that arrives.
    toolUse: JSON.parse(JSON.stringify({ name, input, ...(isServer ? { type: "server_tool_use" } : {}) })) as object
  }))
)
const content = FastCheck.array(block, { maxLength: 6 }).map((blocks) =>
  blocks.map((each, index) =>
    "toolUse" in each ? { toolUse: { toolUseId: `tooluse_${index}`, ...each.toolUse } } : each
  )
)

const events = (index: number, each: object): ReadonlyArray<Event> => {
  const { text, toolUse, reasoningContent, citationsContent } = each as {
    readonly text?: string
    readonly toolUse?: { readonly input: object }
    readonly reasoningContent?: {
      readonly reasoningText?: { readonly text: string; readonly signature: string }
      readonly redactedContent?: string
    }
    readonly citationsContent?: {
      readonly content: ReadonlyArray<{ readonly text: string }>
      readonly citations: ReadonlyArray<object>
    }
  }
  if (toolUse !== undefined) {
    const { input, ...head } = toolUse
    return [
      start(index, head),
      ...pieces(JSON.stringify(input)).map((piece) => delta(index, { toolUse: { input: piece } })),
      stop(index)
    ]
  }
  if (reasoningContent !== undefined) {
    const { reasoningText, redactedContent } = reasoningContent
    const parts =
      reasoningText === undefined
        ? [{ redactedContent }]
        : [...pieces(reasoningText.text).map((piece) => ({ text: piece })), { signature: reasoningText.signature }]
    return [...parts.map((part) => delta(index, { reasoningContent: part })), stop(index)]
  }
  const said = text ?? citationsContent?.content[0]?.text ?? ""
  return [
    ...pieces(said).map((piece) => delta(index, { text: piece })),
    ...(citationsContent?.citations ?? []).map((citation) => delta(index, { citation })),
    stop(index)
  ]
}

const streamed = (blocks: ReadonlyArray<object>, reason = "tool_use"): ReadonlyArray<Event> => [
  begin,
  ...blocks.flatMap((each, index) => events(index, each)),
  end(reason),
  metadata
]

const response = (blocks: ReadonlyArray<object>, stopReason = "tool_use") => ({
  output: { message: { role: "assistant", content: blocks } },
  stopReason,
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
})

const shares = FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })

describe("a ConverseStream", () => {
  it("ends in the turn that Converse gives, wherever the body is cut", () => {
    FastCheck.assert(
      FastCheck.property(content, shares, (blocks, cuts) => {
        const bytes = body(streamed(blocks))
        const whole = readStream(format, bytes)
        expect(whole.failure).toBeUndefined()
        expect(whole.turn).toEqual(Either.getOrThrow(format.decodeTurn(response(blocks))))
        expect(readStream(format, bytes, cuts)).toEqual(whole)
        expect(deltas(whole.events, "TextDelta")).toBe(Turn.text(whole.turn))
      })
    )
  })

  it("announces a call as soon as its arguments are whole, while the rest still streams", () => {
    const { events: all } = readStream(
      format,
      body([
        begin,
        start(0, now),
        delta(0, { toolUse: { input: '{"zone":' } }),
        delta(0, { toolUse: { input: '"UTC"}' } }),
        stop(0),
        delta(1, { text: "One moment." }),
        stop(1),
        end("tool_use")
      ])
    )
    expect(all.map((event) => event._tag)).toEqual([
      "CallStarted",
      "ArgumentsDelta",
      "ArgumentsDelta",
      "CallComplete",
      "TextDelta",
      "Finished"
    ])
    expect(all[0]).toEqual({ _tag: "CallStarted", index: 0, id: "tooluse_1", name: "now" })
    expect(all[3]).toMatchObject({ part: { call: { id: "tooluse_1", name: "now", arguments: { zone: "UTC" } } } })
  })

  it("tells calls apart whose blocks arrive in each other's midst", () => {
    const { turn } = readStream(
      format,
      body([
        begin,
        start(0, now),
        start(1, { toolUseId: "tooluse_2", name: "now" }),
        delta(1, { toolUse: { input: '{"zone":"CET"}' } }),
        delta(0, { toolUse: { input: '{"zone":' } }),
        stop(1),
        delta(0, { toolUse: { input: '"UTC"}' } }),
        stop(0),
        end("tool_use")
      ])
    )
    expect(Turn.calls(turn).map((call) => [call.id, call.arguments])).toEqual([
      ["tooluse_1", { zone: "UTC" }],
      ["tooluse_2", { zone: "CET" }]
    ])
  })

  it("takes no arguments for an empty object once it is clear that they were not cut off", () => {
    const calling = [begin, start(0, now), delta(0, { toolUse: { input: "" } }), stop(0)]
    const { events: all, turn } = readStream(format, body([...calling, end("tool_use")]))
    expect(all.map((event) => event._tag)).toEqual(["CallStarted", "CallComplete", "Finished"])
    expect(turn.native).toEqual([{ role: "assistant", content: [{ toolUse: { ...now, input: {} } }] }])
    const cut = readStream(format, body([...calling, end("max_tokens")])).turn
    expect(cut).toMatchObject({ parts: [], native: [], finish: "length", isComplete: true })
  })

  it("hands broken arguments to the runner as text, and leaves out a call that a limit cut off", () => {
    const calling = [begin, start(0, now), delta(0, { toolUse: { input: '{"zone":"U' } }), stop(0)]
    const broken = readStream(format, body([...calling, end("tool_use")])).turn
    expect(Turn.calls(broken)).toEqual([{ id: "tooluse_1", name: "now", arguments: '{"zone":"U' }])
    expect(broken.native).toEqual([{ role: "assistant", content: [{ toolUse: { ...now, input: {} } }] }])
    const cut = readStream(
      format,
      body([
        begin,
        delta(0, { text: "Let me see." }),
        stop(0),
        start(1, now),
        delta(1, { toolUse: { input: '{"zone":"U' } }),
        stop(1),
        end("max_tokens")
      ])
    ).turn
    expect(cut.parts).toEqual([{ _tag: "Text", text: "Let me see." }])
    expect(cut.native).toEqual([{ role: "assistant", content: [{ text: "Let me see." }] }])
  })

  it("keeps what came of a body that breaks off anywhere, and only calls that are whole", () => {
    FastCheck.assert(
      FastCheck.property(content, FastCheck.double({ min: 0, max: 0.999, noNaN: true }), (blocks, share) => {
        const list = streamed(blocks)
        const kept = list.slice(0, Math.floor(share * (list.length - 2)))
        const { failure, turn } = readStream(format, body(kept))
        expect(failure).toMatchObject({ _tag: "WireError" })
        expect(turn).toMatchObject({ isComplete: false, finish: "other" })
        // What is sent back is a message that the API reads, with the same calls.
        const message = turn.native[0] ?? { role: "assistant", content: [] }
        const again = Either.getOrThrow(format.decodeTurn({ output: { message }, stopReason: "end_turn" }))
        expect(Turn.calls(again)).toEqual(Turn.calls(turn))
        const reasoning = JSON.stringify(message).match(/"reasoningText"/g)?.length ?? 0
        expect(JSON.stringify(message).match(/"signature"/g)?.length ?? 0).toBe(reasoning)
      })
    )
  })

  it("reports a body that ends inside of a frame, but for that of the usage", () => {
    const bytes = body(streamed([{ text: "Hello" }]))
    const stopped = bytes.length - body([metadata]).length
    const { failure, turn } = readStream(format, bytes.subarray(0, stopped - 3))
    expect(failure).toMatchObject({ _tag: "WireError" })
    expect(turn).toMatchObject({ parts: [{ _tag: "Text", text: "Hello" }], isComplete: false, finish: "other" })
    const whole = readStream(format, bytes.subarray(0, bytes.length - 3))
    expect(whole.failure).toBe(undefined)
    expect(whole.turn).toMatchObject({ parts: turn.parts, isComplete: true })
  })

  it.each([
    ["throttlingException", "RateLimited"],
    ["modelStreamErrorException", "ProviderUnavailable"],
    ["internalServerException", "ProviderUnavailable"],
    ["serviceUnavailableException", "ProviderUnavailable"],
    ["validationException", "RequestRejected"],
    ["somethingNewException", "ProviderUnavailable"]
  ])("fails with what the exception %s means: %s", (name, tag) => {
    const bytes = new Uint8Array([
      ...body([begin, delta(0, { text: "Let me" })]),
      ...eventFrame([name, { message: "No." }], "exception"),
      ...body([delta(0, { text: " look." })])
    ])
    const { failure, turn } = readStream(format, bytes)
    expect(failure).toMatchObject({ _tag: tag, code: name, detail: "No." })
    expect(turn).toMatchObject({ parts: [{ _tag: "Text", text: "Let me" }], finish: "error", isComplete: false })
  })

  it("starts a call once whose start is sent twice", () => {
    const call = delta(0, { toolUse: { input: '{"a":1}' } })
    const { turn } = readStream(format, body([begin, start(0, now), start(0, now), call, stop(0), end("tool_use")]))
    expect(Turn.calls(turn)).toEqual([{ id: now.toolUseId, name: now.name, arguments: { a: 1 } }])
  })

  it("maps names back", () => {
    const definitions = [ToolDefinition.make({ name: "shop/get orders" })]
    const name = NameMap.make(definitions, nameRule).toNative("shop/get orders")
    const bytes = body(streamed([{ toolUse: { toolUseId: "tooluse_1", name, input: { a: 1 } } }]))
    const { events: all, turn } = readStream(format, bytes, [], { definitions })
    expect(all[0]).toMatchObject({ _tag: "CallStarted", name: "shop/get orders" })
    expect(Turn.calls(turn)[0]?.name).toBe("shop/get orders")
  })

  it("ignores events and blocks that it does not know", () => {
    const { failure, turn } = readStream(
      format,
      body([
        ["initial-response", {}],
        begin,
        ["somethingNew", { contentBlockIndex: 0 }],
        delta(0, { somethingNew: 1 }),
        delta(1, { text: "Hello" }),
        stop(0),
        stop(1),
        stop(7),
        end("end_turn")
      ])
    )
    expect(failure).toBeUndefined()
    expect(turn).toMatchObject({ parts: [{ _tag: "Text", text: "Hello" }], finish: "stop", isComplete: true })
  })

  it("never throws, whatever the frames hold", () => {
    const types = FastCheck.constantFrom(
      "messageStart",
      "contentBlockStart",
      "contentBlockDelta",
      "contentBlockStop",
      "messageStop",
      "metadata"
    )
    const odd = FastCheck.oneof(
      FastCheck.constantFrom<object>(
        { contentBlockIndex: 0 },
        { contentBlockIndex: 0, start: { toolUse: now } },
        { contentBlockIndex: 0, start: { toolUse: null } },
        { contentBlockIndex: "x", delta: { text: "a" } },
        { contentBlockIndex: 0, delta: { toolUse: { input: "{" } } },
        { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent: "%%%" } } },
        { stopReason: "max_tokens" },
        { usage: { inputTokens: "many" } }
      ),
      FastCheck.dictionary(word, FastCheck.jsonValue({ maxDepth: 1 }), { maxKeys: 4 })
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(FastCheck.tuple(types, odd), { maxLength: 12 }), shares, (list, cuts) => {
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

  it("joins a long argument text in time that grows with its length only", () => {
    const list = [begin, start(0, now), ...Array.from({ length: 20_000 }, () => delta(0, { toolUse: { input: "[" } }))]
    const { turn } = readStream(format, body([...list, stop(0), end("tool_use")]))
    expect(Turn.calls(turn)[0]?.arguments).toHaveLength(20_000)
  })
})
