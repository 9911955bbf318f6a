/** What holds for every wire format, whatever its API. */
import { describe, expect, it } from "@effect/vitest"
import type { Json, Loss, Message } from "@wield/core"
import { Content, Facts, Outcome, ToolCall, ToolDefinition, Turn } from "@wield/core"
import { Either, FastCheck, Option } from "effect"
import { mutated } from "../test/mutated.js"
import { emptyRequest } from "../test/request.js"
import { readStream } from "../test/readStream.js"
import type { Case } from "../test/responses.js"
import { cases } from "../test/responses.js"
import { eventStream, serverSentEvents } from "../test/streamBody.js"
import * as Anthropic from "./Anthropic.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as Gemini from "./Gemini.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import { detect } from "./WireFormat.js"
import type { WireFormat } from "./WireFormat.js"
import { runs, sized } from "../../../test/sizes.js"

const name = FastCheck.oneof(
  FastCheck.string({ minLength: 1 }),
  FastCheck.constantFrom("get_orders", "__proto__", "toString", "shop/get orders", "3d", "x".repeat(200))
)
/** More than fit the stack as arguments of one function. */
const wide = 130_000
/** In the soak, work that grows with the square of their number takes minutes. */
const many = sized(1_000, 20_000)

const names = FastCheck.uniqueArray(name, { minLength: 1, maxLength: 8 })
const define = (all: ReadonlyArray<string>) => all.map((each) => ToolDefinition.make({ name: each }))

/** A response as a stream, for the APIs that may stream it in one piece. */
const streamOf: { readonly [format: string]: (response: object) => Uint8Array } = {
  "openai-chat": (response) => serverSentEvents([response]),
  mistral: (response) => serverSentEvents([response]),
  "openai-responses": (response) => serverSentEvents([{ type: "response.completed", response }]),
  gemini: (response) => serverSentEvents([response]),
  ollama: (response) => new TextEncoder().encode(JSON.stringify(response))
}

/** The names under which a request offers the tools, in order, wherever the API puts them. */
const offeredNames = (format: WireFormat, definitions: ReadonlyArray<ToolDefinition.ToolDefinition>) => {
  const found: Array<string> = []
  JSON.stringify(format.encodeTools(definitions).body, (key, value: unknown) => {
    if (key === "name" && typeof value === "string") found.push(value)
    return value
  })
  return found
}

describe.each(cases)("$format.name", ({ format, response }) => {
  it("reads back under their own names the tools that it offered", () => {
    FastCheck.assert(
      FastCheck.property(names, (all) => {
        const definitions = define(all)
        const natives = offeredNames(format, definitions)
        const turn = Either.getOrThrow(format.decodeTurn(response(natives), { definitions }))
        expect(Turn.calls(turn).map((call) => call.name)).toEqual(all)
        expect(turn.finish).toBe("calls")
      })
    )
  })

  it("takes any number of parts, messages, images and calls of one id", () => {
    const copies = <A>(length: number, one: A) => Array.from({ length }, () => one)
    const text = Content.text("x")
    const user = (content: Message.User["content"]): Message.Message => ({ _tag: "User", content, native: undefined })
    const call = { _tag: "Call", call: ToolCall.make("a", "t", {}), executedBy: "application" } as const
    const part: Turn.CallPart = { ...call, format: "another", nativeName: "t", nativeId: undefined }
    const result = (content: ReadonlyArray<Content.Part>) => ({ id: "a", name: "t", isError: false, content })
    const places = Array.from({ length: many }, (_, at) => at)
    const numbered = (at: number): Turn.CallPart => ({ ...part, call: ToolCall.make(`a${at}`, "t", {}) })
    const resultTo = (at: number) => ({ ...result([text]), id: `a${at}` })
    const histories: ReadonlyArray<ReadonlyArray<Message.Message>> = [
      [user(copies(many, text))],
      copies(many, user([text])),
      [user([text]), { _tag: "Assistant", parts: copies(wide, { _tag: "Text", text: "x" }), native: undefined }],
      [
        user([text]),
        { _tag: "Assistant", parts: copies(many, part), native: undefined },
        { _tag: "Results", results: copies(many, result([text])), native: undefined }
      ],
      [
        user([text]),
        { _tag: "Assistant", parts: [part], native: undefined },
        { _tag: "Results", results: [result(copies(many, Content.image("image/png", "AAAA")))], native: undefined }
      ],
      // Turns of one call, whose results come in the other order; then results to nothing, between the user's words.
      [
        user([text]),
        ...places.map((at) => ({ _tag: "Assistant" as const, parts: [numbered(at)], native: undefined })),
        ...places.map((at) => ({ _tag: "Results" as const, results: [resultTo(many - at)], native: undefined })),
        ...places.flatMap((at) => [
          { _tag: "Results" as const, results: [resultTo(-at)], native: undefined },
          { _tag: "Results" as const, results: [resultTo(at)], native: undefined },
          user([text])
        ])
      ]
    ]
    for (const messages of histories) {
      const { body } = format.encodeRequest({ ...emptyRequest, messages })
      const again = format.encodeRequest(Either.getOrThrow(format.decodeRequest(body)))
      expect(Object.keys(again.body)).toContain(format.historyKey)
    }
  })

  it("reads any number of calls in one piece of a stream, and a long line in small pieces", () => {
    const names = Array.from({ length: sized(1_000, 130_000) }, () => "t")
    const stream = streamOf[format.name]?.(response(names))
    if (stream === undefined) return
    const steps = sized(100, 5_000)
    for (const cuts of [[], Array.from({ length: steps }, (_, at) => at / steps)]) {
      const decoder = format.streamDecoder()
      let at = 0
      for (const share of [...cuts, 1]) {
        const end = Math.floor(share * stream.length)
        decoder.push(stream.subarray(at, end))
        at = end
      }
      const last = decoder.end().at(-1)
      expect(last?._tag === "Finished" ? Turn.calls(last.turn).length : 0).toBe(names.length)
    }
  })

  it("gives equal bytes for equal input, and leaves the input as it is", () => {
    const facts = Facts.make({ examples: [{ a: 1 }] })
    const inputSchema = { type: "object", properties: { a: { type: "number", minimum: 0 } } }
    const make = (all: ReadonlyArray<string>) =>
      all.map((each) => ToolDefinition.make({ name: each, inputSchema, facts }))
    FastCheck.assert(
      FastCheck.property(names, FastCheck.boolean(), FastCheck.boolean(), (all, isStrict, isParallel) => {
        const definitions = make(all)
        const encode = (list: typeof definitions) => JSON.stringify(format.encodeTools(list, { isStrict, isParallel }))
        const first = encode(definitions)
        expect(encode(definitions)).toBe(first)
        expect(encode(make(all))).toBe(first)
        expect(definitions).toEqual(make(all))
      })
    )
  })

  it("sends a schema whole, or says that it does not", () => {
    let deep: Json.JsonObject = { type: "string", description: "the innermost" }
    for (let level = 0; level < 190; level++) deep = { type: "object", properties: { a: deep } }
    const endless: { type: string; properties: object } = { type: "object", properties: {} }
    endless.properties = { a: endless, b: endless }
    let wide: object = { type: "string" }
    for (let level = 0; level < 100; level++) wide = { type: "object", properties: { a: wide, b: wide } }
    const encode = (inputSchema: object, isStrict: boolean) =>
      format.encodeTools([ToolDefinition.make({ name: "find", inputSchema: { ...inputSchema } })], { isStrict })

    const { body, losses } = encode(deep, false)
    expect(JSON.stringify(body)).toContain("the innermost")
    expect(keywordsOf(losses)).not.toContain("schema")
    for (const inputSchema of [endless, wide]) {
      for (const isStrict of [false, true]) {
        const { body, losses } = encode(inputSchema, isStrict)
        expect(JSON.stringify(body)).toContain('"find"')
        expect(keywordsOf(losses)).toContain("schema")
      }
    }
  })

  it("sends a result whole, however deep it is", () => {
    let deep: Json.JsonObject = { innermost: true }
    for (let level = 0; level < 500; level++) deep = { a: deep }
    const turn = Either.getOrThrow(format.decodeTurn(response(["get_orders"])))
    const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, deep))
    expect(JSON.stringify(format.encodeResults(turn, outcomes).messages)).toContain("innermost")
  })

  it("pairs every call with one result and sends the turn back as it came", () => {
    FastCheck.assert(
      FastCheck.property(names, FastCheck.jsonValue(), (all, value) => {
        const turn = Either.getOrThrow(format.decodeTurn(response(all)))
        const before = JSON.stringify(turn.native)
        const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, value as Json.Json))
        const { messages, pending, losses } = format.encodeResults(turn, outcomes.toReversed())
        expect({ pending, losses }).toEqual({ pending: [], losses: [] })
        expect(JSON.stringify(messages.slice(0, turn.native.length))).toBe(before)
        expect(messages.length).toBeGreaterThan(turn.native.length)
        expect(format.encodeResults(turn, []).pending).toEqual(Turn.calls(turn).map((call) => call.id))
      })
    )
  })

  it("gives a turn or an error that says where, whatever the body", () => {
    FastCheck.assert(
      FastCheck.property(mutated(response(["get_orders", "now"])), (body) => {
        const problem = Either.match(format.decodeTurn(body), {
          onLeft: (error) => (error.message.includes(format.name) ? undefined : error.message),
          onRight: (turn) =>
            format.encodeResults(turn, []).pending.length === Turn.calls(turn).length
              ? undefined
              : "calls without pairs"
        })
        expect(problem).toBeUndefined()
        expect(typeof format.isFormatOf(body)).toBe("boolean")
        expect(format.decodeError({ status: 400, body }).format).toBe(format.name)
      }),
      { numRuns: runs(500) }
    )
    FastCheck.assert(FastCheck.property(FastCheck.anything(), (body) => void format.decodeTurn(body)))
  })

  it("says in few words what a server says in a page", () => {
    const page = "Bad gateway ".repeat(5000)
    const raw = { message: "Provider returned error", metadata: { raw: page } }
    for (const body of [
      page,
      [page],
      { error: page },
      { message: page },
      { error: { message: page } },
      { error: raw }
    ]) {
      const { message } = format.decodeError({ status: 400, body })
      expect(message).toMatch(/Bad gateway|Provider returned error/)
      expect(message.length).toBeLessThan(2200)
    }
  })

  it("reads arguments of great size and depth", () => {
    const deep = `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`
    for (const input of [deep, JSON.stringify({ text: "x".repeat(1_000_000) })]) {
      const turn = Either.getOrThrow(format.decodeTurn(response(["get_orders"], input)))
      expect(Turn.calls(turn)[0]?.name).toBe("get_orders")
    }
  })

  it("has its history under its key, and a name for people that is its own", () => {
    const messages: ReadonlyArray<Message.Message> = [
      { _tag: "User", content: [Content.text("Hi")], native: undefined }
    ]
    const { body } = format.encodeRequest({ messages, definitions: [], options: {}, settings: undefined, losses: [] })
    expect(body[format.historyKey]).toHaveLength(1)
    expect(cases.filter((other) => other.format.title === format.title)).toHaveLength(1)
  })

  it("is what detect finds, and no other format", () => {
    const body = response(["get_orders"])
    expect(detect(body).pipe(Option.map((found) => found.name))).toEqual(Option.some(format.name))
    expect(cases.filter((other) => other.format.isFormatOf(body)).map((other) => other.format.name)).toEqual([
      format.name
    ])
  })
})

/** A request of a format whose history is these messages. */
const requestOf = ({ format }: Case, messages: ReadonlyArray<unknown>) =>
  Either.getOrThrow(format.decodeRequest({ [format.historyKey]: messages }))

/** The calls of a conversation and the results of calls, in order. */
const exchanged = (messages: ReadonlyArray<Message.Message>) => ({
  calls: messages.flatMap((message) =>
    message._tag === "Assistant" ? message.parts.flatMap((part) => (part._tag === "Call" ? [part.call] : [])) : []
  ),
  results: messages.flatMap((message) => (message._tag === "Results" ? message.results : []))
})

const keywordsOf = (losses: ReadonlyArray<Loss.Loss>) => losses.map((loss) => loss.keyword)

/** Each call succeeds with the number of its place. */
const numbered = (turn: Turn.Turn) => Turn.calls(turn).map((call, index) => Outcome.success(call, index))

/** One part of a turn of whatever API. */
const part: FastCheck.Arbitrary<Turn.Part> = FastCheck.oneof(
  FastCheck.record({
    _tag: FastCheck.constantFrom<"Text" | "Reasoning" | "Refusal">("Text", "Reasoning", "Refusal"),
    text: FastCheck.string()
  }),
  FastCheck.tuple(
    FastCheck.oneof(FastCheck.string({ minLength: 1 }), FastCheck.constantFrom("call_0", "call:0|x", "x".repeat(300))),
    name,
    FastCheck.constantFrom<unknown>({ a: 1 }, '{"a":1}', "", '{"a":', "[1]"),
    FastCheck.constantFrom<"application" | "provider">("application", "application", "provider")
  ).map(([id, name, input, executedBy]) => ({
    _tag: "Call" as const,
    call: ToolCall.make(id, name, input),
    executedBy,
    nativeName: name,
    nativeId: id
  }))
)

/** Parts of an API that gives calls ids, and of one that does not. */
const parts = FastCheck.tuple(FastCheck.array(part, { maxLength: 6 }), FastCheck.boolean()).map(([all, isNative]) =>
  all.map((part) => (part._tag === "Call" && !isNative ? { ...part, nativeId: undefined } : part))
)

describe.each(cases)("a turn of another format, said in $format.name", (target) => {
  const others = cases.filter((other) => other.format !== target.format)

  it.each(others)("has the calls and results that it had in $format.name", ({ format, response }) => {
    const turn = Either.getOrThrow(format.decodeTurn(response(["get_orders", "get_orders", "now"], '{"a":1}')))
    const { losses, messages, pending } = target.format.encodeResults(turn, numbered(turn))
    expect(pending).toEqual([])
    const { calls, results } = exchanged(requestOf(target, messages).messages)
    expect(calls.map((call) => call.name)).toEqual(["get_orders", "get_orders", "now"])
    for (const { arguments: sent } of calls) {
      expect(typeof sent === "string" ? (JSON.parse(sent) as unknown) : sent).toEqual({ a: 1 })
    }
    expect(results.map((result) => result.id)).toEqual(calls.map((call) => call.id))
    expect(new Set(calls.map((call) => call.id)).size).toBe(3)
    expect(keywordsOf(losses)).toContain("native")
    const isReasoned = turn.parts.some((part) => part._tag === "Reasoning")
    expect(keywordsOf(losses).includes("reasoning")).toBe(isReasoned)
  })

  it("pairs every call with its own result, whatever its id, name and arguments", () => {
    FastCheck.assert(
      FastCheck.property(parts, (parts) => {
        const turn: Turn.Turn = {
          format: "another",
          id: undefined,
          model: undefined,
          parts,
          usage: Turn.unknownUsage,
          finish: "calls",
          nativeFinish: undefined,
          native: [{ role: "another" }],
          isComplete: true
        }
        const { losses, messages, pending } = target.format.encodeResults(turn, numbered(turn))
        expect(pending).toEqual([])
        const { calls, results } = exchanged(requestOf(target, messages).messages)
        const count = Turn.calls(turn).length
        expect(calls.length).toBe(count)
        expect(results.map((result) => result.id)).toEqual(calls.map((call) => call.id))
        expect(new Set(calls.map((call) => call.id)).size).toBe(count)
        expect(results.map((result) => JSON.stringify(result.content).replaceAll(/[^0-9]/g, ""))).toEqual(
          results.map((_, index) => String(index))
        )
        expect(JSON.stringify(messages)).not.toContain("another")
        const lost = parts.filter(
          (part) => part._tag === "Reasoning" || (part._tag === "Call" && part.executedBy === "provider")
        )
        expect(losses.length).toBeGreaterThan(lost.length)
      })
    )
  })
})

/** Streams in which an API runs a tool of its own, as those APIs document them that have such tools. */
const providerRuns: ReadonlyArray<{ readonly format: WireFormat; readonly name: string; readonly body: Uint8Array }> = [
  {
    format: OpenAiChat.format,
    name: "python",
    body: serverSentEvents([
      { choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
      {
        choices: [
          {
            index: 0,
            delta: { executed_tools: [{ index: 0, type: "python", arguments: '{"code":"1"}', output: "1" }] }
          }
        ]
      },
      { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }
    ])
  },
  {
    format: OpenAiResponses.format,
    name: "find",
    body: serverSentEvents([
      { type: "response.created", response: { id: "resp_1", object: "response", status: "in_progress", output: [] } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { type: "mcp_call", id: "mcp_1", server_label: "shop", name: "find", arguments: "" }
      },
      { type: "response.mcp_call_arguments.delta", output_index: 0, item_id: "mcp_1", delta: '{"a":1}' },
      { type: "response.mcp_call_arguments.done", output_index: 0, item_id: "mcp_1", arguments: '{"a":1}' },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: { type: "mcp_call", id: "mcp_1", server_label: "shop", name: "find", arguments: '{"a":1}', output: "2" }
      },
      {
        type: "response.completed",
        response: {
          id: "resp_1",
          object: "response",
          status: "completed",
          output: [
            { type: "mcp_call", id: "mcp_1", server_label: "shop", name: "find", arguments: '{"a":1}', output: "2" }
          ]
        }
      }
    ])
  },
  {
    format: BedrockConverse.format,
    name: "nova_grounding",
    body: eventStream([
      ["messageStart", { role: "assistant" }],
      [
        "contentBlockStart",
        {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: "tooluse_1", name: "nova_grounding", type: "server_tool_use" } }
        }
      ],
      ["contentBlockDelta", { contentBlockIndex: 0, delta: { toolUse: { input: '{"a":1}' } } }],
      ["contentBlockStop", { contentBlockIndex: 0 }],
      ["messageStop", { stopReason: "end_turn" }]
    ])
  },
  {
    format: Anthropic.format,
    name: "web_search",
    body: serverSentEvents([
      { type: "message_start", message: { id: "msg_1", type: "message", role: "assistant", content: [] } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }
      },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":"a"}' } },
      { type: "content_block_stop", index: 0 },
      {
        type: "content_block_start",
        index: 1,
        content_block: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" }
    ])
  },
  {
    format: Gemini.format,
    name: "codeExecution",
    body: serverSentEvents([
      { candidates: [{ content: { role: "model", parts: [{ executableCode: { language: "PYTHON", code: "1" } }] } }] },
      {
        candidates: [
          {
            content: { role: "model", parts: [{ codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }] },
            finishReason: "STOP"
          }
        ]
      }
    ])
  }
]

it.each(providerRuns)("has no events of a call that $format.name runs itself, but the call in the turn", (run) => {
  const { events, turn } = readStream(run.format, run.body, [0.3, 0.6])
  expect(turn.isComplete).toBe(true)
  expect(turn.parts).toMatchObject([{ _tag: "Call", executedBy: "provider", call: { name: run.name } }])
  expect(events.map((event) => event._tag).filter((tag) => /^Call|^Arguments/.test(tag))).toEqual([])
})

it.each(["openai-chat", "mistral", "cohere-v2", "ollama"])(
  "says that a user's name is lost where another API than %s is sent to",
  (name) => {
    const { format } = cases.find((each) => each.format.name === name)!
    const user = { role: "user", content: "Hi", name: "ada" }
    const request = Either.getOrThrow(format.decodeRequest({ messages: [user] }))
    expect(request.losses).toMatchObject([{ subject: "message 0", path: ["name"], keyword: "name" }])
    expect(format.encodeRequest(request).body["messages"]).toEqual([user])
  }
)
