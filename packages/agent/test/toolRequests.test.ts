import { expect, it } from "@effect/vitest"
import { Agent, ConversationStore, ToolRequests } from "@wield/agent"
import { Approval, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, TestClock } from "effect"

const tools = Toolset.dynamic([
  { name: "refund_order", description: "Pays back", execute: () => Effect.succeed("refunded") },
  { name: "send_letter", description: "Writes by post", execute: () => Effect.fail("no stamps") },
  { name: "close_account", description: "Ends it", execute: () => Effect.succeed("closed") },
  ...Array.from({ length: 20 }, (_, index) => ({
    name: `other${index}`,
    description: `Does another thing ${index}`,
    execute: () => Effect.succeed("done")
  }))
])

const approval: Approval.Rule = ({ name }) => (name === "close_account" ? Approval.deny("no") : Approval.allow)

it.effect("learns what was said and searched for before calls that succeeded, and nothing of others", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make([
      ScriptedModel.call("search_tools", { query: "pays back" }),
      ScriptedModel.call("search_tools", { query: "writes by post" }),
      ScriptedModel.call("search_tools", { query: "ends it" }),
      ScriptedModel.turn(
        ScriptedModel.call("call_tool", { name: "refund_order", arguments: {} }),
        ScriptedModel.call("call_tool", { name: "send_letter", arguments: {} }),
        ScriptedModel.call("call_tool", { name: "close_account", arguments: {} })
      ),
      ScriptedModel.text("Done.")
    ])
    const agent = yield* Agent.make({ model, toolset: yield* tools, search: {}, policy: { approval } })
    const { entries } = yield* Agent.run(agent, "They charged me twice")
    expect(ToolRequests.ofEntries(entries)).toEqual({ refund_order: ["They charged me twice", "pays back"] })
  })
)

it.effect("learns the words of a search whose arguments came as text", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make([
      ScriptedModel.call("search_tools", '{ "query": "pays back" }'),
      ScriptedModel.call("call_tool", { name: "refund_order", arguments: {} }),
      ScriptedModel.text("Done.")
    ])
    const agent = yield* Agent.make({ model, toolset: yield* tools, search: {} })
    const { entries } = yield* Agent.run(agent, "Twice")
    expect(ToolRequests.ofEntries(entries)).toEqual({ refund_order: ["Twice", "pays back"] })
  })
)

it.effect("learns from a store: each text once, none that is long, and no more than it may", () =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    const toolset = yield* tools
    for (const text of ["Money back", "  Money back ", "x".repeat(501), "", "Twice", "A third"]) {
      const model = yield* ScriptedModel.make([ScriptedModel.call("refund_order"), ScriptedModel.text("Done.")])
      yield* TestClock.adjust("1 second")
      const conversation = yield* store.create()
      yield* Agent.run(yield* Agent.make({ model, toolset }), { conversation, prompt: text })
    }
    const all = yield* ToolRequests.ofStore(store)
    expect(all["refund_order"]?.toSorted()).toEqual(["A third", "Money back", "Twice"])
    expect((yield* ToolRequests.ofStore(store, { perTool: 2 }))["refund_order"]).toHaveLength(2)
    expect(yield* ToolRequests.ofStore(store, { conversations: 1 })).toEqual({ refund_order: ["A third"] })
  }).pipe(Effect.provide(ConversationStore.layerMemory))
)

it.effect("finds by what was learnt, shows it to no model, and passes over tools that are gone", () =>
  Effect.gen(function* () {
    const learnt = { refund_order: ["They charged me twice"], gone: ["Anything"], constructor: ["x"] }
    const model = yield* ScriptedModel.make([
      ScriptedModel.call("search_tools", { query: "charged twice" }),
      ScriptedModel.text("Done.")
    ])
    const agent = yield* Agent.make({ model, toolset: yield* tools, search: { learnt } })
    const { entries } = yield* Agent.run(agent, "Help")
    expect(entries.flatMap((entry) => entry.found ?? [])).toEqual(["refund_order"])
    const sent = JSON.stringify((yield* model.requests).at(-1))
    expect(sent).toContain("Pays back")
    expect(sent).not.toContain("They charged me twice")
  })
)

it.effect("refuses what is no list of requests by tool", () =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make([])
    for (const learnt of [
      ["They charged me twice"],
      Promise.resolve({}),
      { refund_order: [Promise.resolve("Twice")] }
    ]) {
      // As a program without types may give it.
      const search = { learnt } as never
      const error = yield* Effect.flip(Agent.make({ model, toolset: yield* tools, search }))
      expect(error.message).toContain("search.learnt")
    }
  })
)
