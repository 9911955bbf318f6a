import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentEvent, ContextWindow, Conversation, DeferredCall } from "@wield/agent"
import { Approval, Guard, type Message, ToolResult, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

const { call, text, turn } = ScriptedModel

const used: Array<unknown> = []

const refund = {
  name: "refund_order",
  description: "Gives money back for an order",
  inputSchema: {
    type: "object",
    properties: { amount: { type: "number" }, customer: { type: "string", description: "zanzibar" } },
    required: ["amount", "customer"]
  },
  hidden: ["customer"],
  execute: (given: unknown) => Effect.sync(() => void used.push(given)).pipe(Effect.as("refunded"))
}

const others = Array.from({ length: 50 }, (_, number) => ({
  name: `topic_${number}`,
  description: `Reads what is known about subject${number}`,
  execute: () => Effect.succeed(number)
}))

const toolset = Toolset.dynamic([refund, ...others, { name: "now", execute: () => Effect.succeed("12:00") }])

const context = { customer: "c_1" }

const find = (query: string) => call("search_tools", { query })
const through = (name: string, args: unknown) => call("call_tool", { name, arguments: args })

const script = [find("give money back"), through("refund_order", { amount: 5 }), text("Done.")] as const

const lastText = (messages: ReadonlyArray<Message.Message>): string => {
  const last = messages.at(-1)
  return last?._tag === "Results" ? last.results.map(ToolResult.toText).join("\n") : ""
}

describe("an agent whose tools are searched", () => {
  it.effect("shows the pinned tools and two more, in the same words in each request", () =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: { pinned: ["now"] } })
      const { text: answer } = yield* Agent.run(agent, { prompt: "Refund 5 for my order", context })
      expect(answer).toBe("Done.")
      expect(used).toEqual([{ amount: 5, customer: "c_1" }])
      const requests = yield* model.requests
      for (const { definitions } of requests) {
        expect(definitions.map(({ name }) => name)).toEqual(["now", "search_tools", "call_tool"])
        expect(JSON.stringify(definitions)).toBe(JSON.stringify(requests[0]?.definitions))
      }
      requests.slice(1).forEach(({ messages }, index) => {
        const before = requests[index]?.messages ?? []
        expect(JSON.stringify(messages.slice(0, before.length))).toBe(JSON.stringify(before))
      })
    })
  )

  it.effect("the result of a search has the definitions that were found, without hidden fields", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, second] = yield* model.requests
      const found = lastText(second?.messages ?? [])
      expect(JSON.parse(found)).toMatchObject({
        tools: [{ name: "refund_order", parameters: { properties: { amount: { type: "number" } } } }]
      })
      expect(found).not.toContain("customer")
    })
  )

  it.effect("a hidden field's words find nothing, and a search that finds nothing says how to go on", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([find("zanzibar"), text("No.")])
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, second] = yield* model.requests
      expect(JSON.parse(lastText(second?.messages ?? []))).toMatchObject({
        tools: [],
        advice: expect.stringContaining("other ones")
      })
    })
  )

  it.effect("a found tool is called under its own name: events, policy, entries; the model reads its own call", () =>
    Effect.gen(function* () {
      const events: Array<AgentEvent.AgentEvent> = []
      const asked: Array<string> = []
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        policy: {
          approval: ({ name }) => {
            asked.push(name)
            return Approval.allow
          }
        }
      })
      const { entries } = yield* Agent.run(
        agent,
        { prompt: "Refund 5", context },
        { onEvent: (event) => void events.push(event) }
      )
      expect(asked).toEqual(["refund_order"])
      const names = events.flatMap((event) =>
        event._tag === "CallAnnounced"
          ? [`announced ${event.name}`]
          : event._tag === "CallFinished"
            ? [event.call.name]
            : []
      )
      expect(names).toEqual(["announced search_tools", "search_tools", "refund_order"])
      expect(JSON.stringify(entries)).not.toContain('"name":"call_tool"')
      const [, , third] = yield* model.requests
      const said = JSON.stringify(third?.messages.slice(-2))
      expect(said).toContain('"name":"call_tool","arguments":{"name":"refund_order","arguments":{"amount":5}}')
    })
  )

  it.effect("arguments that are wrong are answered as those of the found tool", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        find("give money back"),
        through("refund_order", { amount: "five" }),
        text("Oh.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, , third] = yield* model.requests
      expect(lastText(third?.messages ?? [])).toContain("amount: expected a number")
    })
  )

  it.effect.each<readonly [string, ReturnType<typeof call>]>([
    ["by call_tool", through("refund_order", { amount: 5 })],
    ["by its name", call("refund_order", { amount: 5 })],
    ["that does not exist", through("refund", {})]
  ])("a call of a tool that was not found (%s) is not run, and answered with the way to find it", ([, made]) =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make([made, text("Oh.")])
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      expect(used).toEqual([])
      const [, second] = yield* model.requests
      expect(lastText(second?.messages ?? [])).toContain("search_tools")
    })
  )

  it.effect.each<readonly [string, unknown]>([
    ["no name", {}],
    ["no tool but itself", { name: "call_tool", arguments: {} }],
    ["arguments beside it", { name: "now", hour: 1 }],
    ["a list", []],
    ["text that is no JSON", "{{{"],
    ["a name that is a number", { name: 5, arguments: {} }]
  ])("call_tool with %s ends no run, and its result says how it is called", ([, args]) =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([call("call_tool", args), text("Oh.")])
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      expect((yield* Agent.run(agent, { prompt: "Refund 5", context })).text).toBe("Oh.")
      const [, second] = yield* model.requests
      expect(lastText(second?.messages ?? [])).toMatch(/name|JSON|object/)
    })
  )

  it.effect(
    "what was found can be called in the next turn of the user, and by a process that reads the conversation",
    () =>
      Effect.gen(function* () {
        used.length = 0
        const model = yield* ScriptedModel.make([
          find("give money back"),
          text("Found."),
          through("refund_order", { amount: 7 }),
          text("Done.")
        ])
        const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
        const first = yield* Agent.run(agent, { prompt: "Can you refund?", context })
        const stored = yield* Schema.encode(Schema.parseJson(Schema.Array(Conversation.Entry)))(first.entries)
        const entries = yield* Schema.decode(Schema.parseJson(Schema.Array(Conversation.Entry)))(stored)
        const conversation = yield* Conversation.make({ id: first.conversation.id, entries })
        const other = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
        yield* Agent.run(other, { prompt: "Then do: 7", conversation, context })
        expect(used).toEqual([{ amount: 7, customer: "c_1" }])
      })
  )

  it.effect("a found tool that waits for a person goes on after the answer", () =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        policy: { approval: () => Approval.ask() }
      })
      const paused = yield* Agent.run(agent, { prompt: "Refund 5", context })
      if (paused._tag !== "Paused") return expect.unreachable()
      expect(paused.requests.map((request) => [request.name, request.arguments])).toEqual([
        ["refund_order", { amount: 5 }]
      ])
      const answers = paused.requests.map(DeferredCall.approve)
      const done = yield* Agent.run(agent, { conversation: paused.conversation, answers, context })
      expect(done.text).toBe("Done.")
      expect(used).toEqual([{ amount: 5, customer: "c_1" }])
    })
  )

  it.effect("what was found is not forgotten when the window leaves the search out", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        find("give money back"),
        text("x ".repeat(3_000)),
        text("Hm."),
        text("Yes.")
      ])
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        window: ContextWindow.make({ budget: 2_500 })
      })
      const first = yield* Agent.run(agent, { prompt: "Can you refund?", context })
      yield* Agent.run(agent, { prompt: "y ".repeat(500), conversation: first.conversation, context })
      const requests = yield* model.requests
      const last = requests.at(-1)
      expect(JSON.stringify(last?.messages.slice(1))).not.toContain("search_tools")
      expect(last?.messages[0]).toMatchObject({
        _tag: "System",
        text: expect.stringContaining('"name":"refund_order"')
      })
    })
  )

  it.effect("tools that are not on offer are neither found nor run", () =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make([
        find("give money back"),
        through("refund_order", { amount: 5 }),
        find("subject3"),
        text("No.")
      ])
      const agent = yield* Agent.make({
        model,
        toolset: (yield* toolset).pipe(
          Toolset.filter(({ name }, { role }) => name !== "refund_order" || role === "boss")
        ),
        search: {}
      })
      yield* Agent.run(agent, { prompt: "Refund 5", context: { ...context, role: "guest" } })
      const results = (yield* model.requests).map(({ messages }) => lastText(messages))
      expect(JSON.parse(results[1] ?? "")).toMatchObject({ tools: [] })
      expect(results[3]).toContain('"topic_3"')
      expect(used).toEqual([])
    })
  )

  it.effect("a step that offers some tools only finds those", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([find("give money back, subject3, subject4"), text("No.")])
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        prepare: () => Effect.succeed({ offered: ["topic_3", "now"] })
      })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, second] = yield* model.requests
      expect(JSON.parse(lastText(second?.messages ?? ("" as never)))).toMatchObject({ tools: [{ name: "topic_3" }] })
    })
  )

  it.effect("two calls in one turn: a search and what it has not found yet", () =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make([
        turn(find("give money back"), through("refund_order", { amount: 5 })),
        through("refund_order", { amount: 5 }),
        text("Done.")
      ])
      const agent = yield* Agent.make({ model, toolset: yield* toolset, search: {} })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      expect(used).toHaveLength(1)
    })
  )

  it.effect(
    "with activation, found tools join those that are shown, in the order of finding, and are called by name",
    () =>
      Effect.gen(function* () {
        used.length = 0
        const model = yield* ScriptedModel.make([
          find("subject3"),
          find("give money back"),
          call("refund_order", { amount: 5 }),
          text("Done.")
        ])
        const search = { pinned: ["now"], limit: 1, form: "activation" } as const
        const agent = yield* Agent.make({ model, toolset: yield* toolset, search })
        yield* Agent.run(agent, { prompt: "Refund 5", context })
        expect(used).toEqual([{ amount: 5, customer: "c_1" }])
        const shown = (yield* model.requests).map(({ definitions }) => definitions.map(({ name }) => name))
        const found = ["now", "search_tools", "topic_3", "refund_order"]
        expect(shown).toEqual([found.slice(0, 2), found.slice(0, 3), found, found])
      })
  )

  it.effect("a form that there is not is refused in words that name those there are", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      // As plain JavaScript may give it.
      const search = { form: "direct" as "native" }
      const error = yield* Effect.flip(Agent.make({ model, toolset: yield* toolset, search }))
      expect(error.message).toMatch(/search\.form.*"native" or "hosted" or "call-through" or "activation".*"direct"/s)
    })
  )

  it.effect("example requests find a tool", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([find("I was overcharged"), text("No.")])
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: { requests: { refund_order: ["They overcharged me"] } }
      })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, second] = yield* model.requests
      expect(lastText(second?.messages ?? [])).toContain("refund_order")
    })
  )

  it.effect("a search runs each time: a cache of the policy keeps no tool that is not on offer any more", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([find("subject3, subject4"), find("subject3, subject4"), text("No.")])
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        policy: { limits: { default: { cache: { timeToLive: "1 hour" } } } },
        prepare: ({ number }) => Effect.succeed({ offered: [number === 1 ? "topic_3" : "topic_4"] })
      })
      yield* Agent.run(agent, { prompt: "Read", context })
      const [, second, third] = (yield* model.requests).map(({ messages }) => JSON.parse(lastText(messages) || "{}"))
      expect(second).toMatchObject({ tools: [{ name: "topic_3" }] })
      expect(third).toMatchObject({ tools: [{ name: "topic_4" }] })
    })
  )

  it.effect("a search that a killed process began shows nothing that was not on offer, and is made again", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([find("subject4"), text("?"), find("subject3, subject4"), text("No.")])
      const own = yield* toolset
      const prepare = () => Effect.succeed({ offered: ["topic_3"] })
      // Another process has another one.
      const make = Agent.make({ model, toolset: own, search: {}, prepare })
      const { conversation, entries } = yield* Agent.run(yield* make, { prompt: "Read", context })
      // As a process leaves it that was killed before the result was recorded.
      const copy = yield* Conversation.make({ id: conversation.id, entries: entries.slice(0, 2) })
      yield* Agent.run(yield* make, { conversation: copy, context })
      const [, , again, last] = (yield* model.requests).map(({ messages }) => JSON.parse(lastText(messages) || "{}"))
      expect(again).toMatchObject({ tools: [], advice: expect.stringContaining("Search again") })
      expect(last).toMatchObject({ tools: [{ name: "topic_3" }] })
    })
  )

  it.effect("a bound of results leaves what was found whole", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        policy: { resultBound: { maxBytes: 20, readOn: false } }
      })
      yield* Agent.run(agent, { prompt: "Refund 5", context })
      const [, second] = yield* model.requests
      expect(JSON.parse(lastText(second?.messages ?? []))).toMatchObject({ tools: [{ name: "refund_order" }] })
    })
  )

  it.effect("what a guard withholds of a search has not been found", () =>
    Effect.gen(function* () {
      used.length = 0
      const model = yield* ScriptedModel.make(script)
      const agent = yield* Agent.make({
        model,
        toolset: yield* toolset,
        search: {},
        policy: {
          guards: [
            {
              name: "no money",
              on: ["result"],
              check: (result) => (result.includes("money") ? Guard.block("it is about money") : Guard.pass)
            }
          ]
        }
      })
      const { entries } = yield* Agent.run(agent, { prompt: "Refund 5", context })
      expect(entries.flatMap(({ found }) => found ?? [])).toEqual([])
      expect(used).toEqual([])
    })
  )

  it.effect.each<readonly [search: unknown, message: string]>([
    [{ pined: [] }, "search.pined of the agent must be named as an option is"],
    [{ pinned: ["nou"] }, "search.pinned of the agent must be the name of a tool"],
    [{ pinned: "now" }, "search.pinned of the agent must be an array of texts"],
    [
      { requests: { refund_ordr: ["My money"] } },
      'search.requests of the agent must be the name of a tool (did you mean "refund_order"?), but is "refund_ordr"'
    ],
    [{ limit: 0 }, "search.limit of the agent must be a whole number of at least 1"],
    [{ requests: { now: "what time" } }, "search.requests.now of the agent must be an array of texts"],
    [{ embedder: {} }, "search.embedder of the agent must be an object with a function"],
    [true, "search of the agent must be an object"]
  ])("refuses %j where the agent is made", ([search, message]) =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      // Where tools come and go, a name may come later.
      const fixed = yield* Toolset.constant([refund])
      const made = Agent.make({ model, toolset: fixed, search: search as {} })
      expect(((yield* Effect.flip(made)) as Error).message).toContain(message)
    })
  )

  it.effect("a tool of the name of one of the two is a collision", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      const own = yield* Toolset.dynamic([{ name: "call_tool", execute: () => Effect.void }])
      expect((yield* Effect.flip(Agent.make({ model, toolset: own, search: {} })))._tag).toBe("ToolNameCollision")
    })
  )
})
