import { Agent } from "@wield/agent"
import { Content, type Message, ToolCall, Toolset, Turn } from "@wield/core"
import { fromLanguageModel } from "@wield/interop/ai-sdk-model"
import { simulateReadableStream } from "ai"
import { MockLanguageModelV3 } from "ai-6/test"
import { MockLanguageModelV4 } from "ai/test"
import { Effect, Exit, Fiber, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { untyped } from "../../../test/untyped.js"

// What a provider is sent, as far as it is looked at.
interface Request {
  readonly prompt: ReadonlyArray<{ readonly content: ReadonlyArray<{ readonly output?: unknown }> }>
  readonly tools?: unknown
}

const usage = { inputTokens: { total: 9, cacheRead: 4 }, outputTokens: { total: 3, reasoning: 1 } }
const finish = (unified: string) => ({ type: "finish", finishReason: { unified, raw: `raw ${unified}` }, usage })
const signed = { anthropic: { signature: "abc" } }

const calling = [
  { type: "stream-start", warnings: [] },
  { type: "response-metadata", id: "resp_1", modelId: "claude-1" },
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "Hm." },
  { type: "reasoning-end", id: "r", providerMetadata: signed },
  { type: "tool-input-start", id: "call_1", toolName: "look" },
  { type: "tool-input-delta", id: "call_1", delta: '{"at":' },
  { type: "tool-input-delta", id: "call_1", delta: "1}" },
  { type: "tool-input-end", id: "call_1" },
  { type: "tool-call", toolCallId: "call_1", toolName: "look", input: '{"at":1}', providerMetadata: signed },
  finish("tool-calls")
]
const saying = [
  { type: "text-start", id: "t" },
  { type: "text-delta", id: "t", delta: "A " },
  { type: "text-delta", id: "t", delta: "dot." },
  { type: "text-end", id: "t" },
  finish("stop")
]

const versions = { v3: MockLanguageModelV3, v4: MockLanguageModelV4 }

const modelOf = (
  version: keyof typeof versions,
  scripts: ReadonlyArray<ReadonlyArray<object>>,
  requests: Array<Request> = []
) => {
  const doStream = async (request: unknown) => {
    requests.push(request as Request)
    return { stream: simulateReadableStream({ chunks: [...scripts[requests.length - 1]!] }) } as never
  }
  return fromLanguageModel(new versions[version]({ doStream, modelId: "claude" }))
}

const image = Effect.succeed([Content.text("Here:"), Content.image("image/png", "iVBORw0KGgo=")])
const looking = Toolset.dynamic([
  {
    name: "look",
    isContent: true,
    inputSchema: { type: "object", properties: { at: { type: "number" } } },
    execute: () => image
  }
])

describe.each(["v3", "v4"] as const)("a language model of specification %s", (version) => {
  it("runs the agent's loop: calls, reasoning that goes back signed, images, usage", async () => {
    const requests: Array<Request> = []
    const program = Effect.gen(function* () {
      const agent = yield* Agent.make({ model: modelOf(version, [calling, saying], requests), toolset: yield* looking })
      return yield* Agent.run(agent, "What is there?")
    })
    const result = await Effect.runPromise(program)
    expect(result.text).toBe("A dot.")
    expect(requests[0]?.tools).toMatchObject([{ type: "function", name: "look" }])
    const [, assistant, tool] = requests[1]!.prompt
    expect(assistant).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: signed },
        { type: "tool-call", toolCallId: "call_1", toolName: "look", input: { at: 1 }, providerOptions: signed }
      ]
    })
    const file =
      version === "v3"
        ? { type: "image-data", data: "iVBORw0KGgo=", mediaType: "image/png" }
        : { type: "file", data: { type: "data", data: "iVBORw0KGgo=" }, mediaType: "image/png" }
    expect(tool?.content[0]?.output).toEqual({ type: "content", value: [{ type: "text", text: "Here:" }, file] })
  })

  it("is sent no two calls of one id, where its server counts them anew in each response", async () => {
    const requests: Array<Request> = []
    const program = Effect.gen(function* () {
      const model = modelOf(version, [calling, calling, saying], requests)
      const agent = yield* Agent.make({ model, toolset: yield* looking })
      return yield* Agent.run(agent, "What is there?")
    })
    await Effect.runPromise(program)
    const ids = JSON.stringify(requests[2]?.prompt).match(/"toolCallId":"[^"]*"/g)
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(2)
    expect([ids?.[0], ids?.[2]]).toEqual([ids?.[1], ids?.[3]])
  })

  it("is sent no call of another API without its result, and no result without its call", async () => {
    const requests: Array<Request> = []
    const { stream } = modelOf(version, [saying], requests)
    const calls = ["a", "b"].map((id): Turn.CallPart => ({
      _tag: "Call",
      call: ToolCall.make(id, "look", { at: 1 }),
      executedBy: "application",
      nativeName: "look",
      nativeId: id
    }))
    const results = ["b", "c"].map((id) => ({ id, name: "look", isError: false, content: [Content.text("A dot.")] }))
    const further: Message.Message = { _tag: "User", content: [Content.text("And now?")], native: undefined }
    const messages: ReadonlyArray<Message.Message> = [
      { _tag: "Assistant", parts: calls, native: undefined },
      { _tag: "Results", results, native: undefined },
      further
    ]
    await Effect.runPromise(Stream.runDrain(stream({ messages, definitions: [] })))
    const ids = JSON.stringify(requests[0]?.prompt).match(/"toolCallId":"[^"]*"/g)
    expect(ids).toEqual(['"toolCallId":"b"', '"toolCallId":"b"'])
  })

  it("gives the events of a turn", async () => {
    const { stream } = modelOf(version, [calling])
    const events = await Effect.runPromise(Stream.runCollect(stream({ messages: [], definitions: [] })))
    const [reasoning, started, ...rest] = [...events]
    expect(reasoning).toEqual({ _tag: "ReasoningDelta", text: "Hm." })
    expect(started).toEqual({ _tag: "CallStarted", index: 0, id: "call_1", name: "look" })
    expect(rest.map(({ _tag }) => _tag)).toEqual([
      "ArgumentsDelta",
      "ArgumentsDelta",
      "CallComplete",
      "UsageKnown",
      "Finished"
    ])
    expect(rest.at(-1)).toMatchObject({
      turn: {
        id: "resp_1",
        model: "claude-1",
        finish: "calls",
        nativeFinish: "raw tool-calls",
        isComplete: true,
        usage: { input: 9, output: 3, reasoning: 1, cacheRead: 4 },
        parts: [{ _tag: "Reasoning" }, { call: ToolCall.make("call_1", "look", '{"at":1}') }]
      }
    })
  })

  it("ends a turn that broke off as incomplete, and then fails", async () => {
    const { stream } = modelOf(version, [[...saying.slice(0, 2), { type: "error", error: new Error("gone") }]])
    const tags: Array<string> = []
    const exit = await Effect.runPromiseExit(
      Stream.runForEach(stream({ messages: [], definitions: [] }), (event) =>
        Effect.sync(() => tags.push(event._tag === "Finished" ? `complete: ${event.turn.isComplete}` : event._tag))
      )
    )
    expect(tags).toEqual(["TextDelta", "complete: false"])
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("gone")
  })

  it("tells errors of the API apart, without what was sent", async () => {
    const statuses = { 400: "RequestRejected", 401: "NotAuthorized", 429: "RateLimited", 503: "ProviderUnavailable" }
    for (const [status, tag] of Object.entries(statuses)) {
      const error = Object.assign(new Error("no"), { statusCode: Number(status), requestBodyValues: "secret" })
      const doStream = () => Promise.reject(error)
      const { stream } = fromLanguageModel(new versions[version]({ doStream }))
      const failure = await Effect.runPromise(Effect.flip(Stream.runDrain(stream({ messages: [], definitions: [] }))))
      expect(failure._tag).toBe(tag)
      expect(JSON.stringify(failure)).not.toContain("secret")
    }
  })

  it("takes what a provider of the program's own throws, and a response that states no usage", async () => {
    const drain = async (doStream: () => Promise<unknown>) => {
      const { stream } = fromLanguageModel(new versions[version]({ doStream: doStream as never }))
      return Effect.runPromise(Effect.either(Stream.runLast(stream({ messages: [], definitions: [] }))))
    }
    const odd = await drain(() => Promise.reject({ statusCode: 503, message: null, responseHeaders: null, url: 5 }))
    expect(odd).toMatchObject({ left: { _tag: "ProviderUnavailable" } })
    const text = await drain(() => Promise.reject({ statusCode: "503", message: 5 }))
    expect(text).toMatchObject({ left: { _tag: "Unreachable" } })
    const named = (name: string) => drain(() => Promise.reject(Object.assign(new Error("no"), { name })))
    expect(await named("AI_LoadAPIKeyError")).toMatchObject({ left: { _tag: "NotAuthorized", detail: "no" } })
    expect(await named("AI_UnsupportedFunctionalityError")).toMatchObject({ left: { _tag: "RequestRejected" } })
    const finish = { type: "finish", finishReason: { unified: "stop", raw: "stop" } }
    const without = await drain(async () => ({ stream: simulateReadableStream({ chunks: [finish] }) }))
    expect(without).toMatchObject({ right: { value: { turn: { finish: "stop", usage: Turn.unknownUsage } } } })
  })

  it("aborts the request when it is interrupted", async () => {
    let signal: AbortSignal | undefined
    const doStream = (options: { readonly abortSignal?: AbortSignal }) => {
      signal = options.abortSignal
      return new Promise<never>(() => undefined)
    }
    const { stream } = fromLanguageModel(new versions[version]({ doStream }))
    const fiber = Effect.runFork(Stream.runDrain(stream({ messages: [], definitions: [] })))
    while (signal === undefined) await new Promise((resolve) => setImmediate(resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    expect(signal.aborted).toBe(true)
  })
})

it("a name, a promise or a model of the AI SDK 5 is no language model", () => {
  const from = untyped(fromLanguageModel)
  const five = { specificationVersion: "v2", provider: "openai", modelId: "gpt-5", doStream: async () => ({}) }
  for (const given of [undefined, "gpt-5", Promise.resolve(five), five]) {
    expect(() => from(given)).toThrow("`fromLanguageModel` takes must be a language model of the AI SDK 6 or 7")
  }
})
