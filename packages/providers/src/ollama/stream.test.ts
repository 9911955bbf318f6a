import { describe, expect, it } from "@effect/vitest"
import { Turn } from "@wield/core"
import { Either, FastCheck } from "effect"
import { deltas, readStream } from "../../test/readStream.js"
import { format } from "../Ollama.js"
import { runs } from "../../../../test/sizes.js"

const head = { model: "qwen3", created_at: "2025-11-01T10:00:00.5Z" }
const counts = { total_duration: 5, prompt_eval_count: 20, eval_count: 7 }

const body = (lines: ReadonlyArray<object>): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))

const line = (message: object) => ({ ...head, message: { role: "assistant", content: "", ...message }, done: false })
const last = (reason = "stop") => ({
  ...head,
  message: { role: "assistant", content: "" },
  done: true,
  done_reason: reason,
  ...counts
})

const pieces = (text: string): ReadonlyArray<string> => text.match(/[^]{1,3}/gu) ?? []

const word = FastCheck.string({ unit: "grapheme", maxLength: 12 })
const call = FastCheck.tuple(
  FastCheck.constantFrom("now", "__proto__"),
  FastCheck.dictionary(word, FastCheck.jsonValue({ maxDepth: 1 }), { maxKeys: 4 }),
  FastCheck.option(FastCheck.constantFrom("call_a", "call_b"), { nil: undefined })
).map(
  ([name, input, id]) =>
    // Through JSON once, as everything is that arrives.
    JSON.parse(JSON.stringify({ ...(id === undefined ? {} : { id }), function: { name, arguments: input } })) as object
)
const content = FastCheck.record({ thinking: word, text: word, calls: FastCheck.array(call, { maxLength: 3 }) })
const shares = FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 })

describe("a stream of Ollama's", () => {
  it("ends in the turn that the response without a stream gives, wherever the body is cut", () => {
    FastCheck.assert(
      FastCheck.property(content, FastCheck.boolean(), shares, ({ calls, text, thinking }, isTogether, cuts) => {
        const bytes = body([
          ...pieces(thinking).map((piece) => line({ thinking: piece })),
          ...pieces(text).map((piece) => line({ content: piece })),
          ...(isTogether && calls.length > 0
            ? [line({ tool_calls: calls })]
            : calls.map((each) => line({ tool_calls: [each] }))),
          last()
        ])
        const response = {
          ...last(),
          message: {
            role: "assistant",
            content: text,
            ...(thinking === "" ? {} : { thinking }),
            ...(calls.length === 0 ? {} : { tool_calls: calls })
          }
        }
        const whole = readStream(format, bytes)
        expect(whole.failure).toBeUndefined()
        expect(whole.turn).toEqual(Either.getOrThrow(format.decodeTurn(response)))
        expect(readStream(format, bytes, cuts)).toEqual(whole)
        expect(deltas(whole.events, "TextDelta") + deltas(whole.events, "ReasoningDelta")).toBe(text + thinking)
      })
    )
  })

  it("announces a call with its line, and counts calls over all lines", () => {
    const now = { function: { name: "now", arguments: { zone: "UTC" }, index: 0 } }
    const { events, turn } = readStream(
      format,
      body([line({ tool_calls: [now] }), line({ tool_calls: [now] }), last()])
    )
    expect(events.map((event) => event._tag)).toEqual([
      "CallStarted",
      "ArgumentsDelta",
      "CallComplete",
      "CallStarted",
      "ArgumentsDelta",
      "CallComplete",
      "UsageKnown",
      "Finished"
    ])
    expect(Turn.calls(turn).map(({ id }) => id)).toEqual(["call_20251101T1000005Z_0", "call_20251101T1000005Z_1"])
    expect(turn).toMatchObject({ finish: "calls", usage: { input: 20, output: 7 } })
  })

  it("marks a turn that broke off, and reads a last line without its end", () => {
    const lines = [line({ content: "Hel" }), line({ content: "lo" })]
    expect(readStream(format, body(lines)).turn).toMatchObject({
      parts: [{ _tag: "Text", text: "Hello" }],
      native: [{ role: "assistant", content: "Hello" }],
      isComplete: false,
      finish: "other"
    })
    const bytes = body([...lines, last()])
    expect(readStream(format, bytes.subarray(0, bytes.length - 1)).turn.isComplete).toBe(true)
    expect(readStream(format, bytes.subarray(0, bytes.length - 2)).failure?._tag).toBe("WireError")
  })

  it("fails with an error that takes the place of a line", () => {
    const { failure, turn } = readStream(
      format,
      body([line({ content: "Hel" }), { error: "an error was encountered" }])
    )
    expect(failure).toMatchObject({ _tag: "ProviderUnavailable", detail: "an error was encountered" })
    expect(turn).toMatchObject({ isComplete: false, finish: "error" })
  })

  it("never throws, whatever the lines hold", () => {
    const odd = FastCheck.oneof(
      FastCheck.constantFrom<object>(
        line({ tool_calls: {} }),
        line({ tool_calls: [null] }),
        line({ tool_calls: [{ function: { name: "now" } }] }),
        { message: "text", done: "yes" },
        { message: { content: [1], thinking: {} }, done: true },
        last("length")
      ),
      FastCheck.jsonValue()
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(odd, { maxLength: 8 }), shares, (list, cuts) => {
        const text = list.map((each) => JSON.stringify(each)).join("\n")
        expect(readStream(format, new TextEncoder().encode(text), cuts).turn.format).toBe(format.name)
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
