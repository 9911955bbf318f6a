/** What providers cache: marks that move with a conversation, and a prefix that stays as it was sent. */
import { describe, expect, it } from "@effect/vitest"
import type { Json, Message } from "@wield/core"
import { Content, Outcome, ToolDefinition, Turn } from "@wield/core"
import { Either, FastCheck } from "effect"
import { runs } from "../../../test/sizes.js"
import { cases } from "../test/responses.js"
import type { WireFormat } from "./WireFormat.js"

const definitions = ["get_orders", "now", "print"].map((name) => ToolDefinition.make({ name, description: name }))
const system: Message.Message = { _tag: "System", text: "Be brief.", native: undefined }
const user = (text: string): Message.User => ({ _tag: "User", content: [Content.text(text)], native: undefined })
const formatOf = (name: string) => cases.find(({ format }) => format.name === name)!

const models: { readonly [format: string]: string } = {
  "bedrock-converse": "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
  anthropic: "claude-sonnet-4-5"
}

const bodyOf = (
  format: WireFormat,
  messages: ReadonlyArray<Message.Message>,
  changes: Partial<Parameters<WireFormat["encodeRequest"]>[0]> = {}
): Json.JsonObject =>
  format.encodeRequest({
    messages,
    definitions,
    options: {},
    settings: undefined,
    model: models[format.name],
    cache: { key: "c_1" },
    losses: [],
    ...changes
  }).body

const marks =
  /"cache_control":\{"type":"ephemeral"\},?|,"cache_control":\{"type":"ephemeral"\}|,?\{"cachePoint":\{"type":"default"\}\}/g
const countOf = (body: unknown): number => JSON.stringify(body)?.match(marks)?.length ?? 0
const plain = (value: unknown): string => JSON.stringify(value ?? null).replaceAll(marks, "")

/** One more exchange: what the user says, and the turns that follow, with their results. */
const exchanges = FastCheck.array(
  FastCheck.record({
    said: FastCheck.array(FastCheck.string({ minLength: 1 }), { minLength: 1, maxLength: 2 }),
    turns: FastCheck.array(FastCheck.array(FastCheck.constantFrom("get_orders", "now", "print"), { maxLength: 3 }), {
      maxLength: 4
    }),
    isNative: FastCheck.boolean(),
    isLate: FastCheck.boolean()
  }),
  { minLength: 1, maxLength: 4 }
)

describe.each(cases)("a conversation that grows, sent as $format.name", ({ format, response }) => {
  it("keeps byte for byte what was sent before, marks aside, and never has more than four marks", () => {
    FastCheck.assert(
      FastCheck.property(exchanges, (all) => {
        const messages: Array<Message.Message> = [system]
        const sent: Array<Json.JsonObject> = []
        for (const { isLate, isNative, said, turns } of all) {
          messages.push(...said.map(user))
          for (const names of [...turns.filter((each) => each.length > 0), []]) {
            sent.push(bodyOf(format, messages))
            const turn = Either.getOrThrow(format.decodeTurn(response(names, '{"a":1}'), { definitions }))
            const native = isNative ? { format: turn.format, json: turn.native } : undefined
            messages.push({ _tag: "Assistant", parts: turn.parts, native })
            const results = Turn.calls(turn).flatMap(
              (call, index) => Outcome.render(Outcome.success(call, { index })) ?? []
            )
            const groups = isLate ? results.map((result) => [result]) : [results]
            for (const group of groups) {
              if (group.length > 0) messages.push({ _tag: "Results", results: group, native: undefined })
            }
          }
        }
        for (const [index, body] of sent.entries()) {
          expect(countOf(body)).toBeLessThanOrEqual(4)
          const before = sent[index - 1]
          if (before === undefined) continue
          const { [format.historyKey]: history, ...others } = body
          const { [format.historyKey]: historyBefore, ...othersBefore } = before
          expect(plain(others)).toBe(plain(othersBefore))
          // A message may grow, so that its end is not compared.
          const open = plain(historyBefore).replace(/[\]}]+$/, "")
          expect(plain(history).slice(0, open.length)).toBe(open)
        }
      }),
      { numRuns: runs(40) }
    )
  })
})

describe.each(["anthropic", "bedrock-converse"])("the marks of %s", (name) => {
  const { format, response } = formatOf(name)
  const turn = Either.getOrThrow(format.decodeTurn(response(["now"]), { definitions }))
  const assistant: Message.Message = {
    _tag: "Assistant",
    parts: turn.parts,
    native: { format: turn.format, json: turn.native }
  }
  const results: Message.Message = {
    _tag: "Results",
    results: Turn.calls(turn).flatMap((call) => Outcome.render(Outcome.success(call, "noon")) ?? []),
    native: undefined
  }
  const grown = [system, user("When?"), assistant, results]
  const placesOf = (body: Json.JsonObject): ReadonlyArray<number> =>
    (body["messages"] as ReadonlyArray<Json.Json>).flatMap((message, index) => (countOf(message) > 0 ? [index] : []))

  it("stand behind tools, system, what is sent last, and what was sent last before it", () => {
    const first = bodyOf(format, grown.slice(0, 2))
    const second = bodyOf(format, grown)
    expect(countOf(first["system"])).toBe(1)
    expect(countOf(first["tools"] ?? first["toolConfig"])).toBe(1)
    expect(placesOf(first)).toEqual([0])
    expect(placesOf(second)).toEqual([0, 2])
    expect(placesOf(bodyOf(format, [...grown, assistant, results]))).toEqual([2, 4])
    expect(countOf(second)).toBe(4)
    expect(bodyOf(format, grown, { options: { isCached: true } })).toEqual(second)
  })

  it("are not there without `cache`", () => {
    expect(countOf(bodyOf(format, grown, { cache: undefined }))).toBe(0)
  })

  it("are left to a program that sets some itself", () => {
    const text = { _tag: "System", text: "Be brief.", native: undefined } as const
    const point = { cachePoint: { type: "default" } }
    const own =
      name === "anthropic"
        ? [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }]
        : [{ text: "Be brief." }, point]
    const marked: Message.Message = { ...text, native: { format: name, json: [own] } }
    const body = bodyOf(format, [marked, ...grown.slice(1)])
    expect(body["system"]).toEqual(own)
    expect(countOf({ ...body, system: [] })).toBe(0)
  })

  it("stand on none of the arguments or results of a call that have their name", () => {
    const call = {
      id: "a",
      name: "now",
      arguments: { cache_control: { type: "ephemeral", ttl: "1h" }, cachePoint: {} }
    }
    const said: Message.Message = {
      _tag: "Assistant",
      parts: [{ _tag: "Call", call, executedBy: "runner", nativeId: undefined, format: "other" } as never],
      native: undefined
    }
    const answered: Message.Message = {
      _tag: "Results",
      results: [Outcome.render(Outcome.success(call, { cachePoint: {} }))!],
      native: undefined
    }
    expect(placesOf(bodyOf(format, [system, user("When?"), said, answered]))).toEqual([0, 2])
  })
})

it("Anthropic's tools that are loaded later have no mark, nor has reasoning or blank text", () => {
  const { format } = formatOf("anthropic")
  const native = { format: "anthropic", json: { name: "later", input_schema: { type: "object" }, defer_loading: true } }
  const later = ToolDefinition.make({ name: "later", native })
  for (const isCached of [undefined, true]) {
    const body = bodyOf(format, [system, user("Hi")], { definitions: [...definitions, later], options: { isCached } })
    const tools = body["tools"] as ReadonlyArray<Json.Json>
    expect(tools.map(countOf)).toEqual([0, 0, 1, 0])
    expect(countOf(body)).toBe(3)
  }
})

it.each([
  ["eu.anthropic.claude-sonnet-4-5-20250929-v1:0", undefined, 3],
  ["anthropic.claude-3-5-haiku-20241022-v1:0", undefined, 3],
  ["us.amazon.nova-pro-v1:0", undefined, 2],
  ["anthropic.claude-3-haiku-20240307-v1:0", undefined, 0],
  ["anthropic.claude-v2:1", undefined, 0],
  ["meta.llama3-3-70b-instruct-v1:0", undefined, 0],
  ["arn:aws:bedrock:eu-central-1:1:application-inference-profile/a", undefined, 0],
  ["arn:aws:bedrock:eu-central-1:1:application-inference-profile/a", true, 3]
])("Bedrock's %s has, where isCached is %s, %s cache points", (model, isCached, count) => {
  const { format } = formatOf("bedrock-converse")
  expect(countOf(bodyOf(format, [system, user("Hi")], { model, options: { isCached } }))).toBe(count)
})

it.each(["openai-chat", "openai-responses"])("%s names the conversation to OpenAI, and to no other server", (name) => {
  const { format } = formatOf(name)
  const keyOf = (changes: Partial<Parameters<WireFormat["encodeRequest"]>[0]>) =>
    bodyOf(format, [user("Hi")], changes)["prompt_cache_key"]
  // Its id may say whose it is.
  const key = keyOf({})
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(keyOf({ host: "eu.api.openai.com" })).toBe(key)
  expect(keyOf({ host: "api.groq.com" })).toBeUndefined()
  expect(keyOf({ host: "notopenai.com" })).toBeUndefined()
  expect(keyOf({ host: "127.0.0.1:8000", options: { isCached: true } })).toBe(key)
  expect(keyOf({ cache: undefined })).toBeUndefined()
  expect(keyOf({ cache: {} })).toBeUndefined()
  expect(keyOf({ cache: { key: "c_2" } })).not.toBe(key)
  expect(keyOf({ settings: { format: name, json: { prompt_cache_key: "own" } } })).toBe("own")
})

const counted: { readonly [format: string]: readonly [response: object, read: number, written?: number] } = {
  anthropic: [{ usage: { input_tokens: 3, cache_read_input_tokens: 70, cache_creation_input_tokens: 27 } }, 70, 27],
  "bedrock-converse": [{ usage: { inputTokens: 3, cacheReadInputTokens: 70, cacheWriteInputTokens: 27 } }, 70, 27],
  "openai-chat": [{ usage: { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 70 } } }, 70],
  mistral: [{ usage: { prompt_tokens: 100, num_cached_tokens: 70 } }, 70],
  "openai-responses": [{ usage: { input_tokens: 100, input_tokens_details: { cached_tokens: 70 } } }, 70],
  gemini: [{ usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 70 } }, 70],
  "cohere-v2": [{ usage: { tokens: { input_tokens: 100 }, cached_tokens: 70 } }, 70]
}

it.each(cases.filter(({ format }) => format.name in counted))("$format.name says what was cached", (each) => {
  const [usage, read, written] = counted[each.format.name]!
  const turn = Either.getOrThrow(each.format.decodeTurn({ ...each.response([]), ...usage }))
  expect(turn.usage).toMatchObject({ input: 100, cacheRead: read })
  expect(turn.usage.cacheWrite).toBe(written)
})
