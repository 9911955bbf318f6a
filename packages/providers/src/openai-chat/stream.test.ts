import { describe, expect, it } from "@effect/vitest"
import type { TurnEvent } from "@wield/core"
import { Turn } from "@wield/core"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Mistral from "../Mistral.js"
import * as OpenAiChat from "../OpenAiChat.js"
import type { Offered, WireFormat } from "../WireFormat.js"
import { runs, sized } from "../../../../test/sizes.js"

const encoder = new TextEncoder()

const chunk = (delta: object, finish: string | null = null, rest: object = {}) => ({
  id: "chatcmpl-1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...rest
})

const body = (chunks: ReadonlyArray<unknown>) => chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`).join("")

interface Read {
  readonly events: ReadonlyArray<TurnEvent.TurnEvent>
  readonly turn: Turn.Turn
  readonly failure: unknown
}

const readText = (format: WireFormat, pieces: ReadonlyArray<string | Uint8Array>, offered?: Offered): Read => {
  const decoder = format.streamDecoder(offered)
  const all = pieces.flatMap((piece) => decoder.push(typeof piece === "string" ? encoder.encode(piece) : piece))
  all.push(...decoder.end())
  const last = all.at(-1)
  if (last?._tag !== "Finished") throw new Error("Finished is not last")
  return { events: all.slice(0, -1), turn: last.turn, failure: decoder.failure() }
}

const read = (chunks: ReadonlyArray<unknown>, format: WireFormat = OpenAiChat.format) =>
  readText(format, [body(chunks)])

const calling = (...entries: ReadonlyArray<object>) => chunk({ tool_calls: entries })
const started = (index: number, id: string, name = "f", args = "") => ({
  index,
  id,
  type: "function",
  function: { name, arguments: args }
})
const more = (index: number, args: string) => ({ index, function: { arguments: args } })
const finished = chunk({}, "tool_calls")

it("reads a call that stands in no list", () => {
  const { failure, turn } = read([chunk({ tool_calls: started(0, "a", "f", "{}") }), finished])
  expect(failure).toBeUndefined()
  expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: "{}" }])
})

it.each([{ message: "too many users", code: 429 }, { detail: "too many users" }])(
  "says what a gateway says in place of a chunk: %j",
  (words) => {
    const { failure, turn } = read([words])
    expect(String(failure)).toContain("too many users")
    expect(turn.isComplete).toBe(false)
  }
)

it.each(["[DONE] ", '"[DONE]"', "[done]"])("takes %s for the end", (marker) => {
  const { failure, turn } = readText(OpenAiChat.format, [`${body([chunk({ content: "Hi" })])}data: ${marker}\n\n`])
  expect(failure).toBeUndefined()
  expect(turn.isComplete).toBe(true)
})

const hi = { index: 0, delta: { content: "Hi" }, finish_reason: "stop" }

it.each([{ choices: hi }, { choices: { 0: hi } }, { choices: [null, hi] }])(
  "reads choices that are no list: %j",
  (last) => {
    const { events, failure, turn } = read([{ choices: {} }, { choices: null }, last])
    expect([failure, turn.isComplete, Turn.text(turn)]).toEqual([undefined, true, "Hi"])
    expect(events).toEqual([{ _tag: "TextDelta", text: "Hi" }])
  }
)

const sentence = "The weather is fine today."
const ending = (rest: object) => ({ choices: [{ index: 0, finish_reason: "stop", ...rest }] })

/** What is said of text or reasoning piece by piece, and by the turn, where both are the same. */
const wordsOf = ({ events, turn }: Read, tag: "Text" | "Reasoning") => {
  const pieces = events.flatMap((event) => (event._tag === `${tag}Delta` && "text" in event ? [event.text] : []))
  const parts = turn.parts.flatMap((part) => (part._tag === tag ? [part.text] : []))
  expect(pieces.join("")).toBe(parts.join(""))
  return parts.join("")
}

it.each([
  ["as it came", sentence, sentence, sentence],
  ["in parts", sentence, [{ type: "text", text: sentence }], sentence],
  ["in one text of parts", [{ type: "text", text: sentence }], `${sentence} Yes.`, `${sentence} Yes.`],
  ["with an end that had not come", sentence, `${sentence} Yes.`, `${sentence} Yes.`],
  ["trimmed, with an end that had not come", `\n${sentence} `, `${sentence} Yes.`, `\n${sentence} Yes.`],
  ["without its last line end", `${sentence}\n`, sentence, `${sentence}\n`],
  ["with a line end more", sentence, `${sentence}\n`, `${sentence}\n`],
  ["trimmed", ` \n${sentence} `, sentence, ` \n${sentence} `],
  ["without what it thought", `<think>Hm.</think>${sentence}`, sentence, `<think>Hm.</think>${sentence}`],
  ["without its text", sentence, null, sentence]
])("says the text once where the last chunk has the whole message %s", (_, came, content, text) => {
  for (const delta of [{}, { delta: null }]) {
    const pieces = typeof came === "string" ? [came.slice(0, 9), came.slice(9)] : [came]
    const all = read([
      ...pieces.map((piece) => chunk({ content: piece })),
      ending({ ...delta, message: { role: "assistant", content } })
    ])
    expect([wordsOf(all, "Text"), all.turn.isComplete]).toEqual([text, true])
  }
})

const thought = (text: string) => [{ type: "thinking", thinking: [{ type: "text", text }] }]

it.each([
  [{ reasoning_content: "Hm." }, { reasoning: "Hm." }],
  [{ reasoning: "Hm." }, { reasoning_content: "Hm.\n" }],
  [{ reasoning: "H" }, { reasoning_content: "Hm." }],
  [
    { reasoning: "H", reasoning_content: "H" },
    { reasoning: "Hm.", reasoning_content: "Hm." }
  ],
  [{ reasoning: "Hm." }, { reasoning_details: [{ type: "t", text: "Hm." }] }],
  [{ reasoning_details: [{ type: "t", text: "Hm." }] }, { reasoning_content: "Hm." }],
  [{ content: thought("Hm.") }, { content: [...thought("Hm."), { type: "text", text: "Hi" }] }],
  [{ content: "Hi" }, { reasoning_content: "Hm." }]
])("says reasoning once that comes as %j, and in the whole message as %j", (delta, message) => {
  const all = read([chunk(delta), ending({ message: { content: "Hi", ...message } })])
  expect([wordsOf(all, "Reasoning").trim(), wordsOf(all, "Text")]).toEqual(["Hm.", "Hi"])
})

it("says a refusal to its end, once", () => {
  const { turn } = read([chunk({ content: "Hi", refusal: "I ca" }), ending({ message: { refusal: "I can't." } })])
  expect(turn.parts).toContainEqual({ _tag: "Refusal", text: "I can't." })
})

it("makes the calls once where the last chunk has the whole message, with an id or without", () => {
  const whole = {
    role: "assistant",
    content: "",
    reasoning_content: "Hm.",
    reasoning_details: [{ type: "t", text: "Hm." }]
  }
  const entries = [{ type: "function", function: { name: "f", arguments: '{ "n": 1 }' } }]
  for (const id of [undefined, "a"]) {
    const { turn } = read([
      chunk({ reasoning_content: "Hm.", reasoning_details: [{ type: "t", text: "Hm." }] }),
      calling(started(0, "a", "f", '{"n":1}')),
      ending({ finish_reason: "tool_calls", message: { ...whole, tool_calls: entries.map((one) => ({ ...one, id })) } })
    ])
    expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: '{"n":1}' }])
    expect(turn.parts.flatMap((part) => (part._tag === "Reasoning" ? [part.text] : []))).toEqual(["Hm."])
  }
})

const entryOf = (id: string | undefined, sent: unknown, name = "f") => ({
  id,
  type: "function",
  function: { name, arguments: sent }
})
const endingBy = (...calls: ReadonlyArray<object>) =>
  ending({ finish_reason: "tool_calls", message: { content: null, tool_calls: calls } })
const answers = ({ events, turn }: Read) => {
  const told = events.flatMap((event) => (event._tag === "CallComplete" ? [event.part.call] : []))
  expect(told).toEqual(Turn.calls(turn))
  return told.map(({ id, arguments: sent }) => [id, typeof sent === "string" ? sent : JSON.stringify(sent)])
}

it.each([
  ["nothing", ""],
  ["an empty object", "{}"],
  ["their first piece", '{"n'],
  ["an object", {}]
])("takes the rest of the arguments from the whole message where of them came %s", (_, came) => {
  for (const whole of ['{"n":1}', { n: 1 }]) {
    for (const id of ["a", undefined]) {
      const all = read([calling({ index: 0, ...entryOf("a", came) }), endingBy(entryOf(id, whole))])
      expect(answers(all)).toEqual([["a", '{"n":1}']])
    }
  }
})

it("takes from the whole message the rest of a call in pieces, of one without an id, and of a function_call", () => {
  const pieces = read([calling(started(0, "a", "f", '{"n"'), more(0, ":")), endingBy(entryOf("a", '{"n":1}'))])
  expect(answers(pieces)).toEqual([["a", '{"n":1}']])
  const nameless = read([calling(entryOf(undefined, "")), endingBy(entryOf("a", '{"n":1}'))])
  expect(answers(nameless)).toEqual([["a", '{"n":1}']])
  const call = (sent: string) => ({ function_call: { name: "f", arguments: sent } })
  for (const came of ["", '{"n', "{}", '{"n":1}']) {
    const all = read([chunk({ content: "Hi" }), chunk(call(came)), ending({ message: call('{"n":1}') })])
    expect(answers(all).map(([, sent]) => sent)).toEqual(['{"n":1}'])
  }
})

it("makes each call that only a message has, by its id", () => {
  const [a, b] = [entryOf("a", '{"n":1}'), entryOf("b", '{"n":2}')]
  const both = [
    ["a", '{"n":1}'],
    ["b", '{"n":2}']
  ]
  const hello = chunk({ content: "Hi" })
  const part = (call: object) => ({ choices: [{ index: 0, message: { tool_calls: [call] } }] })
  expect(answers(read([hello, part(a), endingBy(b)]))).toEqual(both)
  expect(answers(read([hello, endingBy(a), endingBy(b)]))).toEqual(both)
  expect(answers(read([hello, endingBy(a), endingBy(a, b)]))).toEqual(both)
  expect(answers(read([calling({ index: 0, ...a }), endingBy(b)]))).toEqual(both)
  expect(answers(read([calling({ index: 0, ...entryOf("a", '{"n":') }), endingBy(b, a)]))).toEqual(both)
  expect(answers(read([calling({ index: 0, ...a }), endingBy({ index: 0, ...b })]))).toEqual(both)
})

it("makes a call once that the whole message has under another id, and each of those that differ", () => {
  const [a, b] = [entryOf("a", '{"n":1}'), entryOf("b", '{"n":1}')]
  const came = calling({ index: 0, ...a })
  const isA = ["a", '{"n":1}']
  for (const sent of ['{"n":1}', '{ "n": 1 }', { n: 1 }]) {
    expect(answers(read([came, endingBy(entryOf("x", sent))]))).toEqual([isA])
  }
  for (const sent of ["", "{}"]) {
    expect(answers(read([calling({ index: 0, ...entryOf("a", "") }), endingBy(entryOf("x", sent))])).length).toBe(1)
  }
  expect(answers(read([came, endingBy(entryOf("x", '{"n":2}'))])).length).toBe(2)
  const both = calling({ index: 0, ...a }, { index: 1, ...b })
  expect(answers(read([both, endingBy(entryOf("x", '{"n":1}'), entryOf("y", '{"n":1}'))])).length).toBe(2)
  expect(answers(read([came, endingBy(b, a)])).length).toBe(2)
  expect(answers(read([came, endingBy(a, b)])).length).toBe(2)
  expect(answers(read([came, endingBy(entryOf("x", '{"n":1}', "g"))])).length).toBe(2)
})

it.each([
  [["ha", "ha"], "haha"],
  [["", sentence, sentence], sentence + sentence],
  [[sentence, " ", `${sentence} `], `${sentence} ${sentence} `]
])("keeps what a model says twice: %j", (texts, whole) => {
  const chunks = texts.map((content, index) => chunk({ content }, index === texts.length - 1 ? "stop" : null))
  expect(Turn.text(read(chunks).turn)).toBe(whole)
  // Some servers say in each chunk that the response ended.
  expect(Turn.text(read(texts.map((content) => chunk({ content }, "stop"))).turn)).toBe(whole)
})

it.each([[["1", "1", "1", "5"]], [["ha", "ha", "!"]], [["Hi", "Hi Hi"]]])(
  "keeps the pieces of a server that sends messages in the place of deltas: %j",
  (texts) => {
    const pieces = texts.map((content, index) =>
      ending({ message: { content }, finish_reason: index === texts.length - 1 ? "stop" : null })
    )
    for (const first of [[], [chunk({ role: "assistant" })], [chunk({ role: "assistant", content: "" })]]) {
      expect(wordsOf(read([...first, ...pieces]), "Text")).toBe(texts.join(""))
    }
    expect(wordsOf(read([chunk({ content: "0" }), ...pieces]), "Text")).toBe(`0${texts.join("")}`)
  }
)

it.each([1, "0"])("reads the choice of the index %j where there is no other", (index) => {
  const choices = [{ index, delta: { content: "Hi" }, finish_reason: "stop" }]
  expect(Turn.text(read([{ choices: [] }, { choices }]).turn)).toBe("Hi")
})

it("reads events without blank lines between them, and words by which the connection is kept open", () => {
  const chunks = [calling(started(0, "a", "f", '{"n":1}')), chunk({ content: "Yes." }), chunk({}, "stop")]
  const expected = read(chunks)
  const [head, ...rest] = chunks.map((each) => `data: ${JSON.stringify(each)}\n`)
  for (const text of [
    `${[head, ...rest].join("")}data: [DONE]\n`,
    `data: ping\n\n${body(chunks)}data: null\n\ndata: keep-alive\n\ndata: [DONE]\n\n`
  ]) {
    const { events, failure, turn } = readText(OpenAiChat.format, [text])
    expect(failure).toBeUndefined()
    expect(turn).toEqual(expected.turn)
    expect(events).toEqual(expected.events)
  }
  expect(readText(OpenAiChat.format, ["data: Unauthorized\n\n"]).failure).toMatchObject({
    _tag: "WireError",
    received: expect.stringContaining("Unauthorized")
  })
})

it("reads no second response behind the end of the first", () => {
  const one = `${body([chunk({ content: "Yes." }), chunk({}, "stop")])}data: [DONE]\n\n`
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const second = [calling({ index: 0, function: { name: "f", arguments: "{}" } }), { ...finished, usage }]
  const two = `${body(second)}data: [DONE]\n\n`
  const { events, turn } = readText(OpenAiChat.format, [one, two])
  expect(tags(events)).toEqual(["TextDelta"])
  expect(turn).toMatchObject({ parts: [{ text: "Yes." }], finish: "stop", isComplete: true })
})

const tags = (events: ReadonlyArray<TurnEvent.TurnEvent>) =>
  events.map((event) => ("index" in event ? `${event._tag} ${event.index}` : event._tag))

it("gives text as it comes, usage from a last chunk without choices, and the turn of the whole response", () => {
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const { events, turn } = read([
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: "Hel" }),
    chunk({ content: "lo." }),
    chunk({}, "stop"),
    { id: "chatcmpl-1", model: "m", choices: [], usage }
  ])
  expect(tags(events)).toEqual(["TextDelta", "TextDelta", "UsageKnown"])
  const message = { role: "assistant", content: "Hello.", refusal: null }
  const whole = { id: "chatcmpl-1", model: "m", choices: [{ message, finish_reason: "stop" }], usage }
  expect(turn).toStrictEqual(Either.getOrThrow(OpenAiChat.decodeTurn(whole)))
})

it("announces a call as soon as its arguments are a whole object, while others still come", () => {
  const { events, turn } = read([
    calling(started(0, "a")),
    calling(more(0, '{"x":"}')),
    calling(started(1, "b", "g", '{"y"')),
    calling(more(0, '\\"{"}'), more(1, ":[1]")),
    calling(more(1, "}")),
    finished
  ])
  expect(tags(events)).toEqual([
    "CallStarted 0",
    "ArgumentsDelta 0",
    "CallStarted 1",
    "ArgumentsDelta 1",
    "ArgumentsDelta 0",
    "CallComplete 0",
    "ArgumentsDelta 1",
    "ArgumentsDelta 1",
    "CallComplete 1"
  ])
  expect(Turn.calls(turn)).toEqual([
    { id: "a", name: "f", arguments: '{"x":"}\\"{"}' },
    { id: "b", name: "g", arguments: '{"y":[1]}' }
  ])
  expect(turn.parts).toEqual(events.flatMap((event) => (event._tag === "CallComplete" ? [event.part] : [])))
})

it("waits with an empty object, since arguments may follow it", () => {
  expect(
    tags(read([calling(started(0, "a", "f", "{}")), calling(started(1, "b", "f", "{}")), finished]).events)
  ).toEqual([
    "CallStarted 0",
    "ArgumentsDelta 0",
    "CallComplete 0",
    "CallStarted 1",
    "ArgumentsDelta 1",
    "CallComplete 1"
  ])
  expect(Turn.calls(read([calling(started(0, "a", "f", "{}")), finished]).turn)).toMatchObject([{ arguments: "{}" }])
})

it("reads a call that is finished in the chunk that starts it", () => {
  const { events } = read([chunk({ tool_calls: [started(0, "a", "f", '{"x":1}')] }, "tool_calls")])
  expect(tags(events)).toEqual(["CallStarted 0", "ArgumentsDelta 0", "CallComplete 0"])
})

it("takes broken arguments for complete when the response ends, as the response that does not stream has them", () => {
  const { events, turn } = read([calling(started(0, "a", "f", '{"x":')), chunk({}, "length")])
  expect(tags(events)).toContain("CallComplete 0")
  expect(turn).toMatchObject({ finish: "length", isComplete: true, parts: [{ call: { arguments: '{"x":' } }] })
})

describe("servers that deviate", () => {
  const wanted = [{ id: "a", name: "f", arguments: '{"x":1}' }]

  it.each([
    [
      "repeat the name in each delta",
      [started(0, "a", "f", '{"x"'), { ...more(0, ":1}"), function: { name: "f", arguments: ":1}" } }]
    ],
    ["go on with an empty id (Alibaba)", [started(0, "a", "f", '{"x"'), started(0, "", "", ":1}")]],
    ["make a new id for each delta", [started(0, "a", "f", '{"x"'), started(0, "b", "", ":1}")]],
    [
      "repeat name and make a new id, the first without arguments",
      [started(0, "a", "f", ""), started(0, "b", "f", '{"x":1}')]
    ],
    ["repeat name and make a new id", [started(0, "a", "f", '{"x"'), started(0, "b", "f", ":1}")]],
    [
      "leave out the index (Gemini)",
      [{ id: "a", function: { name: "f", arguments: '{"x"' } }, { function: { arguments: ":1}" } }]
    ],
    [
      "send null for what they do not say (Writer)",
      [
        { index: 0, id: "a", type: "function", function: { name: "f", arguments: null } },
        { index: 0, id: null, type: null, function: { name: null, arguments: '{"x":1}' } }
      ]
    ],
    [
      "send the arguments after the name alone (Kimi)",
      [{ index: 0, id: "a", function: { name: "f" } }, more(0, '{"x":1}')]
    ],
    ["send the name in pieces", [started(0, "a", ""), started(0, "a", "f"), more(0, '{"x":1}')]],
    [
      "repeat the arguments from their start",
      ['{"x"', '{"x":', '{"x":1', '{"x":1}', '{"x":1}'].map((args) => started(0, "a", "f", args))
    ],
    [
      "repeat them without a name",
      ["{", '{"x":', '{"x":1}'].map((args, at) => (at ? more(0, args) : started(0, "a", "f", args)))
    ],
    ["send an empty object first", [started(0, "a", "f", "{}"), more(0, '{"x":1}')]],
    [
      "send an empty object as such first",
      [{ index: 0, id: "a", function: { name: "f", arguments: {} } }, started(0, "a", "f", '{"x":1}')]
    ],
    [
      "send an empty object as such first, and then pieces",
      [{ index: 0, id: "a", function: { name: "f", arguments: {} } }, more(0, '{"x"'), more(0, ":1}")]
    ],
    ["send an empty object first, and then pieces", [started(0, "a", "f", "{}"), more(0, '{"x"'), more(0, ":1}")]],
    ["send an empty object first, and the call again", [started(0, "a", "f", "{}"), started(0, "a", "f", '{"x":1}')]],
    ["end with an empty delta", [started(0, "a", "f", '{"x":1}'), more(0, "")]],
    ["end with white space", [started(0, "a", "f", '{"x":1}'), more(0, "\n")]]
  ])("%s", (_, entries) => {
    const { events, turn } = read([...entries.map((entry) => calling(entry)), finished])
    expect(Turn.calls(turn)).toEqual(wanted)
    expect(events.filter((event) => event._tag === "CallStarted")).toEqual([
      { _tag: "CallStarted", index: 0, id: "a", name: "f" }
    ])
    expect(events.filter((event) => event._tag === "CallComplete")).toHaveLength(1)
  })

  it.each(["", null, "{}", {}])("give calls of one delta one index (arguments %j)", (args) => {
    const entry = (id: string) => ({ index: 0, id, function: { name: "f", arguments: args } })
    const { turn } = read([calling(entry("a"), entry("b")), finished])
    expect(Turn.calls(turn)).toMatchObject([{ id: "a" }, { id: "b" }])
  })

  it.each(["", null, undefined])(
    "give calls without arguments one index, one after the other (arguments %j)",
    (args) => {
      const entry = (id: string) => calling({ index: 0, id, function: { name: "f", arguments: args } })
      const { turn } = read([entry("a"), entry("b"), finished])
      expect(Turn.calls(turn)).toMatchObject([{ id: "a" }, { id: "b" }])
    }
  )

  it("write the index as a text", () => {
    const at = (index: string, id: string, args: string) => ({
      index,
      ...(id && { id }),
      function: { ...(id && { name: "f" }), arguments: args }
    })
    const deltas = [at("0", "a", '{"x":'), at("1", "b", '{"y":'), at("0", "", "1}"), at("1", "", "2}")]
    const { turn } = read([...deltas.map((delta) => calling(delta)), finished])
    expect(Turn.calls(turn)).toMatchObject([{ arguments: '{"x":1}' }, { arguments: '{"y":2}' }])
  })

  it.each([
    ["one index", 0],
    ["none", undefined]
  ])("give parallel calls %s (Gemini)", (_, index) => {
    const entry = (id: string | undefined, args: string) => ({
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      function: { name: "f", arguments: args }
    })
    const two = [{ arguments: '{"x":1}' }, { arguments: '{"x":2}' }]
    expect(
      Turn.calls(read([calling(entry("a", '{"x":1}')), calling(entry("b", '{"x":2}')), finished]).turn)
    ).toMatchObject(two)
    const made = Turn.calls(read([calling(entry(undefined, '{"x":1}'), entry("", '{"x":2}')), finished]).turn)
    expect(made).toMatchObject(two)
    expect(made.map((call) => call.id)).toEqual(["call_chatcmpl-1_0", "call_chatcmpl-1_1"])
  })

  it.each(['{"x":1}', "{}"])("repeat a whole call with the arguments %s at the end", (args) => {
    const { events, turn } = read([calling(started(0, "a", "f", args)), calling(started(0, "a", "f", args)), finished])
    expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: args }])
    expect(tags(events)).toEqual(["CallStarted 0", "ArgumentsDelta 0", "CallComplete 0"])
  })

  it.each([
    ["in each piece, as one more letter", ['{"q":"', '{"q":"P', '{"q":"Pa"', '{"q":"Pa"}']],
    ["closed in each piece", ["{}", '{"q":""}', '{"q":"P"}', '{"q":"Pa"}']],
    ["after a first piece that could begin a value", ['{"q":', '{"q":"Pa', '{"q":"Pa"}']]
  ])("repeat the arguments from their start, %s", (_, pieces) => {
    for (const name of ["f", ""]) {
      const entries = pieces.map((args, at) => started(0, "a", at === 0 ? "f" : name, args))
      const { events, turn } = read([...entries.map((entry) => calling(entry)), finished])
      expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: '{"q":"Pa"}' }])
      expect(events.filter(({ _tag }) => _tag === "CallComplete")).toHaveLength(1)
    }
  })

  it("send arguments that look as if they were repeated", () => {
    const pieces = ['{"a":', '{"a":', "1}}"]
    const entries = pieces.map((args, at) => (at === 0 ? started(0, "a", "f", args) : more(0, args)))
    const { turn } = read([...entries.map((entry) => calling(entry)), finished])
    expect(Turn.calls(turn)).toMatchObject([{ arguments: '{"a":{"a":1}}' }])
  })

  it("send the name in pieces", () => {
    const pieces = [{ name: "get_" }, { name: "or" }, { name: "ders", arguments: "" }, { arguments: '{"x":1}' }]
    const wholes = [{ name: "get_" }, { name: "get_orders" }, { arguments: '{"x":1}' }]
    for (const each of [pieces, wholes]) {
      const entries = each.map((described, at) => ({ index: 0, ...(at === 0 ? { id: "a" } : {}), function: described }))
      const { events, turn } = read([...entries.map((entry) => calling(entry)), finished])
      expect(Turn.calls(turn)).toEqual([{ id: "a", name: "get_orders", arguments: '{"x":1}' }])
      expect(events[0]).toMatchObject({ _tag: "CallStarted", name: "get_orders" })
      const old = read([...each.map((described) => chunk({ function_call: described })), chunk({}, "function_call")])
      expect(Turn.calls(old.turn)).toMatchObject([{ name: "get_orders", arguments: '{"x":1}' }])
      expect(old.events[0]).toMatchObject({ _tag: "CallStarted", name: "get_orders" })
    }
  })

  it("send an empty object in place of arguments that follow as an object", () => {
    const entry = (args: object) => ({ index: 0, id: "a", function: { name: "f", arguments: args } })
    const { turn } = read([calling(entry({})), calling(entry({ x: 1 })), finished])
    expect(Turn.calls(turn)).toEqual([{ id: "a", name: "f", arguments: { x: 1 } }])
  })

  it("keep Gemini's thought signature, which may come alone and late", () => {
    const extra_content = { google: { thought_signature: "c2ln" } }
    const { turn } = read([calling(started(0, "a", "f", '{"x":1}')), calling({ index: 0, extra_content }), finished])
    expect(turn.native).toMatchObject([{ tool_calls: [{ id: "a", extra_content }] }])
  })

  it("send arguments as an object", () => {
    const entry = { index: 0, id: "a", function: { name: "f", arguments: { x: 1 } } }
    expect(Turn.calls(read([calling(entry), finished]).turn)).toEqual([{ id: "a", name: "f", arguments: { x: 1 } }])
  })

  it("send the delta as a message too (Writer), or a message in its place", () => {
    const message = { role: "assistant", content: "Hi" }
    const both = { choices: [{ index: 0, delta: message, message, finish_reason: "stop" }] }
    const only = { choices: [{ index: 0, message, finish_reason: "stop" }] }
    for (const sent of [both, only]) expect(Turn.text(read([sent]).turn)).toBe("Hi")
  })

  it("count in the choice (Moonshot) or under a key of their own (Groq)", () => {
    const usage = { prompt_tokens: 3 }
    const groq = chunk({}, "stop", { x_groq: { usage } })
    const moonshot = { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] }
    for (const sent of [groq, moonshot]) expect(read([sent]).turn.usage.input).toBe(3)
  })

  it("say an empty finish reason in each chunk, or none before [DONE]", () => {
    const empty = [chunk({ content: "Hi" }, ""), chunk({}, "")]
    expect(read(empty).turn.isComplete).toBe(false)
    expect(read([...empty, chunk({}, "stop")]).turn).toMatchObject({ isComplete: true, nativeFinish: "stop" })
    const done = readText(OpenAiChat.format, [`${body([calling(started(0, "a", "f", "{}"))])}data: [DONE]\n\n`])
    expect(done.turn).toMatchObject({ isComplete: true, finish: "calls" })
    expect(tags(done.events)).toContain("CallComplete 0")
  })

  it("begin with a chunk of other things (Azure), and send what is no chunk at all", () => {
    const azure = { id: "", model: "", choices: [], prompt_filter_results: [{ prompt_index: 0 }] }
    expect(read([azure, { type: "ping" }, chunk({ content: "Hi" }, "stop")]).turn).toMatchObject({
      id: "chatcmpl-1",
      model: "m"
    })
  })

  it("answer several times at once, of which the first answer is read", () => {
    const other = { choices: [{ index: 1, delta: { content: "No" }, finish_reason: "stop" }] }
    expect(Turn.text(read([chunk({ content: "Yes" }), other, finished]).turn)).toBe("Yes")
  })
})

it("puts reasoning together, however it comes, and shows it once", () => {
  const { events, turn } = read([
    chunk({ reasoning: "H", reasoning_details: [{ type: "reasoning.text", index: 0, text: "H" }] }),
    chunk({ reasoning: "m.", reasoning_details: [{ type: "reasoning.text", index: 0, text: "m." }] }),
    chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, signature: "c2ln" }] }),
    chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "ZW5j" }] }),
    chunk({ content: "Yes." }, "stop")
  ])
  expect(tags(events)).toEqual(["ReasoningDelta", "ReasoningDelta", "TextDelta"])
  expect(turn.parts).toMatchObject([
    { _tag: "Reasoning", text: "Hm." },
    { _tag: "Text", text: "Yes." }
  ])
  expect(turn.native).toMatchObject([
    {
      reasoning: "Hm.",
      reasoning_details: [
        { type: "reasoning.text", index: 0, text: "Hm.", signature: "c2ln" },
        { type: "reasoning.encrypted", index: 1, data: "ZW5j" }
      ]
    }
  ])
})

it("puts together a refusal, a transcript, citations and what Groq ran itself", () => {
  expect(read([chunk({ refusal: "I " }), chunk({ refusal: "will not." }, "stop")]).turn.parts).toEqual([
    { _tag: "Refusal", text: "I will not." }
  ])
  const audio = read([
    chunk({ audio: { id: "au", transcript: "Spo" } }),
    chunk({ audio: { transcript: "ken" } }, "stop")
  ])
  expect(audio.turn.native).toEqual([{ role: "assistant", audio: { id: "au", transcript: "Spoken" } }])
  expect(tags(audio.events)).toEqual(["TextDelta", "TextDelta"])
  const cited = read([chunk({ annotations: [1] }), chunk({ annotations: [2], content: "A" }, "stop")])
  expect(cited.turn.native).toMatchObject([{ annotations: [1, 2] }])
  const executed = read([
    chunk({ executed_tools: [{ index: 0, type: "python", arguments: '{"code":"6*7"}' }] }),
    chunk({ executed_tools: [{ index: 0, output: "42" }], content: "42" }, "stop")
  ])
  expect(executed.turn.parts).toMatchObject([{ executedBy: "provider", call: { name: "python" } }, { text: "42" }])
  expect(executed.turn.native).toMatchObject([{ executed_tools: [{ type: "python", output: "42" }] }])
})

it("reads a custom tool's input and the function_call of the API's first years", () => {
  const custom = read([
    calling({ index: 0, id: "a", type: "custom", custom: { name: "sql", input: "select {" } }),
    calling({ index: 0, custom: { input: "}" } }),
    finished
  ])
  expect(Turn.calls(custom.turn)).toEqual([{ id: "a", name: "sql", arguments: { input: "select {}" } }])
  const legacy = read([
    chunk({ content: null, function_call: { name: "f", arguments: "" } }),
    chunk({ function_call: { arguments: "{}" } }),
    chunk({}, "function_call")
  ])
  expect(legacy.turn.native).toEqual([
    { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }
  ])
  expect(tags(legacy.events)).toEqual(["CallStarted 0", "ArgumentsDelta 0", "CallComplete 0"])
})

describe("a body that breaks off", () => {
  it("keeps what is whole, and no call that is not", () => {
    const { events, turn } = read([
      chunk({ content: "Let me look." }),
      calling(started(0, "a", "f", '{"x":1}')),
      calling(started(1, "b", "f", '{"x":'))
    ])
    expect(turn).toMatchObject({ isComplete: false, finish: "other", nativeFinish: undefined })
    expect(Turn.calls(turn).map((call) => call.id)).toEqual(["a"])
    expect(turn.native).toEqual([
      {
        role: "assistant",
        content: "Let me look.",
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }]
      }
    ])
    expect(tags(events)).not.toContain("CallComplete 1")
  })

  it("has nothing to send back where nothing was said", () => {
    expect(read([calling(started(0, "a", "f", '{"x":'))]).turn).toMatchObject({ native: [], parts: [] })
    expect(readText(OpenAiChat.format, []).turn).toMatchObject({ native: [], parts: [], isComplete: false })
  })
})

it.each([
  [
    "beside the choices (Groq)",
    { error: { message: "No call", code: "tool_use_failed", status_code: 400 } },
    "RequestRejected"
  ],
  [
    "in the choice (OpenRouter)",
    { choices: [{ index: 0, delta: {}, finish_reason: "error", error: { code: 502, message: "down" } }] },
    "ProviderUnavailable"
  ],
  [
    "as an object (Mistral, vLLM)",
    { object: "error", message: "Rate limit exceeded", code: "1300", type: "rate_limited" },
    "RateLimited"
  ]
])("tells an error within a stream, %s", (_, error, tag) => {
  const { turn, failure, events } = read([
    chunk({ content: "A" }),
    calling(started(0, "a", "f", '{"x":')),
    error,
    finished
  ])
  expect(failure).toMatchObject({ _tag: tag })
  expect(turn).toMatchObject({ isComplete: false, finish: "error", parts: [{ text: "A" }] })
  expect(tags(events)).not.toContain("CallComplete 0")
})

const delta = FastCheck.string({ minLength: 1, maxLength: 12 })
const call = FastCheck.record({
  id: FastCheck.option(FastCheck.stringMatching(/^[a-z0-9]{9}$/), { nil: undefined }),
  name: FastCheck.constantFrom("get_orders", "__proto__", "now"),
  args: FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue()).map((value) => JSON.stringify(value))
})
const said = FastCheck.record({
  reasoning: FastCheck.array(delta, { maxLength: 3 }),
  text: FastCheck.array(delta, { maxLength: 4 }),
  calls: FastCheck.array(call, { maxLength: 4 }),
  cuts: FastCheck.infiniteStream(FastCheck.nat(9)),
  usage: FastCheck.option(FastCheck.record({ prompt_tokens: FastCheck.nat(), completion_tokens: FastCheck.nat() }), {
    nil: undefined
  })
})

type Said = typeof said extends FastCheck.Arbitrary<infer A> ? A : never

/** The same answer as a response and as a stream, with parallel calls mixed up. */
const rendered = (format: WireFormat, { calls, cuts, reasoning, text, usage }: Said) => {
  const isMistral = format === Mistral.format
  const entry = ({ args, id, name }: Said["calls"][number], index: number) => ({
    ...(id === undefined ? {} : { id }),
    ...(isMistral ? { index } : { type: "function" }),
    function: { name, arguments: args }
  })
  const finish = calls.length > 0 ? "tool_calls" : "stop"
  const thinking = [{ type: "thinking", thinking: [{ type: "text", text: reasoning.join("") }], closed: true }]
  const isChunked = isMistral && reasoning.length > 0
  const message = {
    role: "assistant",
    content: isChunked
      ? [...thinking, ...(text.length === 0 ? [] : [{ type: "text", text: text.join("") }])]
      : text.join(""),
    ...(isMistral || reasoning.length === 0 ? {} : { reasoning_content: reasoning.join("") }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(entry) })
  }
  const whole = { id: "r1", model: "m", choices: [{ index: 0, message, finish_reason: finish }], usage }

  const deltas: Array<object> = [{ role: "assistant", content: "" }]
  for (const piece of reasoning) {
    deltas.push(
      isMistral
        ? { content: [{ type: "thinking", thinking: [{ type: "text", text: piece }], closed: true }] }
        : { reasoning_content: piece }
    )
  }
  for (const piece of text) deltas.push({ content: piece })
  const rest = calls.map(({ args }) => args)
  const next = () => cuts.next().value ?? 1
  calls.forEach((each, index) => {
    const length = next()
    const { function: described, ...head } = entry({ ...each, args: each.args.slice(0, length) }, index)
    deltas.push({ tool_calls: [{ ...head, index, function: described }] })
    rest[index] = each.args.slice(length)
    const other = next() % (index + 1)
    const piece = rest[other]?.slice(0, next()) ?? ""
    rest[other] = rest[other]?.slice(piece.length) ?? ""
    deltas.push({ tool_calls: [{ index: other, function: { arguments: piece } }] })
  })
  rest.forEach((args, index) => deltas.push({ tool_calls: [{ index, function: { arguments: args } }] }))
  const chunks: Array<unknown> = deltas.map((each) => ({ id: "r1", model: "m", choices: [{ index: 0, delta: each }] }))
  chunks.push({ id: "r1", choices: [{ index: 0, delta: {}, finish_reason: finish }] })
  if (usage !== undefined) chunks.push({ id: "r1", choices: [], usage })
  return { whole, text: body(chunks) }
}

describe.each([{ format: OpenAiChat.format }, { format: Mistral.format }])("$format.name", ({ format }) => {
  it("gives the turn of the response that does not stream, and each call once", () => {
    FastCheck.assert(
      FastCheck.property(said, (each) => {
        const { text, whole } = rendered(format, each)
        const { events, turn } = readText(format, [text])
        expect(turn).toStrictEqual(Either.getOrThrow(format.decodeTurn(whole)))
        const complete = events.filter((event) => event._tag === "CallComplete")
        expect(complete.toSorted((left, right) => left.index - right.index).map((event) => event.part)).toEqual(
          turn.parts.filter((part) => part._tag === "Call")
        )
        const argumentsOf = (index: number) =>
          events
            .flatMap((event) => (event._tag === "ArgumentsDelta" && event.index === index ? [event.text] : []))
            .join("")
        expect(each.calls.map((_, index) => argumentsOf(index))).toEqual(each.calls.map(({ args }) => args))
      })
    )
  })

  it("reads a body the same wherever it is cut, and a part of it as part of the turn", () => {
    FastCheck.assert(
      FastCheck.property(said, FastCheck.array(FastCheck.double({ min: 0, max: 1, noNaN: true })), (each, places) => {
        const bytes = encoder.encode(rendered(format, each).text)
        const ends = [
          ...places.map((place) => Math.floor(place * bytes.length)).toSorted((a, b) => a - b),
          bytes.length
        ]
        const pieces = ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
        const whole = readText(format, [bytes])
        expect(readText(format, pieces)).toEqual(whole)
        const part = readText(format, [bytes.subarray(0, ends[0])]).turn
        const known = Turn.calls(whole.turn).map((made) => JSON.stringify(made))
        expect(Turn.calls(part).every((made) => known.includes(JSON.stringify(made)))).toBe(true)
        expect(format.encodeResults(part, []).pending).toEqual(Turn.calls(part).map((made) => made.id))
      })
    )
  })

  it("never throws, whatever the chunks are", () => {
    const value = FastCheck.oneof(
      FastCheck.jsonValue(),
      FastCheck.constantFrom<Array<unknown>>(null, [], {}, "", "{}", 0, [null], [{}], { index: 0 })
    )
    const entry = FastCheck.record(
      {
        index: value,
        id: value,
        type: value,
        function: FastCheck.oneof(value, FastCheck.record({ name: value, arguments: value }, { requiredKeys: [] })),
        custom: FastCheck.oneof(value, FastCheck.record({ name: value, input: value }, { requiredKeys: [] }))
      },
      { requiredKeys: [] }
    )
    const fields = {
      content: value,
      reasoning: value,
      reasoning_details: value,
      audio: value,
      executed_tools: value,
      function_call: value,
      annotations: value,
      tool_calls: FastCheck.oneof(value, FastCheck.array(entry))
    }
    const choice = FastCheck.record(
      {
        delta: FastCheck.oneof(value, FastCheck.record(fields, { requiredKeys: [] })),
        finish_reason: value,
        error: value
      },
      { requiredKeys: [] }
    )
    const odd = FastCheck.oneof(
      value,
      FastCheck.record(
        { choices: FastCheck.oneof(value, FastCheck.tuple(choice)), usage: value, error: value },
        { requiredKeys: [] }
      )
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.array(odd, { maxLength: 8 }), (chunks) => {
        const { events, turn } = readText(format, [body(chunks)], { definitions: [], isStrict: true })
        const complete = events.filter((event) => event._tag === "CallComplete").map((event) => event.part)
        expect(new Set(complete)).toEqual(
          new Set(turn.parts.filter((part) => part._tag === "Call" && part.executedBy === "application"))
        )
      }),
      { numRuns: runs(500) }
    )
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array(), FastCheck.string(), (bytes, text) => {
        readText(format, [bytes, `data: ${text}\n\n`])
      })
    )
  })
})

it("reads a hundred thousand pieces of one call's arguments in one pass", () => {
  const decoder = OpenAiChat.streamDecoder()
  decoder.push(encoder.encode(body([calling(started(0, "a", "f", '{"x":"'))])))
  const piece = encoder.encode(body([calling(more(0, "y".repeat(8)))]).repeat(1000))
  for (let time = 0; time < 100; time++) decoder.push(piece)
  const events = decoder.push(encoder.encode(body([calling(more(0, '"}'))])))
  expect(tags(events)).toEqual(["ArgumentsDelta 0", "CallComplete 0"])
})

it("takes calls, pieces and annotations in any number, whatever ends each chunk", () => {
  const many = sized(500, 15_000)
  const range = (make: (at: number) => object) => Array.from({ length: many }, (_, at) => make(at))
  const chunk = (delta: object, finish?: string) => ({
    choices: [{ index: 0, delta, ...(finish === undefined ? {} : { finish_reason: finish }) }]
  })
  const call = (index: number, name: string | undefined, args: string) => ({
    tool_calls: [
      {
        index,
        ...(name === undefined ? {} : { id: `a${index}`, type: "function" }),
        function: { name, arguments: args }
      }
    ]
  })
  const streams: ReadonlyArray<readonly [chunks: ReadonlyArray<object>, calls: number]> = [
    [range((at) => chunk(call(at, "t", '{"a":1}'), "tool_calls")), many],
    [[chunk(call(0, "t", '{"a":')), ...range(() => chunk(call(0, undefined, "}"))), chunk({}, "tool_calls")], 1],
    [[...range(() => chunk({ function_call: { name: "t", arguments: "x" } })), chunk({}, "function_call")], 1],
    [[...range((at) => chunk({ annotations: [{ at }] })), chunk({}, "stop")], 0]
  ]
  for (const [chunks, calls] of streams) {
    const { turn } = readText(OpenAiChat.format, [body(chunks)])
    expect(Turn.calls(turn)).toHaveLength(calls)
  }
  const listed = readText(OpenAiChat.format, [body(streams.at(-1)?.[0] ?? [])])
  expect(listed.turn.native).toMatchObject([{ annotations: range((at) => ({ at })) }])
})
