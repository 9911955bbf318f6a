/** Found tools in the form that Anthropic's API and OpenAI's Responses have for them. */
import { HttpClient, HttpClientResponse, HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Agent, ContextWindow, Conversation, Fallback, Model } from "@wield/agent"
import { Toolset } from "@wield/core"
import { Anthropic, OpenAiResponses, type WireFormat } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, FastCheck, Schema, type Scope } from "effect"
import { cases } from "../../providers/test/responses.js"
import { sized } from "../../../test/sizes.js"
import { type Loopback, loopback } from "./loopback.js"
import { askInTurns, expectToGrow, expectToSave, few, modelOf, toolsIn } from "./subjects.js"

interface Api {
  /** A model that takes it. */
  readonly model: string
  readonly format: WireFormat.WireFormat
  /** A response that calls, or only answers. */
  readonly answer: (name?: string, input?: object) => object
  /** What the last request says of these tools, which a search has found. */
  readonly found: (names: ReadonlyArray<string>) => unknown
}

const responseOf = (format: WireFormat.WireFormat) => {
  const made = cases.find((one) => one.format === format)?.response
  if (made === undefined) throw new Error(`no responses of ${format.name}`)
  return (name?: string, input: object = {}) => made(name === undefined ? [] : [name], JSON.stringify(input))
}

const anthropic: Api = {
  model: "claude-sonnet-5",
  format: Anthropic.format,
  answer: responseOf(Anthropic.format),
  found: (names) => ({
    type: "tool_result",
    tool_use_id: expect.any(String),
    content: names.map((name) => ({ type: "tool_reference", tool_name: name }))
  })
}

const responses: Api = {
  model: "gpt-5.4",
  format: OpenAiResponses.format,
  answer: (name, input) =>
    name === "search_tools"
      ? {
          object: "response",
          id: "resp_1",
          status: "completed",
          output: [
            { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "ZW5j" },
            {
              type: "tool_search_call",
              id: "tsc_1",
              call_id: "call_0",
              execution: "client",
              status: "completed",
              arguments: input
            }
          ],
          usage: { input_tokens: 1, output_tokens: 1 }
        }
      : responseOf(OpenAiResponses.format)(name, input),
  found: (names) => ({
    type: "tool_search_output",
    call_id: expect.any(String),
    execution: "client",
    status: "completed",
    tools: names.map((name): unknown => expect.objectContaining({ type: "function", name, defer_loading: true }))
  })
}

const apis = [anthropic, responses].map((api) => ({ ...api, name: api.format.name }))

type Answers = ReadonlyArray<readonly [name?: string, input?: object]>

const serve = ({ answer }: Api, answers: Answers): Effect.Effect<Loopback, never, Scope.Scope> =>
  loopback((_, index) => Effect.succeed(HttpServerResponse.unsafeJson(answer(...(answers[index] ?? [])))))

const native = { form: "native" } as const

const Stored = Schema.parseJson(Schema.Array(Conversation.Entry))

/** How the calls of a further turn of the user end. */
const outcomesOf = (
  agent: Agent.Agent<Toolset.DynamicTools, string>,
  conversation: Conversation.Conversation,
  prompt = "Go on"
) =>
  Effect.gen(function* () {
    const outcomes: Array<string> = []
    yield* Agent.run(
      agent,
      { prompt, conversation },
      {
        onEvent: (event) =>
          void (event._tag === "CallFinished" && outcomes.push(`${event.outcome._tag} ${event.call.name}`))
      }
    )
    return outcomes
  })

const search = (query: string) => ["search_tools", { query }] as const
const historyOf = ({ format }: Api, { requests }: Loopback, index = -1): ReadonlyArray<unknown> => {
  const history = requests.at(index)?.body[format.historyKey]
  return Array.isArray(history) ? history : []
}

const toolsOf = ({ requests }: Loopback) => toolsIn(requests.at(-1)?.body)

describe.each(apis)("found tools in the form of $name", (api) => {
  it.scopedLive(
    "in all turns over 5,000 tools each request begins as the one before, at a small part of the tokens of all",
    () =>
      Effect.gen(function* () {
        const called = (number: number) => [api.answer(`read_subject${number}`, { depth: 2 }), api.answer()]
        const sent = yield* askInTurns(
          api.format,
          (number) => [api.answer(...search(`subject${number}`)), ...called(number)],
          { ...native, limit: 1 }
        )
        expectToGrow(api.format, sent)
        expect(JSON.stringify(sent[0])).not.toContain("call_tool")
        yield* expectToSave(api.format, sent, yield* askInTurns(api.format, called))
      }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("the result of a search refers to what was found, and the call that follows is answered", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [search("subject7"), ["read_subject7", { depth: 2 }]])
      const agent = yield* Agent.make({
        model: yield* modelOf(api.format, server),
        toolset: yield* few,
        search: { ...native, limit: 1 }
      })
      yield* Agent.run(agent, "Read")
      const said = historyOf(api, server).flatMap((one) => [one, ...contentOf(one)])
      expect(said).toContainEqual(expect.objectContaining(api.found(["read_subject7"])))
      expect(JSON.stringify(said.at(-1))).toContain("number")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive(
    "a call of a tool that was not found is answered with the way, and so is a search that finds nothing",
    () =>
      Effect.gen(function* () {
        const server = yield* serve(api, [["read_subject7", {}], search("zanzibar")])
        const agent = yield* Agent.make({
          model: yield* modelOf(api.format, server),
          toolset: yield* few,
          search: native
        })
        yield* Agent.run(agent, "Read")
        expect(JSON.stringify(historyOf(api, server, 1))).toContain("Find others with search_tools")
        expect(JSON.stringify(historyOf(api, server, 2))).toContain("Search again with other ones")
        // The model is not shown it.
        expect(JSON.stringify(server.requests)).not.toContain("call_tool")
      }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("what was found has the keys that the application states for the API, and no model reads them", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [search("subject7"), ["read_subject7", { depth: 2 }]])
      const settings = { [api.format.name]: { allowed_callers: ["direct"] }, other: { unknown: true } }
      const agent = yield* Agent.make({
        model: yield* modelOf(api.format, server),
        toolset: Toolset.providerSettings(() => settings)(yield* few),
        search: { ...native, limit: 1, pinned: ["read_subject3"] },
        options: { isCached: false }
      })
      const { entries } = yield* Agent.run(agent, "Read")
      const bodies = server.requests.map(({ body }) => body)
      const sent = JSON.stringify(bodies.at(-1))
      // The pinned one, and what was found.
      expect(sent.match(/"allowed_callers":\["direct"\]/g)).toHaveLength(2)
      expect(sent).not.toContain("unknown")
      expect(JSON.stringify(entries)).not.toContain("allowed_callers")
      expectToGrow(api.format, bodies)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("what was found in another process is called, after the same bytes", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [search("subject7"), [], ["read_subject7", {}]])
      const toolset = yield* few
      const make = Effect.flatMap(modelOf(api.format, server), (model) =>
        Agent.make({ model, toolset, search: native, options: { isCached: false } })
      )
      const { entries } = yield* Agent.run(yield* make, "Find")
      const stored = yield* Schema.encode(Stored)(entries)
      const conversation = yield* Conversation.make({ entries: yield* Schema.decode(Stored)(stored) })
      expect(yield* outcomesOf(yield* make, conversation)).toEqual(["Success read_subject7"])
      expectToGrow(
        api.format,
        server.requests.map(({ body }) => body)
      )
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("what a window has dropped is shown as a tool, and can be called", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [search("subject7"), [], ["read_subject7", {}], []])
      const agent = yield* Agent.make({
        model: yield* modelOf(api.format, server),
        toolset: yield* few,
        search: { ...native, limit: 1 },
        window: ContextWindow.make({ budget: 2_500 })
      })
      const { conversation } = yield* Agent.run(agent, `Find ${"x ".repeat(900)}`)
      expect(yield* outcomesOf(agent, conversation, `Go on ${"y ".repeat(900)}`)).toEqual(["Success read_subject7"])
      expect(JSON.stringify(historyOf(api, server))).not.toMatch(/tool_reference|tool_search_output/)
      const sent = toolsOf(server).map(({ defer_loading, name, type }) => [name ?? type, defer_loading])
      expect(sent.at(-1)).toEqual(["read_subject7", undefined])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("a conversation that began with call_tool keeps it", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [["search_tools", { query: "subject7" }]])
      const toolset = yield* few
      const begun = yield* Agent.make({
        model: yield* ScriptedModel.make([
          ScriptedModel.call("search_tools", { query: "subject7" }),
          ScriptedModel.text("")
        ]),
        toolset,
        search: {}
      })
      const { conversation } = yield* Agent.run(begun, "Find")
      const agent = yield* Agent.make({ model: yield* modelOf(api.format, server), toolset, search: native })
      yield* Agent.run(agent, { prompt: "Go on", conversation })
      expect(toolsOf(server).map(({ name }) => name)).toEqual(["search_tools", "call_tool"])
      expect(JSON.stringify(historyOf(api, server))).toContain("Call these with call_tool")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.effect("its maker's own server is sent it, unless something else is asked for", () =>
    Effect.gen(function* () {
      const sent: Array<string> = []
      const client = HttpClient.make((request) => {
        if (request.body._tag === "Uint8Array") sent.push(new TextDecoder().decode(request.body.body))
        return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(api.answer())))
      })
      const model = yield* Effect.provideService(
        Model.fromWire(api.format, { model: api.model, isStreaming: false }),
        HttpClient.HttpClient,
        client
      )
      const toolset = yield* few
      yield* Agent.run(yield* Agent.make({ model, toolset, search: {} }), "Read")
      yield* Agent.run(yield* Agent.make({ model, toolset, search: { form: "call-through" } }), "Read")
      expect(sent.map((body) => body.includes("call_tool"))).toEqual([false, true])
    })
  )

  it.scopedLive("unless asked for, another maker's server is not sent it", () =>
    Effect.gen(function* () {
      const server = yield* serve(api, [])
      const model = yield* modelOf(api.format, server)
      expect(model.takesFound).toBe(false)
      yield* Agent.run(yield* Agent.make({ model, toolset: yield* few, search: {} }), "Read")
      expect(toolsOf(server).map(({ name }) => name)).toEqual(["search_tools", "call_tool"])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("a server that refuses it is asked again with call_tool", () =>
    Effect.gen(function* () {
      const server = yield* loopback(({ body }) => {
        const isRefused = /tool_reference|"tool_search"|defer_loading/.test(JSON.stringify(body))
        const called = JSON.stringify(body).includes("Call these with") ? [] : ["search_tools", { query: "subject7" }]
        const [name, input] = called as [string?, object?] // by the line above
        return Effect.succeed(
          isRefused
            ? HttpServerResponse.unsafeJson(
                {
                  type: "error",
                  error: {
                    type: "invalid_request_error",
                    message: "tools.0.type: unknown tool_search, no tool_reference"
                  }
                },
                { status: 400 }
              )
            : HttpServerResponse.unsafeJson(responseOf(api.format)(name, input))
        )
      })
      const agent = yield* Agent.make({
        model: yield* modelOf(api.format, server),
        toolset: yield* few,
        search: native
      })
      yield* Agent.run(agent, "Read")
      expect(toolsOf(server).map(({ name }) => name)).toEqual(["search_tools", "call_tool"])
      expect(JSON.stringify(historyOf(api, server))).toContain("Call these with call_tool")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("a model behind it that has no such form gets call_tool, with what was found before", () =>
    Effect.gen(function* () {
      const server = yield* loopback((_, index) =>
        Effect.succeed(
          index === 0
            ? HttpServerResponse.unsafeJson(api.answer(...search("subject7")))
            : HttpServerResponse.unsafeJson({ error: { message: "overloaded" } }, { status: 503 })
        )
      )
      const second = yield* ScriptedModel.make([
        ScriptedModel.call("call_tool", { name: "read_subject7", arguments: {} }),
        ScriptedModel.text("Read.")
      ])
      const model = Fallback.make([yield* modelOf(api.format, server), second])
      const agent = yield* Agent.make({ model, toolset: yield* few, search: native })
      const { text } = yield* Agent.run(agent, "Read")
      expect(text).toBe("Read.")
      const [asked] = yield* second.requests
      expect(asked?.definitions.map(({ name }) => name)).toEqual(["search_tools", "call_tool"])
      expect(JSON.stringify(asked?.messages)).toContain("read_subject7")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

/** A response in which the API has searched, and its model calls what was found. */
const hostedAnswers = [
  {
    format: Anthropic.format,
    name: Anthropic.format.name,
    answer: (name: string): object => ({
      type: "message",
      role: "assistant",
      content: [
        { type: "server_tool_use", id: `srvtoolu_${name}`, name: "tool_search_tool_bm25", input: { query: name } },
        {
          type: "tool_search_tool_result",
          tool_use_id: `srvtoolu_${name}`,
          content: {
            type: "tool_search_tool_search_result",
            tool_references: [{ type: "tool_reference", tool_name: name }]
          }
        },
        { type: "tool_use", id: `toolu_${name}`, name, input: { depth: 2 } }
      ],
      stop_reason: "tool_use"
    }),
    last: responseOf(Anthropic.format)()
  },
  {
    format: OpenAiResponses.format,
    name: OpenAiResponses.format.name,
    answer: (name: string): object => ({
      object: "response",
      id: `resp_${name}`,
      status: "completed",
      output: [
        {
          type: "tool_search_call",
          id: `tsc_${name}`,
          call_id: null,
          execution: "server",
          status: "completed",
          arguments: { paths: [name] }
        },
        {
          type: "tool_search_output",
          id: `tso_${name}`,
          call_id: null,
          execution: "server",
          status: "completed",
          tools: [{ type: "function", name, parameters: { type: "object", properties: {} }, defer_loading: true }]
        },
        { type: "function_call", id: `fc_${name}`, call_id: `call_${name}`, name, arguments: '{"depth":2}' }
      ]
    }),
    last: responseOf(OpenAiResponses.format)()
  }
]

describe.each(hostedAnswers)("the search of $name itself", ({ answer, format, last }) => {
  const hosted = { form: "hosted" } as const

  it.scopedLive("finds what the model calls in the same response; each request begins as the one before", () =>
    Effect.gen(function* () {
      const sent = yield* askInTurns(format, (number) => [answer(`read_subject${number}`), last], hosted)
      expectToGrow(format, sent)
      const tools = sent.map(toolsIn)
      expect(new Set(tools.map((one) => JSON.stringify(one))).size).toBe(1)
      expect(tools[0]).toHaveLength(5_001)
      expect(tools[0]?.filter((tool) => tool["defer_loading"] !== true)).toHaveLength(1)
      expect(JSON.stringify(sent.at(-1)?.[format.historyKey])).toContain(
        JSON.stringify(answer("read_subject37")).slice(80, 200)
      )
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("is not sent what is not on offer, and a call of it does not run", () =>
    Effect.gen(function* () {
      const server = yield* loopback((_, index) =>
        Effect.succeed(HttpServerResponse.unsafeJson(index === 0 ? answer("read_subject7") : last))
      )
      const agent = yield* Agent.make({
        model: yield* modelOf(format, server),
        toolset: yield* few,
        search: hosted,
        prepare: () => Effect.succeed({ offered: ["read_subject3"] })
      })
      const conversation = yield* Conversation.make()
      expect(yield* outcomesOf(agent, conversation)).toEqual(["Unavailable read_subject7"])
      expect(toolsOf(server).map(({ name, type }) => name ?? type)).toEqual([
        format === Anthropic.format ? "tool_search_tool_bm25" : "tool_search",
        "read_subject3"
      ])
      const history = JSON.stringify(server.requests.at(-1)?.body[format.historyKey])
      expect(history).not.toContain("search_tools")
      expect(history).not.toContain('"tool_reference"')
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  it.scopedLive("where a server refuses it, is that of the agent, with call_tool", () =>
    Effect.gen(function* () {
      const server = yield* loopback(({ body }) =>
        Effect.succeed(
          JSON.stringify(body).includes("defer_loading")
            ? HttpServerResponse.unsafeJson(
                { error: { type: "invalid_request_error", message: "tools.1.defer_loading: unknown" } },
                { status: 400 }
              )
            : HttpServerResponse.unsafeJson(last)
        )
      )
      const agent = yield* Agent.make({ model: yield* modelOf(format, server), toolset: yield* few, search: hosted })
      yield* Agent.run(agent, "Read")
      expect(toolsOf(server).map(({ name }) => name)).toEqual(["search_tools", "call_tool"])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

/** What a model does in one response: it searches, calls what was found, or, with neither, answers. */
const actions = FastCheck.array(
  FastCheck.oneof(
    FastCheck.record({ topic: FastCheck.nat({ max: 6 }) }),
    FastCheck.record({ found: FastCheck.nat({ max: 20 }) })
  ),
  { maxLength: 3 }
)

/** The tools of a request that a search has found, as its API has them. */
const deferredIn = (value: unknown): ReadonlyArray<string> => {
  if (value === null || typeof value !== "object") return []
  const own = "defer_loading" in value && "name" in value ? [String(value.name)] : []
  return [...own, ...Object.values(value).flatMap(deferredIn)]
}

/** Several responses as one. */
const join = (responses: ReadonlyArray<object>): object => {
  const each = responses.map((response, index) =>
    Object.entries(JSON.parse(JSON.stringify(response).replaceAll(/(toolu|call|tsc|fc)_0/g, `$1_${index}`)))
  )
  return Object.fromEntries(
    (each[0] ?? []).map(([key, value]) => [
      key,
      key === "content" || key === "output" ? each.flatMap((one) => Object.fromEntries(one)[key]) : value
    ])
  )
}

describe.each(apis)("whatever tools are found in the form of $name", (api) => {
  it.live("each request begins as the one before, has no hidden field, and what was found is run", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.uniqueArray(FastCheck.string({ minLength: 1, maxLength: 80 }), { minLength: 3, maxLength: 12 }),
          FastCheck.array(actions, { minLength: 2, maxLength: 8 }),
          (names, script) =>
            Effect.gen(function* () {
              const server: Loopback = yield* loopback(({ body }, index) => {
                const found = deferredIn(body)
                const calls = (script[index] ?? []).flatMap((action): Answers => {
                  if ("topic" in action) return [search(`topic${action.topic}`)]
                  const name = found[action.found % found.length]
                  return name === undefined ? [] : [[name, { depth: 1 }]]
                })
                const made = (calls.length === 0 ? [[] as const] : calls).map((call) => api.answer(...call))
                return Effect.succeed(HttpServerResponse.unsafeJson(join(made)))
              })
              const toolset = yield* Toolset.dynamic(
                names.map((name, index) => ({
                  name,
                  description: `Reads topic${index % 5}`,
                  inputSchema: {
                    type: "object",
                    properties: { depth: { type: "integer" }, whoseTenant: { type: "string" } },
                    required: ["whoseTenant"]
                  },
                  hidden: ["whoseTenant"],
                  execute: ({ whoseTenant }) => Effect.succeed(whoseTenant === "tenant 7")
                }))
              )
              const agent = yield* Agent.make({
                model: yield* modelOf(api.format, server),
                toolset,
                search: { ...native, limit: 2 },
                options: { isCached: false }
              })
              const ends = new Set<string>()
              let conversation: Conversation.Conversation | undefined
              while (server.requests.length < script.length) {
                const result = yield* Agent.run(
                  agent,
                  { prompt: "Go on", conversation, context: { whoseTenant: "tenant 7" } },
                  { onEvent: (event) => void (event._tag === "CallFinished" && ends.add(event.outcome._tag)) }
                )
                conversation = result.conversation
              }
              expect([...ends].filter((end) => end !== "Success")).toEqual([])
              expectToGrow(
                api.format,
                server.requests.map(({ body }) => body)
              )
              expect(JSON.stringify(server.requests)).not.toMatch(/whoseTenant|tenant 7/)
            }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layer), Effect.runPromise)
        ),
        { numRuns: sized(25, 100) }
      )
    )
  )
})

const contentOf = (message: unknown): ReadonlyArray<unknown> => {
  const content = message !== null && typeof message === "object" && "content" in message ? message.content : []
  return Array.isArray(content) ? content : []
}
