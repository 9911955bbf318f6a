/** Calls that come again, by their key or in rounds, whose handlers ask the client on the way. */
import { expect, it } from "@effect/vitest"
import { Approval, CurrentCall, Journal, type Json, NeedsInput, type Policy, ToolRunner, Toolset } from "@wield/core"
import { McpRequest, McpServer, McpTest } from "@wield/mcp"
import { Effect, Schema } from "effect"
import { describe } from "vitest"

const forms = { capabilities: { elicitation: {} } }
const yes: Json.JsonObject = { action: "accept", content: { approve: true } }
const keyed = { _meta: { "tools.wield/idempotencyKey": "k" } }
const sure = McpRequest.form({ message: "Sure?", fields: Schema.Struct({ approve: Schema.Boolean }) })

/** The state that a client was given, with a yes to everything that was asked. */
const answer = (asked: Json.JsonObject): Json.JsonObject => {
  expect(asked).toMatchObject({ resultType: "input_required" })
  const keys = Object.keys(asked["inputRequests"] ?? {})
  const state = asked["requestState"] ?? ""
  return { requestState: state, inputResponses: Object.fromEntries(keys.map((key) => [key, yes])) }
}

const serve = (tools: ReadonlyArray<Toolset.DynamicTool>, policy: Policy.Policy = {}) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic(tools)
    const server = yield* McpServer.make({ name: "shop", version: "1", toolset, policy })
    const client = yield* McpTest.pair(server, forms)
    const call = (name: string, more: Json.JsonObject = {}) =>
      client.request("tools/call", { name, arguments: {}, ...keyed, ...more })
    return { call, server }
  })

/** A tool that pays, after it has asked whatever it asks. */
const paying = (ask: Effect.Effect<unknown, unknown>, name = "pay") => {
  const paid: Array<string> = []
  const execute = () => Effect.map(Effect.orDie(ask), () => `paid ${paid.push(name)}`)
  return { paid, tool: { name, execute } satisfies Toolset.DynamicTool }
}

/** Asks these questions, one after the other; they can be fewer the next time. */
const asking = (questions: ReadonlyArray<string>) =>
  Effect.suspend(() => Effect.forEach(questions, (key) => McpRequest.ask({ [key]: sure }), { discard: true }))

describe.each(["its own journal", "a journal of the program"])(
  "With %s, a call that comes again by its key",
  (kind) => {
    const policyOf = (more: Policy.Policy = {}) =>
      kind === "its own journal"
        ? Effect.succeed(more)
        : Effect.map(Journal.memory, (journal): Policy.Policy => ({ ...more, journal: Object.freeze(journal) }))

    it.scoped("has no second effect where its handler asks only the first time", () =>
      Effect.gen(function* () {
        const questions = ["first"]
        const { paid, tool } = paying(asking(questions))
        const { call } = yield* serve([tool], yield* policyOf())
        const asked = yield* call("pay")
        expect(yield* call("pay", answer(asked))).toMatchObject({ structuredContent: "paid 1" })
        questions.pop()
        expect(yield* call("pay")).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("has no second effect where the client can be asked no more", () =>
      Effect.gen(function* () {
        const { paid, tool } = paying(Effect.ignore(asking(["first"])))
        const { call, server } = yield* serve([tool], yield* policyOf())
        expect(yield* call("pay", answer(yield* call("pay")))).toMatchObject({ structuredContent: "paid 1" })
        const mute = yield* McpTest.pair(server)
        const again = yield* mute.request("tools/call", { name: "pay", arguments: {}, ...keyed })
        expect(again).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("has no second effect where its rule asks only the first time", () =>
      Effect.gen(function* () {
        const decisions = [Approval.ask(), Approval.ask()]
        const { paid, tool } = paying(Effect.void)
        const { call } = yield* serve([tool], yield* policyOf({ approval: () => decisions.shift() ?? Approval.allow }))
        expect(yield* call("pay", answer(yield* call("pay")))).toMatchObject({ structuredContent: "paid 1" })
        expect(yield* call("pay")).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("has no second effect where its state is sent again", () =>
      Effect.gen(function* () {
        const questions = ["first", "second"]
        const { paid, tool } = paying(asking(questions))
        const { call } = yield* serve([tool], yield* policyOf())
        const first = answer(yield* call("pay"))
        const second = answer(yield* call("pay", first))
        questions.pop()
        expect(yield* call("pay", first)).toMatchObject({ structuredContent: "paid 1" })
        expect(yield* call("pay", second)).toMatchObject({ structuredContent: "paid 1" })
        expect(yield* call("pay", first)).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("has no second effect where another tool of its key asks", () =>
      Effect.gen(function* () {
        const { paid, tool } = paying(Effect.void)
        const { call } = yield* serve([tool, paying(asking(["first"]), "print").tool], yield* policyOf())
        expect(yield* call("pay")).toMatchObject({ structuredContent: "paid 1" })
        const asked = yield* call("print")
        expect(yield* call("pay")).toMatchObject({ structuredContent: "paid 1" })
        expect(yield* call("print", answer(asked))).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("has no second effect where a call within it asked", () =>
      Effect.gen(function* () {
        const { paid, tool } = paying(Effect.void)
        const inner = yield* ToolRunner.make(yield* Toolset.dynamic([paying(asking(["first"]), "print").tool]))
        const print = inner.run({ id: "1", name: "print", arguments: {} })
        const execute = () => Effect.map(Effect.orDie(Effect.zip(tool.execute(), print)), ([text]) => text)
        const { call } = yield* serve([{ name: "both", execute }], yield* policyOf())
        for (let time = 1; time <= 2; time++) expect(yield* call("both")).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )

    it.scoped("goes on where it asks after it was approved and has needed input", () =>
      Effect.gen(function* () {
        const { paid, tool } = paying(asking(["first"]))
        const execute = Effect.fn(function* () {
          const { input } = yield* CurrentCall.CurrentCall
          const accepts: Json.JsonSchema = { type: "object", properties: { approve: { type: "boolean" } } }
          return yield* input === undefined ? Effect.fail(new NeedsInput({ asks: "Now?", accepts })) : tool.execute()
        })
        const { call } = yield* serve([{ name: "pay", execute }], yield* policyOf({ approval: () => Approval.ask() }))
        const needing = yield* call("pay", answer(yield* call("pay")))
        const asked = yield* call("pay", answer(needing))
        expect(yield* call("pay", answer(asked))).toMatchObject({ structuredContent: "paid 1" })
        expect(yield* call("pay")).toMatchObject({ structuredContent: "paid 1" })
        expect(paid).toEqual(["pay"])
      })
    )
  }
)

describe("With a runner of the program, a call that comes again by its key", () => {
  it.scoped("has no second effect, and goes on where its handler has asked", () =>
    Effect.gen(function* () {
      const questions = ["first"]
      const { paid, tool } = paying(asking(questions))
      const runner = yield* ToolRunner.make(yield* Toolset.dynamic([tool]), { approval: () => Approval.ask() })
      const server = yield* McpServer.make({ name: "shop", version: "1", runner })
      const client = yield* McpTest.pair(server, forms)
      const call = (more: Json.JsonObject = {}) =>
        client.request("tools/call", { name: "pay", arguments: {}, ...keyed, ...more })
      const asked = yield* call(answer(yield* call()))
      expect(yield* call(answer(asked))).toMatchObject({ structuredContent: "paid 1" })
      questions.pop()
      expect(yield* call()).toMatchObject({ isError: true })
      expect(paid).toEqual(["pay"])
    })
  )
})

describe("Without a key, a call in rounds", () => {
  const unkeyed = { _meta: {} }

  it.scoped("is paid once where its last state is sent again", () =>
    Effect.gen(function* () {
      const { paid, tool } = paying(asking(["first"]))
      const { call } = yield* serve([tool])
      const state = answer(yield* call("pay", unkeyed))
      for (let time = 1; time <= 2; time++)
        expect(yield* call("pay", { ...unkeyed, ...state })).toMatchObject({ structuredContent: "paid 1" })
      expect(paid).toEqual(["pay"])
    })
  )

  const rounds: ReadonlyArray<readonly [limit: string, policy: Policy.Policy]> = [
    ["rate", { limits: { dynamic: { pay: { rate: { calls: 1, window: "1 hour" } } } } }],
    ["quota", { quotas: [{ name: "all", by: () => "all", calls: 1, window: "1 hour" }] }]
  ]

  it.scoped.each(rounds)("is one call for its %s", ([, policy]) =>
    Effect.gen(function* () {
      const { paid, tool } = paying(asking(["first", "second"]))
      const { call } = yield* serve([tool], policy)
      const first = answer(yield* call("pay", unkeyed))
      const second = answer(yield* call("pay", { ...unkeyed, ...first }))
      // A state that is sent again is another attempt.
      expect(yield* call("pay", { ...unkeyed, ...first })).toMatchObject({ isError: true })
      expect(yield* call("pay", { ...unkeyed, ...second })).toMatchObject({ structuredContent: "paid 1" })
      expect(paid).toEqual(["pay"])
    })
  )
})
