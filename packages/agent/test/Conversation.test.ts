import { describe, expect, it } from "@effect/vitest"
import { Conversation } from "@wield/agent"
import { Content, type Message, ToolCall, type ToolResult, type Turn } from "@wield/core"
import { Effect, Exit, FastCheck, Schema, TestClock } from "effect"
import { character } from "../../../test/characters.js"

const call = (id: string, name = "get_orders", args: unknown = "{}"): Message.Assistant["parts"][number] => ({
  _tag: "Call",
  call: ToolCall.make(id, name, args),
  executedBy: "application",
  nativeName: name,
  nativeId: id
})

const assistant = (...parts: Message.Assistant["parts"]): Message.Assistant => ({
  _tag: "Assistant",
  parts,
  native: undefined
})

const result = (id: string, name = "get_orders", text = "none"): ToolResult.ToolResult => ({
  id,
  name,
  isError: false,
  content: [Content.text(text)],
  structured: text
})

const results = (...list: ReadonlyArray<ToolResult.ToolResult>): Message.Results => ({
  _tag: "Results",
  results: list,
  native: { format: "openai-chat", json: list.map(({ id }) => ({ role: "tool", tool_call_id: id })) }
})

const entryOf = (id: string, message: Message.Message, options?: { readonly summaryOf?: string }) => ({
  id,
  message,
  at: 0,
  ...options
})

const json = FastCheck.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)))
const content = FastCheck.array(
  FastCheck.oneof(
    FastCheck.string({ unit: character }).map(Content.text),
    json.map(Content.json),
    FastCheck.string().map((data) => Content.image("image/png", data)),
    FastCheck.string().map((data) => Content.file("application/pdf", data, "a.pdf")),
    FastCheck.webUrl().map((url) => new Content.File({ mediaType: "text/plain", source: { _tag: "Url", url } }))
  ),
  { maxLength: 4 }
)
const native = FastCheck.option(
  FastCheck.record({ format: FastCheck.string(), json: FastCheck.array(json, { maxLength: 3 }) }),
  { nil: undefined }
)
const text = FastCheck.string({ unit: character })
const count = FastCheck.option(FastCheck.nat(), { nil: undefined })
const part: FastCheck.Arbitrary<Message.Assistant["parts"][number]> = FastCheck.oneof(
  FastCheck.record({ _tag: FastCheck.constantFrom("Text" as const, "Reasoning" as const, "Refusal" as const), text }),
  FastCheck.record({
    _tag: FastCheck.constant("Call" as const),
    call: FastCheck.record({ id: text, name: text, arguments: json }),
    executedBy: FastCheck.constantFrom("application" as const, "provider" as const),
    nativeName: text,
    nativeId: FastCheck.option(text, { nil: undefined })
  })
)
const anyResult: FastCheck.Arbitrary<ToolResult.ToolResult> = FastCheck.record(
  { id: text, name: text, isError: FastCheck.boolean(), content, structured: json },
  { requiredKeys: ["id", "name", "isError", "content"] }
)
const message: FastCheck.Arbitrary<Message.Message> = FastCheck.oneof(
  FastCheck.record({ _tag: FastCheck.constant("System" as const), text, native }),
  FastCheck.record({ _tag: FastCheck.constant("User" as const), content, native }),
  FastCheck.record({ _tag: FastCheck.constant("Assistant" as const), parts: FastCheck.array(part), native }),
  FastCheck.record({ _tag: FastCheck.constant("Results" as const), results: FastCheck.array(anyResult), native })
)
const anyEntry: FastCheck.Arbitrary<Conversation.Entry> = FastCheck.record(
  {
    id: text,
    message,
    at: FastCheck.nat(),
    summaryOf: text,
    metadata: FastCheck.dictionary(FastCheck.string(), json),
    turn: FastCheck.record({
      model: FastCheck.option(text, { nil: undefined }),
      usage: FastCheck.record({ input: count, output: count, reasoning: count, cacheRead: count, cacheWrite: count }),
      finish: FastCheck.constantFrom<Turn.Finish>("stop", "calls", "length", "filter", "paused", "error", "other"),
      isComplete: FastCheck.boolean()
    })
  },
  { requiredKeys: ["id", "message", "at"] }
)

describe("Conversation.Entry", () => {
  const asText = Schema.parseJson(Conversation.Entry)

  it.prop("is the same after it was JSON text, and the same text again", [anyEntry], ([entry]) => {
    const written = Schema.encodeSync(asText)(entry)
    const read = Schema.decodeSync(asText)(written)
    expect(read).toStrictEqual(entry)
    expect(Schema.encodeSync(asText)(read)).toBe(written)
  })

  it("keeps the provider's own message byte for byte", () => {
    const bytes = '{"z":1,"content":[{"type":"thinking","signature":"Eo\\u0000A","__proto__":{"a":1}}],"a":1.50e3}'
    const entry = entryOf("e1", { ...assistant(), native: { format: "anthropic", json: [JSON.parse(bytes)] } })
    const read = Schema.decodeSync(asText)(Schema.encodeSync(asText)(entry))
    expect(JSON.stringify(read.message.native?.json[0])).toBe(JSON.stringify(JSON.parse(bytes)))
  })

  it.effect("is refused as text with a typed error where arguments have no JSON text", () =>
    Effect.gen(function* () {
      const entry = entryOf("e1", assistant(call("c1", "pay", { amount: 1n })))
      const refused = yield* Effect.flip(Schema.encode(asText)(entry))
      expect(refused.message).toContain("BigInt")
    })
  )

  it.effect("is refused with its place where it is none", () =>
    Effect.gen(function* () {
      const wrong = '{"id":"e1","at":0,"message":{"_tag":"User","content":[{"_tag":"Text","text":1}]}}'
      const refused = yield* Effect.flip(Schema.decode(asText)(wrong))
      expect(refused.message).toContain('["text"]')
    })
  )
})

describe("Conversation.entry", () => {
  it.effect("has the clock's time and an id that sorts by it", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let step = 0; step < 20; step++) {
        yield* TestClock.setTime(1_700_000_000_000 + step)
        const entry = yield* Conversation.entry(Conversation.user("Hello"))
        expect(entry.at).toBe(1_700_000_000_000 + step)
        ids.push(entry.id)
      }
      expect([...ids].sort()).toStrictEqual(ids)
      expect(new Set(ids).size).toBe(20)
    })
  )

  it.effect("has only the properties that were given", () =>
    Effect.gen(function* () {
      const old = yield* Conversation.entry(Conversation.user("Hi"), { id: "e0", summaryOf: "e" })
      const copy = yield* Conversation.entry(Conversation.user("Hello"), { ...old, at: 5 })
      expect(copy).toStrictEqual({ id: "e0", summaryOf: "e", message: Conversation.user("Hello"), at: 5 })
      const entry = yield* Conversation.entry(Conversation.user("Hello"), { id: "e1", metadata: undefined })
      expect(Object.keys(entry)).toStrictEqual(["id", "message", "at"])
    })
  )

  it("refuses a misspelt property", () => {
    const options = { sumaryOf: "e1" } as {}
    expect(() => Effect.runSync(Conversation.entry(Conversation.user("Hello"), options))).toThrow(
      /sumaryOf must be named as an option is \(did you mean "summaryOf"\?\)/
    )
  })
})

describe("Conversation.messages", () => {
  const turn = assistant(call("a"), call("b"), call("c"))

  it("puts the results of one turn together in the order of the calls, without the native messages", () => {
    const list = Conversation.messages([
      entryOf("1", turn),
      entryOf("2", results(result("c"))),
      entryOf("3", results(result("b"), result("a")))
    ])
    expect(list).toStrictEqual([
      turn,
      { _tag: "Results", results: [result("a"), result("b"), result("c")], native: undefined }
    ])
  })

  it("leaves results of one entry as they are, with their native messages", () => {
    const alone = results(result("b"), result("a"))
    expect(Conversation.messages([entryOf("1", turn), entryOf("2", alone)])[1]).toBe(alone)
  })

  it("leaves summaries out, also between results", () => {
    const summary = entryOf("s", { _tag: "System", text: "So far: nothing.", native: undefined }, { summaryOf: "1" })
    const list = Conversation.messages([
      entryOf("1", turn),
      entryOf("2", results(result("b"))),
      summary,
      entryOf("3", results(result("a")))
    ])
    expect(list.map(({ _tag }) => _tag)).toStrictEqual(["Assistant", "Results"])
  })

  it("loses no result that answers no call", () => {
    const list = Conversation.messages([
      entryOf("1", assistant(call("a"))),
      entryOf("2", results(result("x"))),
      entryOf("3", results(result("a")))
    ])
    expect(list[1]).toMatchObject({ results: [{ id: "a" }, { id: "x" }] })
  })

  it("tells calls of one id apart by their names", () => {
    const list = Conversation.messages([
      entryOf("1", assistant(call("call_0", "one"), call("call_0", "two"))),
      entryOf("2", results(result("call_0", "two"))),
      entryOf("3", results(result("call_0", "one")))
    ])
    expect(list[1]).toMatchObject({ results: [{ name: "one" }, { name: "two" }] })
  })
})

describe("Conversation.unanswered", () => {
  const search = { ...call("p", "web_search"), executedBy: "provider" as const }

  it("has the calls without a result, and not those that the provider ran", () => {
    const unanswered = Conversation.unanswered([
      entryOf("1", assistant(call("a"), search, call("b"))),
      entryOf("2", results(result("a")))
    ])
    expect(unanswered).toStrictEqual({ entry: "1", calls: [ToolCall.make("b", "get_orders", "{}")] })
  })

  it("is undefined when every call has its result, or nobody called", () => {
    expect(Conversation.unanswered([])).toBeUndefined()
    expect(Conversation.unanswered([entryOf("1", Conversation.user("Hello"))])).toBeUndefined()
    expect(
      Conversation.unanswered([entryOf("1", assistant(call("a"))), entryOf("2", results(result("a")))])
    ).toBeUndefined()
  })

  it("does not take a result of an earlier turn for one of the last", () => {
    const unanswered = Conversation.unanswered([
      entryOf("1", assistant(call("call_0"))),
      entryOf("2", results(result("call_0"))),
      entryOf("3", assistant(call("call_0")))
    ])
    expect(unanswered?.entry).toBe("3")
  })

  it("counts two calls of one id", () => {
    const unanswered = Conversation.unanswered([
      entryOf("1", assistant(call("call_0", "get_orders", '{"page":1}'), call("call_0", "get_orders", '{"page":2}'))),
      entryOf("2", results(result("call_0")))
    ])
    expect(unanswered?.calls.map((one) => one.arguments)).toStrictEqual(['{"page":2}'])
  })
})

describe("Conversation.make", () => {
  it.effect("refuses entries of one id as a defect", () =>
    Effect.gen(function* () {
      const entry = yield* Conversation.entry(Conversation.user("Hello"))
      const exit = yield* Effect.exit(Conversation.make({ entries: [entry, entry] }))
      expect(Exit.isFailure(exit)).toBe(true)
    })
  )
})
