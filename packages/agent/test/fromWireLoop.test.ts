/** The loop over every wire format: what it asks next is the turn before, as it came, and its results. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Agent, Model } from "@wield/agent"
import { Digest, Outcome, Toolset, Turn } from "@wield/core"
import { OpenAiChat } from "@wield/providers"
import { Effect, Either, Schema, Stream } from "effect"
import { cases } from "../../providers/test/responses.js"
import { loopback } from "./loopback.js"
import { bodies } from "./wireBodies.js"

const Shop = Toolkit.make(
  Tool.make("get_orders", {
    parameters: { a: Schema.Number },
    success: Schema.Struct({ ids: Schema.Array(Schema.String) })
  })
)
const found = { ids: ["o_1", "o_2"] }
const shop = Effect.provide(Toolset.fromToolkit(Shop), Shop.toLayer({ get_orders: () => Effect.succeed(found) }))

const answered = [true, false].flatMap((isStreaming) => bodies.map((body) => ({ ...body, isStreaming })))

it.scopedLive.each(answered)("$format.name comes to an answer, streaming: $isStreaming", (each) =>
  Effect.gen(function* () {
    const { contentType, format, isStreaming, streamed, whole } = each
    const last = cases.find((other) => other.format === format)?.response([]) ?? {}
    const server = yield* loopback((_, index) =>
      Effect.succeed(
        index === 0 && isStreaming
          ? HttpServerResponse.stream(Stream.make(streamed), { contentType })
          : HttpServerResponse.unsafeJson(index === 0 ? whole : last)
      )
    )
    const model = yield* Model.fromWire(format, { model: "m", url: server.url, isStreaming })
    // With marks for a cache, of which the next test is, it would say more than the formats do.
    const options = { isCached: false }
    const agent = yield* Agent.make({ model, toolset: yield* shop, instructions: "Be brief.", options })
    const result = yield* Agent.run(agent, "Where are my orders?")
    expect(result.steps).toBe(2)
    expect(result._tag).toBe("Finished")
    const [first, second] = server.requests.map(({ body }) => body[format.historyKey])
    const turn = Either.getOrThrow(isStreaming ? Either.right(read(format, streamed)) : format.decodeTurn(whole))
    const outcomes = Turn.calls(turn).map((call) => Outcome.success(call, found))
    expect(outcomes).toHaveLength(1)
    expect(server.requests).toHaveLength(2)
    expect(second).toEqual([...(first as ReadonlyArray<unknown>), ...format.encodeResults(turn, outcomes).messages])
  }).pipe(Effect.provide(NodeHttpClient.layer))
)

const cachers = bodies.filter(({ format }) => /^(anthropic|bedrock|openai)/.test(format.name))

it.scopedLive.each(cachers)("$format.name is asked to cache the conversation, unless the agent says no", (each) =>
  Effect.gen(function* () {
    const { format, whole } = each
    const last = cases.find((other) => other.format === format)?.response([]) ?? {}
    const server = yield* loopback((_, index) =>
      Effect.succeed(HttpServerResponse.unsafeJson(index % 2 ? last : whole))
    )
    const model = yield* Model.fromWire(format, {
      model: "anthropic.claude-sonnet-4-5",
      url: server.url,
      isStreaming: false
    })
    const asked = (isCached: boolean | undefined) =>
      Effect.gen(function* () {
        const agent = yield* Agent.make({
          model,
          toolset: yield* shop,
          instructions: "Be brief.",
          options: { isCached }
        })
        const { conversation } = yield* Agent.run(agent, "Where are my orders?")
        return server.requests.slice(-2).map(({ body }) => {
          const json = JSON.stringify(body)
          return (
            json.split(/cache_control|"cachePoint"/).length - 1 + json.split(Digest.ofText(conversation.id)).length - 1
          )
        })
      })
    const isOpenAi = format.name.startsWith("openai")
    // OpenAI's key is sent to OpenAI's servers only, unless it is asked for.
    expect(yield* asked(undefined)).toEqual(isOpenAi ? [0, 0] : [3, 4])
    expect(yield* asked(true)).toEqual(isOpenAi ? [1, 1] : [3, 4])
    expect(yield* asked(false)).toEqual([0, 0])
  }).pipe(Effect.provide(NodeHttpClient.layer))
)

const read = (format: (typeof bodies)[number]["format"], body: Uint8Array): Turn.Turn => {
  const decoder = format.streamDecoder()
  decoder.push(body)
  const last = decoder.end().at(-1)
  if (last?._tag !== "Finished") throw new Error("not finished")
  return last.turn
}

it.scopedLive("a conversation that goes on at another server leaves out what only the first one reads", () =>
  Effect.gen(function* () {
    const answer = (message: object) => ({ choices: [{ message: { role: "assistant", ...message } }] })
    const call = { id: "call_1", type: "function", function: { name: "get_orders", arguments: '{"a":1}' } }
    const first = yield* loopback((_, index) =>
      Effect.succeed(
        HttpServerResponse.unsafeJson(
          answer(index === 0 ? { reasoning_content: "Hm.", content: "", tool_calls: [call] } : { content: "Two." })
        )
      )
    )
    const second = yield* loopback(() => Effect.succeed(HttpServerResponse.unsafeJson(answer({ content: "Yes." }))))
    const agentOf = ({ url }: { readonly url: string }) =>
      Effect.gen(function* () {
        const model = yield* Model.fromWire(OpenAiChat.format, { model: "deepseek-chat", url, isStreaming: false })
        return yield* Agent.make({ model, toolset: yield* shop })
      })
    const { conversation } = yield* Agent.run(yield* agentOf(first), "Where are my orders?")
    yield* Agent.run(yield* agentOf(second), { conversation, prompt: "Sure?" })
    yield* Agent.run(yield* agentOf(first), { conversation, prompt: "Really?" })
    const hasReasoning = (body: unknown): boolean => JSON.stringify(body).includes('"reasoning_content":"Hm."')
    expect(first.requests.map(({ body }) => hasReasoning(body))).toEqual([false, true, true])
    expect(second.requests.map(({ body }) => hasReasoning(body))).toEqual([false])
    expect(JSON.stringify(second.requests[0]?.body)).toContain("call_1")
  }).pipe(Effect.provide(NodeHttpClient.layer))
)

it.scopedLive.each([
  "Thinking may not be enabled when tool_choice forces tool use.",
  "tool_choice 'required' is incompatible with thinking enabled",
  "deepseek-reasoner does not support this tool_choice"
])("an output is asked for in words where the API refuses that a call is demanded: %s", (message) =>
  Effect.gen(function* () {
    const answer = (said: object) =>
      HttpServerResponse.unsafeJson({ choices: [{ message: { role: "assistant", ...said } }] })
    const call = { id: "call_1", type: "function", function: { name: "final_answer", arguments: '{"city":"Rome"}' } }
    const server = yield* loopback(({ body }, index) =>
      Effect.succeed(
        body["tool_choice"] !== undefined
          ? HttpServerResponse.unsafeJson({ error: { message, type: "invalid_request_error" } }, { status: 400 })
          : answer(index === 1 ? { content: "Rome." } : { content: null, tool_calls: [call] })
      )
    )
    const model = yield* Model.fromWire(OpenAiChat.format, { model: "m", url: server.url, isStreaming: false })
    const agent = yield* Agent.make({
      model,
      instructions: "Be brief.",
      output: Schema.Struct({ city: Schema.String })
    })
    const result = yield* Agent.run(agent, "Where?")
    expect(result).toMatchObject({ _tag: "Finished", output: { city: "Rome" } })
    expect(server.requests.map(({ body }) => body["tool_choice"] !== undefined)).toEqual([true, false, false])
    expect(JSON.stringify(server.requests[1]?.body)).toContain("by calling the tool final_answer")
  }).pipe(Effect.provide(NodeHttpClient.layer))
)

it.scopedLive("a request that is refused for another reason, or a choice of one's own, is not asked again", () =>
  Effect.gen(function* () {
    const server = yield* loopback(() =>
      Effect.succeed(HttpServerResponse.unsafeJson({ error: { message: "No such tool_choice." } }, { status: 400 }))
    )
    const model = yield* Model.fromWire(OpenAiChat.format, { model: "m", url: server.url, isStreaming: false })
    const output = Schema.Struct({ city: Schema.String })
    const agent = yield* Agent.make({ model, output, options: { choice: { _tag: "Required" } } })
    expect(yield* Effect.flip(Agent.run(agent, "Where?"))).toMatchObject({ _tag: "RequestRejected" })
    expect(server.requests).toHaveLength(1)
  }).pipe(Effect.provide(NodeHttpClient.layer))
)
