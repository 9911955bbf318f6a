import { describe, expect, it } from "@effect/vitest"
import type { TurnEvent } from "@wield/core"
import { Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Gemini from "../Gemini.js"
import { runs } from "../../../../test/sizes.js"

const encoder = new TextEncoder()

const read = (pieces: ReadonlyArray<string | Uint8Array>) => {
  const decoder = Gemini.streamDecoder()
  const events = pieces.flatMap((piece) => decoder.push(typeof piece === "string" ? encoder.encode(piece) : piece))
  events.push(...decoder.end())
  const last = events.at(-1)
  if (last?._tag !== "Finished") throw new Error("Finished is not last")
  return { events: events.slice(0, -1), turn: last.turn, failure: decoder.failure() }
}

const body = (chunks: ReadonlyArray<unknown>) =>
  chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("")

const counts = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }

const chunk = (parts: ReadonlyArray<unknown>, candidate: object = {}, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...candidate }],
  modelVersion: "gemini-3-flash-preview",
  responseId: "r1",
  ...more
})

const stop = { finishReason: "STOP" }
const stream = (...chunks: ReadonlyArray<unknown>) => read([body(chunks)])
const call = (functionCall: object, more: object = {}) => ({ functionCall, ...more })

const tags = (events: ReadonlyArray<TurnEvent.TurnEvent>) =>
  events.map((event) => ("index" in event ? `${event._tag} ${event.index}` : event._tag))

it("begins behind a byte order mark, wherever it is cut", () => {
  const bytes = encoder.encode(`\uFEFF${body([chunk([{ text: "Noon." }], stop)])}`)
  for (const at of [0, 1, 2, 3, 4]) {
    const { failure, turn } = read([bytes.subarray(0, at), bytes.subarray(at)])
    expect([at, failure, turn.parts.map((part) => part._tag)]).toEqual([at, undefined, ["Text"]])
  }
})

it("gives text and thoughts as they come, and joins each into one part", () => {
  const { events, turn } = stream(
    chunk([{ text: "Orders ", thought: true }], {}, { usageMetadata: { promptTokenCount: 10 } }),
    chunk([{ text: "first.", thought: true }, { text: "Let " }]),
    chunk([{ text: "me look." }]),
    chunk([{ text: "", thoughtSignature: "c2ln" }]),
    chunk([{ text: "" }], stop, { usageMetadata: counts })
  )
  expect(tags(events)).toEqual([
    "UsageKnown",
    "ReasoningDelta",
    "ReasoningDelta",
    "TextDelta",
    "TextDelta",
    "UsageKnown"
  ])
  expect(turn.parts).toEqual([
    {
      _tag: "Reasoning",
      text: "Orders first.",
      native: { format: "gemini", json: [{ text: "Orders first.", thought: true }] }
    },
    { _tag: "Text", text: "Let me look." }
  ])
  expect(turn.native).toEqual([
    {
      role: "model",
      parts: [
        { text: "Orders first.", thought: true },
        { text: "Let me look." },
        { text: "", thoughtSignature: "c2ln" }
      ]
    }
  ])
  expect(turn).toMatchObject({ id: "r1", finish: "stop", isComplete: true, usage: { input: 10, output: 5 } })
})

it("keeps a signed text apart in the native content only", () => {
  const { turn } = stream(chunk([{ text: "Hel" }]), chunk([{ text: "lo.", thoughtSignature: "c2ln" }], stop))
  expect(turn.parts).toEqual([{ _tag: "Text", text: "Hello." }])
  expect(turn.native).toMatchObject([{ parts: [{ text: "Hel" }, { text: "lo.", thoughtSignature: "c2ln" }] }])
})

it("announces a whole call at once, with an id where Gemini sent none", () => {
  const now = { name: "now", args: { zone: "UTC" } }
  const { events, turn } = stream(
    chunk([call(now, { thoughtSignature: "c2ln" }), call({ ...now, id: "fc1" })]),
    chunk([call({ name: "read_theme" })], stop)
  )
  expect(tags(events)).toEqual(
    [0, 1, 2].flatMap((index) => [`CallStarted ${index}`, `ArgumentsDelta ${index}`, `CallComplete ${index}`])
  )
  expect(Turn.calls(turn)).toEqual([
    { id: "call_r1_0", name: "now", arguments: { zone: "UTC" } },
    { id: "fc1", name: "now", arguments: { zone: "UTC" } },
    { id: "call_r1_2", name: "read_theme", arguments: {} }
  ])
  expect(turn.native).toMatchObject([
    { parts: [{ thoughtSignature: "c2ln" }, {}, { functionCall: { name: "read_theme" } }] }
  ])
})

describe("arguments that stream leaf by leaf (Vertex AI)", () => {
  const leaf = (jsonPath: string, value: object, isLast = false) =>
    call({ partialArgs: [{ jsonPath, ...value }], ...(isLast ? {} : { willContinue: true }) })

  it("are put together, and the call is complete with the last of them", () => {
    const { events, turn } = stream(
      chunk([call({ name: "cook", willContinue: true }, { thoughtSignature: "c2ln" })]),
      chunk([leaf("$.recipe.steps[0]", { stringValue: "Bo", willContinue: true })]),
      chunk([leaf("$.recipe.steps[0]", { stringValue: "il.", willContinue: true })]),
      chunk([leaf("$.recipe.steps[0]", { stringValue: "" })]),
      chunk([call({ willContinue: true })]),
      chunk([leaf("$.recipe.steps[1]", { stringValue: "Eat." })]),
      chunk([leaf("$.recipe['the time']", { numberValue: 12.5 })]),
      chunk([leaf('$.recipe["__proto__"]', { boolValue: false }), leaf("$.note", { nullValue: "NULL_VALUE" })]),
      chunk([call({})]),
      chunk([call({ name: "cook", willContinue: true })]),
      chunk([call({})], stop)
    )
    const args = JSON.parse(
      '{"recipe":{"steps":["Boil.","Eat."],"the time":12.5,"__proto__":false},"note":null}'
    ) as unknown
    expect(tags(events)).toEqual([
      "CallStarted 0",
      "ArgumentsDelta 0",
      "CallComplete 0",
      "CallStarted 1",
      "ArgumentsDelta 1",
      "CallComplete 1"
    ])
    expect(turn.native).toEqual([
      {
        role: "model",
        parts: [
          { functionCall: { name: "cook", args }, thoughtSignature: "c2ln" },
          { functionCall: { name: "cook", args: {} } }
        ]
      }
    ])
    expect(Turn.calls(turn).map((each) => each.arguments)).toEqual([args, {}])
  })

  it("find their call by its id, or by the repeated name", () => {
    const piece = (functionCall: object) => chunk([call(functionCall)])
    const at = (stringValue: string) => [{ json_path: "$.a", string_value: stringValue }]
    const { turn } = stream(
      piece({ name: "f", id: "1", will_continue: true }),
      piece({ name: "f", id: "2", will_continue: true }),
      piece({ id: "1", partial_args: at("one"), will_continue: true }),
      piece({ name: "f", id: "2", partial_args: at("two"), will_continue: true }),
      piece({ id: "1" }),
      piece({ id: "2" }),
      chunk([], stop)
    )
    expect(Turn.calls(turn).map((each) => each.arguments)).toEqual([{ a: "one" }, { a: "two" }])
  })

  it("make no call when the last of them did not come", () => {
    const { events, turn } = stream(
      chunk([{ text: "Well." }, call({ name: "cook", willContinue: true })]),
      chunk([leaf("$.recipe.name", { stringValue: "Soup", willContinue: true })])
    )
    expect(tags(events)).toEqual(["TextDelta", "CallStarted 0"])
    expect(turn).toMatchObject({ parts: [{ _tag: "Text" }], isComplete: false, finish: "other" })
    expect(turn.native).toEqual([{ role: "model", parts: [{ text: "Well." }] }])
  })

  it.each([["$"], ["name"], ["$..a"], ["$[0]"], ["$.a[999999999999]"], [`$${".a".repeat(300)}`], [7]])(
    "say where the path %s is none",
    (jsonPath) => {
      const { failure } = stream(chunk([call({ name: "f", willContinue: true }), leaf(jsonPath as string, {})]))
      expect(failure).toMatchObject({ _tag: "WireError", path: ["functionCall", "partialArgs"] })
    }
  )
})

it("has no events of calls that Google runs itself, and sends back none without its result", () => {
  const code = { executableCode: { language: "PYTHON", code: "1+1", id: "x" }, thoughtSignature: "c2ln" }
  const output = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } }
  const { events, turn } = stream(chunk([code, { text: "" }]), chunk([output]), chunk([{ text: "Two." }], stop))
  expect(tags(events)).toEqual(["TextDelta"])
  expect(turn.parts).toMatchObject([{ _tag: "Call", executedBy: "provider" }, { _tag: "Text" }])
  expect(turn.native).toMatchObject([{ parts: [code, output, { text: "Two." }] }])
  expect(stream(chunk([code])).turn).toMatchObject({ parts: [], native: [], isComplete: false })
})

it("reads the first of several candidates, in chunks of their own or together", () => {
  const both = { candidates: [0, 1].map((index) => ({ index, content: { parts: [{ text: `${index}` }] } })) }
  const second = { candidates: [{ index: 1, content: { parts: [{ text: "1" }] }, finishReason: "SAFETY" }] }
  const { turn } = stream(both, second, chunk([{ text: "0" }], stop))
  expect(turn).toMatchObject({ parts: [{ text: "00" }], finish: "stop" })
})

it("reads the array that the API streams without alt=sse", () => {
  const chunks = [chunk([{ text: 'He said "{[\\' }]), chunk([{ text: '"]}.' }], stop)]
  const text = JSON.stringify(chunks, null, 2)
  const whole = read([body(chunks)])
  expect(read([text])).toEqual(whole)
  expect(read(Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte))).turn).toEqual(whole.turn)
  expect(read([text.slice(0, -20)]).turn.isComplete).toBe(false)
  expect(read([`\ufeff${text}`])).toEqual(whole)
})

it("reads the array of chunks as one event, and as a body", () => {
  const chunks = [
    chunk([{ text: "Let me " }], {}, { usageMetadata: { promptTokenCount: 10 } }),
    chunk([{ text: "look." }]),
    chunk([call({ name: "now", args: { zone: "UTC" } })], stop, { usageMetadata: counts })
  ]
  const { turn } = read([body(chunks)])
  expect(read([body([chunks])]).turn).toEqual(turn)
  expect(Gemini.format.isFormatOf(chunks)).toBe(true)
  expect(Gemini.decodeTurn(chunks)).toEqual(Either.right(turn))
  expect(Gemini.decodeTurn(chunks.slice(0, 2))).toMatchObject({ right: { isComplete: false, finish: "other" } })
})

it("says which chunk of an array is wrong", () => {
  const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" }
  const begun = chunk([{ text: "Well" }])
  expect(Gemini.decodeTurn([begun, { error }])).toMatchObject({ left: { path: ["error"] } })
  expect(Gemini.decodeTurn([{ error }])).toMatchObject({ left: { path: ["error"] } })
  expect(Gemini.decodeError({ status: 503, body: [begun, { error }] })).toMatchObject({
    _tag: "ProviderUnavailable",
    detail: "The model is overloaded."
  })
  expect(Gemini.decodeTurn([begun, chunk([4])])).toMatchObject({ left: { path: [1, "parts"] } })
  expect(Gemini.decodeTurn([begun, "text"])).toMatchObject({ left: { path: [1] } })
  expect(Gemini.decodeTurn([])).toMatchObject({ left: { path: [] } })
  expect([[], ["text"], [{ hello: "world" }]].map(Gemini.format.isFormatOf)).toEqual([false, false, false])
})

it("ends with an error that comes within the stream", () => {
  const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" }
  for (const message of [{ error }, [{ error }]]) {
    const { failure, turn } = stream(chunk([{ text: "Well" }]), message, chunk([], stop))
    expect(failure).toMatchObject({ _tag: "ProviderUnavailable", code: "UNAVAILABLE" })
    expect(turn).toMatchObject({ finish: "error", isComplete: false, parts: [{ text: "Well" }] })
  }
})

it("tells that the answer was withheld midway", () => {
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 3 } }
  const { failure, turn } = stream(chunk([{ text: "They" }]), blocked)
  expect(failure).toBeUndefined()
  expect(turn).toMatchObject({ parts: [{ text: "They" }], finish: "filter", nativeFinish: "PROHIBITED_CONTENT" })
  expect(turn.isComplete).toBe(true)
})

it("tells that the prompt was refused", () => {
  const { events, turn } = stream({
    promptFeedback: { blockReason: "PROHIBITED_CONTENT", blockReasonMessage: "Not this." },
    usageMetadata: counts
  })
  expect(tags(events)).toEqual(["UsageKnown", "RefusalDelta"])
  expect(turn).toMatchObject({ finish: "filter", isComplete: true, nativeFinish: "PROHIBITED_CONTENT" })
})

const word = FastCheck.string({ minLength: 1, unit: "grapheme" })
const signature = FastCheck.option(FastCheck.base64String({ minLength: 4 }), { nil: undefined })

/** A part as it comes whole. */
const part = FastCheck.oneof(
  FastCheck.record({ text: word }),
  FastCheck.record({ text: word, thought: FastCheck.constant(true) }),
  FastCheck.tuple(
    signature,
    FastCheck.option(FastCheck.uuid(), { nil: undefined }),
    FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue())
  ).map(([signed, id, args]) => ({
    functionCall: { name: "get_orders", args, ...(id === undefined ? {} : { id }) },
    ...(signed === undefined ? {} : { thoughtSignature: signed })
  }))
)

/** Text goes on across chunks, so two of one kind in a row would be one. */
const parts = FastCheck.array(part, { maxLength: 5 }).map((all) =>
  all.filter((each, index) => {
    const before = all[index - 1]
    return !(before !== undefined && "text" in each && "text" in before && "thought" in each === "thought" in before)
  })
)

const places = FastCheck.array(FastCheck.nat(), { maxLength: 6 })

const cutAt = (value: string, at: ReadonlyArray<number>): ReadonlyArray<string> => {
  const sorted = [0, ...at.map((place) => place % (value.length + 1)).sort((left, right) => left - right)]
  return sorted.map((from, index) => value.slice(from, sorted[index + 1] ?? value.length))
}

it("gives the turn of the response that does not stream, however the bytes are cut", () => {
  FastCheck.assert(
    FastCheck.property(parts, places, FastCheck.constantFrom("STOP", "MAX_TOKENS", "SAFETY"), (whole, cuts, reason) => {
      const streamed = whole.flatMap((each) =>
        "text" in each
          ? cutAt(each.text, cuts).map((text) => chunk([{ ...each, text }]))
          : [chunk([each], {}, { usageMetadata: { promptTokenCount: 1 } })]
      )
      const last = chunk([{ text: "" }], { finishReason: reason }, { usageMetadata: counts })
      const bytes = encoder.encode(body([...streamed, last]))
      const { events, turn } = read([bytes])
      expect(turn).toStrictEqual(
        Either.getOrThrow(Gemini.decodeTurn(chunk(whole, { finishReason: reason }, { usageMetadata: counts })))
      )
      const announced = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part] : []))
      expect(announced).toStrictEqual(turn.parts.filter((each) => each._tag === "Call"))
      const points = cuts.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right)
      const pieces = [0, ...points].map((from, index) => bytes.subarray(from, points[index] ?? bytes.length))
      expect(read(pieces).turn).toStrictEqual(turn)
    }),
    { numRuns: runs(60) }
  )
})

it("never throws, and ends once, whatever the chunks", () => {
  const noise = FastCheck.oneof(FastCheck.jsonValue(), FastCheck.constantFrom({}, [], "", null, 7))
  const anyCall = FastCheck.record(
    {
      name: FastCheck.oneof(noise, FastCheck.constant("f")),
      id: noise,
      args: noise,
      willContinue: FastCheck.oneof(noise, FastCheck.boolean()),
      partialArgs: FastCheck.oneof(
        noise,
        FastCheck.array(
          FastCheck.record({ jsonPath: FastCheck.constantFrom("$.a", "$.a[0]", "$.a.b", "$"), stringValue: noise })
        )
      )
    },
    { requiredKeys: [] }
  )
  const anyPart = FastCheck.record(
    { text: noise, functionCall: FastCheck.oneof(noise, anyCall), thoughtSignature: noise, toolCall: noise },
    { requiredKeys: [] }
  )
  const anyChunk = FastCheck.oneof(
    noise,
    FastCheck.array(FastCheck.oneof(noise, anyPart)).map((all) => chunk(all)),
    FastCheck.record({ candidates: noise, usageMetadata: noise, promptFeedback: noise, error: noise })
  )
  FastCheck.assert(
    FastCheck.property(FastCheck.array(anyChunk), FastCheck.boolean(), (chunks, isArray) => {
      const { events, turn } = read([isArray ? JSON.stringify(chunks) : body(chunks)])
      const announced = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part] : []))
      expect(turn.parts.filter((each) => each._tag === "Call" && each.executedBy === "application")).toHaveLength(
        announced.length
      )
    }),
    { numRuns: runs(500) }
  )
})
