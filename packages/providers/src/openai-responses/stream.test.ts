import { expect, it } from "@effect/vitest"
import { Turn, type TurnEvent } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import { mutated } from "../../test/mutated.js"
import * as OpenAiResponses from "../OpenAiResponses.js"
import { runs } from "../../../../test/sizes.js"

type Item = { readonly type: string; readonly [key: string]: unknown }

const encoder = new TextEncoder()
const bytesOf = (events: ReadonlyArray<object>) =>
  encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""))

const read = (pieces: ReadonlyArray<Uint8Array>, decoder = OpenAiResponses.streamDecoder()) => {
  const events = [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()]
  const last = events.at(-1)
  if (last?._tag !== "Finished") throw new Error("not finished")
  return { events, told: events.slice(0, -1), turn: last.turn, failure: decoder.failure() }
}

const readAll = (...events: ReadonlyArray<object>) => read([bytesOf(events)])

const created = {
  type: "response.created",
  response: { id: "resp_1", model: "gpt-5", status: "in_progress", output: [] }
}
const added = (output_index: number, item: Item) => ({ type: "response.output_item.added", output_index, item })
const done = (output_index: number, item: Item) => ({ type: "response.output_item.done", output_index, item })
const call = (callId: string, args: string): Item => ({
  type: "function_call",
  id: `fc_${callId}`,
  call_id: callId,
  name: "f",
  arguments: args,
  status: "completed"
})
const completed = (output: ReadonlyArray<Item>, rest: object = {}) => ({
  type: "response.completed",
  response: {
    id: "resp_1",
    object: "response",
    model: "gpt-5",
    status: "completed",
    output,
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    ...rest
  }
})
const argumentsDelta = (output_index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta
})
const tags = (events: ReadonlyArray<TurnEvent.TurnEvent>) => events.map((event) => event._tag)
const announced = (events: ReadonlyArray<TurnEvent.TurnEvent>) =>
  events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call] : []))

const spoken = { type: "message", id: "msg_1", role: "assistant", content: { type: "output_text", text: "Hi" } }

it.each([
  ["one without a list", call("a", "{}"), [], ["a"]],
  ["an object by numbers", { 0: call("a", "{}"), 1: spoken }, ["Hi"], ["a"]],
  ["a list with null", [null, call("a", "{}")], [], ["a"]],
  ["a message whose content is no list", spoken, ["Hi"], []],
  ["an empty object", {}, [], []]
])("reads the items of the last event, and of a body, where they are %s", (_, output, texts, calls) => {
  const last = completed([], { output })
  const { failure, told, turn } = readAll(created, last)
  const decoded = Either.getOrUndefined(OpenAiResponses.decodeTurn(last.response))
  for (const one of [turn, ...(decoded === undefined ? [] : [decoded])]) {
    expect([Turn.text(one), Turn.calls(one).map(({ id }) => id)]).toEqual([texts.join(""), calls])
  }
  expect([failure, turn.isComplete, announced(told).map(({ id }) => id)]).toEqual([undefined, true, calls])
})

/** An item, and the events by which the API streams it. */
const streamedItem = (item: Item, index: number): ReadonlyArray<object> => {
  const place = { output_index: index, item_id: item["id"] }
  const deltas = (type: string, text: unknown, rest: object = {}) =>
    [...String(text)].map((delta) => ({ type, ...place, ...rest, delta }))
  const list = (value: unknown) => (Array.isArray(value) ? (value as ReadonlyArray<Record<string, unknown>>) : [])
  switch (item.type) {
    case "message":
      return [
        added(index, { ...item, content: [] }),
        ...list(item["content"]).flatMap((piece, content_index) =>
          piece["type"] === "refusal"
            ? deltas("response.refusal.delta", piece["refusal"], { content_index })
            : deltas("response.output_text.delta", piece["text"], { content_index })
        ),
        done(index, item)
      ]
    case "reasoning":
      return [
        added(index, { ...item, summary: [] }),
        ...list(item["summary"]).flatMap((piece, summary_index) =>
          deltas("response.reasoning_summary_text.delta", piece["text"], { summary_index })
        ),
        done(index, item)
      ]
    case "function_call":
      return [
        added(index, { ...item, arguments: "" }),
        ...deltas("response.function_call_arguments.delta", item["arguments"]),
        done(index, item)
      ]
    default:
      return [added(index, item), done(index, item)]
  }
}

/** Some servers write an empty id of the item, and no index. */
const withoutPlace = (items: ReadonlyArray<Item>) =>
  items.flatMap((item) =>
    streamedItem({ ...item, id: "" }, 0).map((event) => ({ ...event, output_index: undefined, item_id: "" }))
  )

const text = FastCheck.string({ unit: "grapheme", maxLength: 12 })
const item: FastCheck.Arbitrary<(index: number) => Item> = FastCheck.oneof(
  FastCheck.array(text, { maxLength: 2 }).map((texts) => (index: number) => ({
    type: "message",
    id: `msg_${index}`,
    role: "assistant",
    status: "completed",
    content: texts.map((each) => ({ type: "output_text", text: each, annotations: [] }))
  })),
  text.map((refusal) => (index: number) => ({
    type: "message",
    id: `msg_${index}`,
    role: "assistant",
    content: [{ type: "refusal", refusal }]
  })),
  FastCheck.array(text, { maxLength: 2 }).map((texts) => (index: number) => ({
    type: "reasoning",
    id: `rs_${index}`,
    summary: texts.map((each) => ({ type: "summary_text", text: each })),
    encrypted_content: "gAAA"
  })),
  FastCheck.jsonValue().map((value) => (index: number) => call(`call_${index}`, JSON.stringify({ value }))),
  FastCheck.constant((index: number) => ({ type: "web_search_call", id: `ws_${index}`, status: "completed" }))
)
const items = FastCheck.array(item, { maxLength: 5 }).map((makes) => makes.map((make, index) => make(index)))

it("gives the turn of the non-streaming response, however the bytes are cut", () => {
  FastCheck.assert(
    FastCheck.property(items, FastCheck.array(FastCheck.nat(), { maxLength: 20 }), (output, places) => {
      const last = completed(output)
      const bytes = bytesOf([created, ...output.flatMap(streamedItem), last])
      const cuts = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length]
      const cut = read(cuts.map((from, index) => bytes.subarray(from, cuts[index + 1] ?? bytes.length)))
      expect(cut.events).toStrictEqual(read([bytes]).events)
      expect(cut.turn).toStrictEqual(Either.getOrThrow(OpenAiResponses.decodeTurn(last.response)))
      expect(announced(cut.events)).toStrictEqual(
        cut.turn.parts.flatMap((part) => (part._tag === "Call" && part.executedBy === "application" ? [part.call] : []))
      )
    }),
    { numRuns: runs(200) }
  )
})

it("tells of each call as it goes on, also where calls are interleaved", () => {
  const { told } = readAll(
    created,
    added(0, call("a", "")),
    added(1, call("b", "")),
    argumentsDelta(1, '{"y":'),
    argumentsDelta(0, "{}"),
    argumentsDelta(1, "1}"),
    done(0, call("a", "{}")),
    done(1, call("b", '{"y":1}'))
  )
  expect(told).toMatchObject([
    { _tag: "CallStarted", index: 0, id: "a", name: "f" },
    { _tag: "CallStarted", index: 1, id: "b" },
    { _tag: "ArgumentsDelta", index: 1, text: '{"y":' },
    { _tag: "ArgumentsDelta", index: 0, text: "{}" },
    { _tag: "ArgumentsDelta", index: 1, text: "1}" },
    { _tag: "CallComplete", index: 0, part: { call: { id: "a", arguments: "{}" } } },
    { _tag: "CallComplete", index: 1, part: { call: { id: "b", arguments: '{"y":1}' } } }
  ])
})

it("tells what no delta has told once the item is done", () => {
  const message = { type: "message", content: [{ type: "output_text", text: "Hello" }] }
  const { told } = readAll(
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hel" },
    done(0, message),
    done(1, call("a", "{}"))
  )
  expect(told).toMatchObject([
    { _tag: "TextDelta", text: "Hel" },
    { _tag: "TextDelta", text: "lo" },
    { _tag: "CallStarted" },
    { _tag: "ArgumentsDelta", text: "{}" },
    { _tag: "CallComplete" }
  ])
})

it("takes the items of a stream whose last event leaves them out", () => {
  for (const output of [[], undefined]) {
    const last = { type: "response.completed", response: { status: "completed", output } }
    const { turn } = readAll(created, done(0, call("a", "{}")), last)
    expect(turn).toMatchObject({
      id: "resp_1",
      model: "gpt-5",
      native: [call("a", "{}")],
      finish: "calls",
      isComplete: true
    })
  }
})

it("takes the text of a message whose end never came, where the last event leaves it out", () => {
  const message = { type: "message", id: "msg_1", role: "assistant", content: [] }
  const delta = { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hi" }
  const { turn } = readAll(created, added(0, message), delta, completed([]))
  expect(turn).toMatchObject({ parts: [{ _tag: "Text", text: "Hi" }], finish: "stop", isComplete: true })
  expect(turn.native).toMatchObject([{ type: "message", content: [{ type: "output_text", text: "Hi" }] }])
})

it.each([
  ["whole arguments", '{"a":1}', [{ id: "a", name: "f", arguments: '{"a":1}' }]],
  ["arguments that are cut off", '{"a":', []]
])("takes a call with %s whose end never came, where the last event leaves it out", (_, args, calls) => {
  const events = [created, added(0, { ...call("a", ""), status: "in_progress" }), argumentsDelta(0, args)]
  const { told, turn } = readAll(...events, completed([]))
  expect(Turn.calls(turn)).toEqual(calls)
  expect(announced(told)).toEqual(calls)
})

it.each([
  ["response.done", { usage: { input_tokens: 3, output_tokens: 4 } }, "calls"],
  ["response.done", { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
  ["response.completed", {}, "calls"],
  ["response.cancelled", {}, "other"]
])("ends at %s with %j", (type, response, finish) => {
  const { failure, turn } = readAll(created, done(0, call("a", "{}")), { type, response })
  expect(failure).toBeUndefined()
  expect(turn).toMatchObject({ id: "resp_1", finish, isComplete: true, native: [call("a", "{}")] })
})

it("says why a response failed that ends at response.done", () => {
  const error = { code: "server_error", message: "Out of order" }
  const { failure, turn } = readAll(created, { type: "response.done", response: { status: "failed", error } })
  expect(failure).toMatchObject({ _tag: "ProviderUnavailable", detail: "Out of order" })
  expect(turn.finish).toBe("error")
})

it("takes the items that only the last event has, and tells of them", () => {
  const output = [{ type: "mcp_list_tools", id: "mcpl_1", tools: [] }, call("a", "{}")]
  const { told, turn } = readAll(created, completed(output))
  expect(turn.native).toStrictEqual(output)
  expect(tags(told)).toStrictEqual(["UsageKnown", "CallStarted", "ArgumentsDelta", "CallComplete"])
})

it("keeps a call that it announced, whatever the last event has", () => {
  const { told, turn } = readAll(created, done(0, call("a", "{}")), completed([call("a", '{"x":1}')]))
  expect(announced(told)).toMatchObject([{ id: "a", arguments: "{}" }])
  expect(turn.native).toStrictEqual([call("a", "{}")])
  expect(readAll(created, done(0, call("a", "{}")), completed([call("b", "{}")])).turn.native).toHaveLength(2)
})

const textDelta = (delta: string, rest: object = {}) => ({ type: "response.output_text.delta", delta, ...rest })
const said: Item = { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "Hi" }] }
const thought: Item = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] }
const [one, two]: readonly [Item, Item] = [call("a", '{"x":1}'), call("b", '{"x":2}')]
const atZero = (item: Item) => [added(0, { ...item, arguments: "" }), done(0, item)]

it.each<readonly [string, ReadonlyArray<object>, ReadonlyArray<Item>]>([
  ["one after the other", [...atZero(one), ...atZero(two)], [one, two]],
  ["interleaved", [added(0, one), added(0, two), done(0, one), done(0, two)], [one, two]],
  ["only done", [done(0, one), done(0, two), done(0, two)], [one, two]],
  ["a call after reasoning", [added(0, thought), done(0, thought), ...atZero(one)], [thought, one]],
  ["a call after text", [added(0, said), done(0, said), ...atZero(one)], [said, one]],
  [
    "text after a call",
    [...atZero(one), added(0, said), textDelta("Hi", { output_index: 0 }), done(0, said)],
    [one, said]
  ],
  [
    "text after a call, never announced",
    [...atZero(one), textDelta("Hi", { output_index: 0 }), done(0, said)],
    [one, said]
  ],
  [
    "calls with deltas by the ids of their items",
    [
      added(0, { ...one, arguments: "" }),
      added(0, { ...two, arguments: "" }),
      { ...argumentsDelta(0, '{"x":1}'), item_id: one["id"] },
      { ...argumentsDelta(0, '{"x":2}'), item_id: two["id"] },
      done(0, one),
      done(0, two)
    ],
    [one, two]
  ],
  [
    "calls without an index, whose item ids are empty",
    withoutPlace([one, two]),
    [one, two].map((item) => ({ ...item, id: "" }))
  ],
  [
    "calls whose indexes are texts",
    [...streamedItem({ ...one, id: "" }, 0), ...streamedItem({ ...two, id: "" }, 1)].map((event) => ({
      ...event,
      output_index: String(Reflect.get(event, "output_index"))
    })),
    [one, two].map((item) => ({ ...item, id: "" }))
  ],
  [
    "calls whose item ids are all the same",
    [one, two].flatMap((item, index) => streamedItem({ ...item, id: "fc" }, index)),
    [one, two].map((item) => ({ ...item, id: "fc" }))
  ]
])("keeps items apart that come at one place: %s", (_, events, items) => {
  for (const output of [items, []]) {
    const { told, turn } = readAll(created, ...events, completed(output))
    const calls = Turn.calls(turn)
    expect(calls.map(({ arguments: sent, id }) => [id, sent])).toEqual(
      items.flatMap((item) => (item.type === "function_call" ? [[item["call_id"], item["arguments"]]] : []))
    )
    expect(announced(told)).toEqual(calls)
    expect(turn.native).toStrictEqual(items)
    expect(told.filter(({ _tag }) => _tag === "TextDelta")).toHaveLength(items.includes(said) ? 1 : 0)
  }
})

it("keeps items of one id apart that come at places of their own", () => {
  const other = { ...said, content: [{ type: "output_text", text: "There" }] }
  const delta = textDelta("There", { output_index: 1, item_id: "msg_1" })
  for (const events of [[done(1, other)], [delta, done(1, other)]]) {
    const { told, turn } = readAll(created, done(0, said), ...events, completed([]))
    expect(turn.native).toStrictEqual([said, other])
    expect(told.filter(({ _tag }) => _tag === "TextDelta")).toHaveLength(2)
  }
})

it("takes an item for the same that has another id in each event", () => {
  const events = [added(0, { ...said, content: [] }), textDelta("Hi", { output_index: 0, item_id: "x" })]
  const last = { ...said, id: "msg_2" }
  const { told, turn } = readAll(created, ...events, done(0, last), completed([]))
  expect(tags(told)).toEqual(["TextDelta", "UsageKnown"])
  expect(turn.native).toStrictEqual([last])
})

it("holds a call of the shell back until it shows who runs it", () => {
  const shell = { type: "shell_call", id: "sh_1", call_id: "c", action: { commands: ["ls"] }, environment: null }
  const output = { type: "shell_call_output", id: "sho_1", call_id: "c", output: [] }
  const run = readAll(created, done(0, shell), done(1, output), completed([shell, output]))
  expect(announced(run.events)).toStrictEqual([])
  const waits = readAll(created, done(0, shell), completed([shell]))
  expect(announced(waits.events)).toMatchObject([{ id: "c", name: "shell" }])
  expect(announced(readAll(created, done(0, shell)).events)).toMatchObject([{ id: "c" }])
})

it("makes the id that the non-streaming response would get, where the server sends none", () => {
  const nameless = { type: "function_call", name: "f", arguments: "{}" }
  const { told, turn } = readAll(created, added(0, nameless), done(0, nameless), completed([nameless]))
  expect(told[0]).toMatchObject({ _tag: "CallStarted", id: "call_resp_1_0" })
  expect(turn.parts).toMatchObject([{ call: { id: "call_resp_1_0" }, nativeId: undefined }])
})

it("keeps the made id of a call, also where others before it were cut off", () => {
  const nameless = { type: "function_call", name: "f", arguments: "{}" }
  const { told, turn } = readAll(created, added(0, call("a", "")), done(1, nameless))
  expect(announced(told)).toMatchObject([{ id: "call_resp_1_1" }])
  expect(turn.parts).toMatchObject([{ call: { id: "call_resp_1_1" } }])
})

it("tells of a stream that ends before its response, which goes on in the background", () => {
  const status = { id: "resp_1", model: "gpt-5", background: true, output: [] }
  const { turn } = readAll(
    { type: "response.queued", response: { ...status, status: "queued" } },
    { type: "response.in_progress", response: { ...status, status: "in_progress" } }
  )
  expect(turn).toMatchObject({ id: "resp_1", finish: "background", nativeFinish: "in_progress" })
  expect(readAll(created).turn).toMatchObject({ finish: "other", isComplete: false })
})

it("keeps of a stream that breaks off what is done, and text as far as it came", () => {
  const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
  const message = { type: "message", id: "msg_1", role: "assistant", status: "in_progress", content: [] }
  const { turn, failure } = readAll(
    created,
    done(0, reasoning),
    added(1, message),
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Let me" },
    done(2, call("a", "{}")),
    done(3, { ...reasoning, id: "rs_2" }),
    added(4, call("b", "")),
    argumentsDelta(4, '{"x":')
  )
  expect(failure).toMatchObject({ _tag: "WireError" })
  expect(turn).toMatchObject({ finish: "other", isComplete: false })
  expect(turn.parts).toMatchObject([
    { _tag: "Reasoning" },
    { text: "Let me" },
    { call: { id: "a" } },
    { _tag: "Reasoning" }
  ])
  expect(turn.native).toStrictEqual([
    reasoning,
    { ...message, status: "incomplete", content: [{ type: "output_text", text: "Let me", annotations: [] }] },
    call("a", "{}")
  ])
})

it.each([
  [{ type: "error", code: "server_error", message: "Oops.", param: null }, "ProviderUnavailable", "server_error"],
  [{ type: "error", error: { type: "too_many_requests", message: "Wait." } }, "RateLimited", "too_many_requests"],
  [{ error: { code: "context_length_exceeded", message: "Long." } }, "ContextOverflow", "context_length_exceeded"],
  [{ type: "error", code: 500, message: "Oops." }, "ProviderUnavailable", "500"]
])("fails with what the event %j means, and keeps the turn", (event, tag, code) => {
  const { failure, turn } = readAll(created, done(0, call("a", "{}")), event, done(1, call("b", "{}")))
  expect(failure).toMatchObject({ _tag: tag, code })
  expect(turn).toMatchObject({ finish: "error", nativeFinish: code, isComplete: false })
  expect(turn.parts).toHaveLength(1)
})

it("reads a response that failed as the non-streaming one, and says why", () => {
  const response = {
    id: "resp_1",
    object: "response",
    status: "failed",
    error: { code: "rate_limit_exceeded", message: "Slow down." },
    output: []
  }
  const { failure, turn } = readAll(created, { type: "response.failed", response })
  expect(failure).toMatchObject({ _tag: "RateLimited", detail: "Slow down." })
  expect(turn).toMatchObject({ finish: "error", nativeFinish: "rate_limit_exceeded", native: [] })
})

it("says what is wrong with a message that is no event", () => {
  const { failure, turn } = read([encoder.encode("data: 3\n\n")])
  expect(failure).toMatchObject({ _tag: "WireError", format: "openai-responses", expected: "an event object" })
  expect(turn.isComplete).toBe(false)
})

it("reads past comments, unknown events and what comes after the end", () => {
  const bytes = bytesOf([
    created,
    { type: "response.time_travel" },
    completed([call("a", "{}")]),
    done(1, call("b", "{}"))
  ])
  const { turn } = read([encoder.encode(": keep-alive\n\n"), bytes, encoder.encode("data: [DONE]\n\n")])
  expect(turn).toMatchObject({ finish: "calls", native: [call("a", "{}")], isComplete: true })
})

it("joins long arguments in a time that grows with their length only", () => {
  const delta = "x".repeat(10)
  const deltas = Array.from({ length: 100_000 }, () => argumentsDelta(0, delta))
  const whole = call("a", `{"x":"${delta.repeat(100_000)}"}`)
  const { turn } = readAll(created, added(0, call("a", "")), ...deltas, done(0, whole), completed([whole]))
  expect(turn.native).toStrictEqual([whole])
})

it("reads past a type that has no text", () => {
  const odd = { ...call("a", "{}"), type: { toString: "" } }
  const { failure, turn } = readAll(
    created,
    { ...done(0, call("b", "{}")), item: odd },
    done(1, call("b", "{}")),
    completed([])
  )
  expect([failure, Turn.calls(turn).map(({ id }) => id)]).toEqual([undefined, ["b"]])
})

it("never throws, whatever the events", () => {
  const events = [
    created,
    ...[call("a", "{}"), { type: "message", content: [{ type: "output_text", text: "A" }] }].flatMap(streamedItem),
    completed([])
  ]
  FastCheck.assert(
    FastCheck.property(mutated(events), (changed) => {
      const { turn } = read([bytesOf(Array.isArray(changed) ? (changed as ReadonlyArray<object>) : [])])
      expect(turn.format).toBe("openai-responses")
    }),
    { numRuns: runs(1000) }
  )
})

it("a call has the id that it was announced by, also where the response names itself later", () => {
  const id = `resp_${"a".repeat(52)}`
  const item = { type: "function_call", call_id: "call_0", name: "now", arguments: "{}" }
  const messages = [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id, status: "completed", output: [item] } }
  ]
  const { events, turn } = read([bytesOf(messages)])
  const announced = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call.id] : []))
  expect(announced).toHaveLength(1)
  expect(turn.parts.flatMap((part) => (part._tag === "Call" ? [part.call.id] : []))).toEqual(announced)
})
