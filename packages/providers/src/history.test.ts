/** What a loop sends: a conversation in Wield's words, with each turn's own message beside it. */
import { describe, expect, it } from "@effect/vitest"
import type { Json, Message } from "@wield/core"
import { Content, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either } from "effect"
import { cases } from "../test/responses.js"
import type { WireFormat } from "./WireFormat.js"

const names = ["get_orders", "now", "get_orders", "print", "fail"]
const definitions = [...new Set(names)].map((name) => ToolDefinition.make({ name }))

const asked: ReadonlyArray<Message.Message> = [
  { _tag: "System", text: "Be brief.", native: undefined },
  { _tag: "User", content: [Content.text("Where is my order?")], native: undefined }
]

const assistant = (turn: Turn.Turn): Message.Assistant => ({
  _tag: "Assistant",
  parts: turn.parts,
  native: { format: turn.format, json: turn.native }
})

const results = (outcomes: ReadonlyArray<Outcome.Outcome>): Message.Results => ({
  _tag: "Results",
  results: outcomes.flatMap((outcome) => Outcome.render(outcome) ?? []),
  native: undefined
})

/** An object, text, a number, content with an image and a document, and a typed failure. */
const outcomesOf = (turn: Turn.Turn): ReadonlyArray<Outcome.Outcome> => {
  const values = [{ id: "o_1", total: 5 }, "noon", 7]
  return Turn.calls(turn).map((call, index) => {
    if (index === 4) return Outcome.failure(call, { why: "closed" })
    if (index === 3) {
      const content = [
        Content.text("The label:"),
        Content.image("image/png", "iVBORw0KGgo="),
        Content.file("application/pdf", "JVBERi0=", "label.pdf")
      ]
      return Outcome.success(call, null, content)
    }
    const value = values[index] ?? null
    return Outcome.success(call, value)
  })
}

const historyOf = (
  format: WireFormat,
  messages: ReadonlyArray<Message.Message>,
  model: string | undefined
): ReadonlyArray<Json.Json> => {
  const settings = { format: format.name, json: format.endpoint.body(model ?? "m", true) }
  const request = { messages, definitions, options: {}, settings, losses: [] }
  const { body } = format.encodeRequest(model === undefined ? request : { ...request, model })
  const history = body[format.historyKey]
  expect(Array.isArray(history)).toBe(true)
  return Array.isArray(history) ? (history as ReadonlyArray<Json.Json>) : []
}

describe.each(cases)("a conversation in Wield's words, sent as $format.name", ({ format, response }) => {
  const turn = Either.getOrThrow(format.decodeTurn(response(names, '{"a":1}'), { definitions }))
  const outcomes = outcomesOf(turn)
  const model = turn.model
  const before = historyOf(format, asked, model)
  const expected = format.encodeResults(turn, outcomes).messages

  it("has for a turn and its results what encodeResults appends", () => {
    const history = historyOf(format, [...asked, assistant(turn), results(outcomes)], model)
    expect(history).toEqual([...before, ...expected])
  })

  it("has results that came late, and out of order, where those are that came at once", () => {
    const late = [outcomes.slice(2, 3), outcomes.slice(4), outcomes.slice(0, 2).toReversed(), outcomes.slice(3, 4)]
    const history = historyOf(format, [...asked, assistant(turn), ...late.map(results)], model)
    expect(history).toEqual([...before, ...expected])
  })

  it("goes on after them, turn upon turn, and leaves what was sent as it was", () => {
    const messages = [...asked, assistant(turn), results(outcomes)]
    const first = historyOf(format, messages, model)
    // Another response, whose ids are those of the first where its API counts them anew in each.
    const second = historyOf(format, [...messages, assistant(turn), results(outcomes)], model)
    expect(second.slice(0, first.length)).toEqual(first)
    expect(second.slice(first.length)).toHaveLength(expected.length)
  })

  it("says its own calls anew under the ids that it gave them, in every turn", () => {
    const ids = Turn.calls(turn).map(({ id }) => id)
    const parts = turn.parts.map((part): Turn.Part => {
      if (part._tag !== "Call" || part.nativeId === undefined) return part
      // What no rule of an API allows, and some server of it makes.
      const id = `${"functions.".repeat(20)}${part.call.name}:${ids.indexOf(part.call.id)}`
      return { ...part, call: { ...part.call, id }, nativeId: id }
    })
    const anew: Message.Assistant = { _tag: "Assistant", parts, native: undefined }
    const answers = results(outcomesOf({ ...turn, parts }))
    const history = JSON.stringify(historyOf(format, [anew, answers, anew, answers], model))
    for (const part of parts) {
      if (part._tag !== "Call" || part.nativeId === undefined) continue
      const timesIn = (json: string): number => json.split(JSON.stringify(part.nativeId)).length - 1
      // In both turns, in the call and in its result.
      expect(timesIn(history)).toBe(4)
      const foreign = { ...anew, parts: [{ ...part, format: "other" }] }
      expect(timesIn(JSON.stringify(historyOf(format, [foreign, answers, foreign, answers], model)))).toBeLessThan(3)
    }
  })

  it("sends a turn without calls, and what the user says to it, as they are", () => {
    const said = Either.getOrThrow(format.decodeTurn(response([]), { definitions }))
    const further: Message.User = { _tag: "User", content: [Content.text("Thanks.")], native: undefined }
    const history = historyOf(format, [...asked, assistant(said), further], model)
    expect(history.slice(before.length, -1)).toEqual(said.native)
    expect(JSON.stringify(history.at(-1))).toContain("Thanks.")
  })
})

const withoutIds = (body: object): unknown =>
  JSON.parse(JSON.stringify(body, (key, value: unknown) => (key === "id" || key === "call_id" ? undefined : value)))

const idless = cases.filter(({ format }) => /^(openai|mistral)/.test(format.name))

it.each(idless)("fills in the ids that a server of $format.name left out, in call and result alike", (each) => {
  const { format } = each
  const turn = Either.getOrThrow(format.decodeTurn(withoutIds(each.response(names))))
  const outcomes = outcomesOf(turn)
  const history = historyOf(format, [...asked, assistant(turn), results(outcomes)], turn.model)
  expect(history).toEqual([...historyOf(format, asked, turn.model), ...format.encodeResults(turn, outcomes).messages])
  for (const { id } of Turn.calls(turn)) expect(JSON.stringify(history).split(JSON.stringify(id))).toHaveLength(3)
})

const [anthropic] = cases.filter(({ format }) => format.name === "anthropic") as [(typeof cases)[number]]

describe.each(cases)("texts of blanks only, as $format.name", ({ format, response }) => {
  const isClaude = format.name === "anthropic" || format.name === "bedrock-converse"
  const read = (text: string): Turn.Turn => {
    const body = JSON.stringify(response(["now"])).replaceAll(JSON.stringify("Let me look."), JSON.stringify(text))
    return Either.getOrThrow(format.decodeTurn(JSON.parse(body), { definitions }))
  }
  const isBlank = (value: Json.Json): boolean =>
    Array.isArray(value)
      ? value.some(isBlank)
      : typeof value === "object" && value !== null
        ? Object.entries(value).some(([key, each]) =>
            typeof each === "string" ? key === "text" && each.trim() === "" : isBlank(each)
          )
        : false

  it("that a model said before a call do not go back where they are refused, as they stood or re-encoded", () => {
    const turn = read("\n\n")
    const blank: Message.Message = { _tag: "User", content: [Content.text(" \n")], native: undefined }
    const outcomes = Turn.calls(turn).map((call) =>
      Outcome.success(call, null, [Content.text("\n"), Content.text("Noon.")])
    )
    const messages = [...asked, blank, assistant(turn), results(outcomes)]
    const anew = messages.map((message) => ({ ...message, native: undefined }))
    for (const history of [historyOf(format, messages, turn.model), historyOf(format, anew, turn.model)]) {
      expect(JSON.stringify(history)).toContain("Noon.")
      const said = history.filter((each) => format.name === "anthropic" || JSON.stringify(each).includes('"assistant"'))
      expect(isClaude && said.some(isBlank)).toBe(false)
    }
    const sent = format.encodeResults(turn, outcomes).messages
    expect(isClaude && sent.some(isBlank)).toBe(false)
    expect(sent.length).toBeGreaterThan(1)
  })
})

it("texts of blanks and nothing else make no message for Claude", () => {
  const body = JSON.stringify(anthropic.response([])).replaceAll(JSON.stringify("Let me look."), JSON.stringify(" "))
  const turn = Either.getOrThrow(anthropic.format.decodeTurn(JSON.parse(body), { definitions }))
  expect(anthropic.format.encodeResults(turn, []).messages).toEqual([])
  expect(historyOf(anthropic.format, [...asked, assistant(turn)], turn.model)).toHaveLength(1)
})

describe.each(cases)("half of a surrogate pair, as $format.name", ({ format, response }) => {
  const half = "cut \ud83d"
  const tools = [ToolDefinition.make({ name: "now", description: half, inputSchema: { type: "object", title: half } })]
  const turn = Either.getOrThrow(
    format.decodeTurn(JSON.parse(JSON.stringify(response(["now", half], '{"a":1}')).replace("Let me", half)))
  )
  const parts = turn.parts.map((part): Turn.Part =>
    part._tag === "Call" ? { ...part, call: { ...part.call, arguments: { [half]: [half] } } } : part
  )
  const outcomes = Turn.calls(turn).map((call) =>
    Outcome.success(call, { [half]: half }, [Content.text(half), Content.json({ [half]: half })])
  )
  const user: Message.User = {
    _tag: "User",
    content: [Content.text(half), Content.file("application/pdf", "JVBERi0=", half)],
    native: undefined
  }

  it.each([
    ["kept", assistant(turn)],
    ["re-encoded", { ...assistant(turn), native: undefined, parts }]
  ] as const)("does not get into a request, %s", (_, said) => {
    const messages = [{ _tag: "System", text: half, native: undefined } as const, user, said, results(outcomes)]
    const settings = { format: format.name, json: { ...format.endpoint.body("m", false), metadata: { [half]: half } } }
    const { body } = format.encodeRequest({ messages, definitions: tools, options: {}, settings, losses: [] })
    expect(JSON.stringify(body)).not.toMatch(/ud83d/)
    expect(JSON.stringify(body)).toContain("cut \ufffd")
    expect(JSON.stringify(format.encodeTools(tools).body)).not.toMatch(/ud83d/)
    for (const each of [turn, { ...turn, parts, native: [], format: "other" }]) {
      expect(JSON.stringify(format.encodeResults(each, outcomes).messages)).not.toMatch(/ud83d/)
    }
  })
})
