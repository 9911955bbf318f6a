import { expect, it } from "@effect/vitest"
import { Tool, Toolkit } from "@effect/ai"
import { Approval, Facts, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { tagsOf } from "./tools/outcomes.js"

/** As an adapter hands on the hints of a server that gave none, where `exactOptionalPropertyTypes` is off. */
const hints = {
  isReadOnly: undefined,
  isDestructive: undefined,
  examples: undefined
} as unknown as Partial<Facts.Facts>

it("a fact that is given as undefined is unstated", () => {
  expect(Facts.make(hints)).toEqual(Facts.unstated)
})

it.effect("who learns what a tool is given is a fact by which those that keep it on this machine are picked", () =>
  Effect.gen(function* () {
    const toolkit = Toolkit.make(
      Tool.make("save_note").pipe(Facts.disclosure("none")),
      Tool.make("ask_model").pipe(Facts.disclosure("endpoint")),
      Tool.make("search_web").pipe(Facts.disclosure("any")),
      Tool.make("says_nothing")
    )
    const handlers = toolkit.toLayer({
      save_note: () => Effect.void,
      ask_model: () => Effect.void,
      search_web: () => Effect.void,
      says_nothing: () => Effect.void
    })
    const all = yield* Toolset.fromToolkit(toolkit).pipe(Effect.provide(handlers))
    const staying = (options?: Facts.StaysLocalOptions) =>
      Effect.map(all.pipe(Toolset.filter(Facts.staysLocal(options))).offer, ({ entries }) => [...entries.keys()])
    expect(yield* staying()).toEqual(["save_note"])
    const isEndpointAllowed = (tool: string) => tool === "ask_model"
    expect(yield* staying({ isEndpointAllowed })).toEqual(["save_note", "ask_model"])
    expect(yield* staying({ isEndpointAllowed: () => false })).toEqual(["save_note"])
  })
)

it.effect("a dynamic tool whose facts are undefined is asked about by Approval.cautious", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "erase", facts: hints, execute: () => Effect.succeed("erased") }])
    const runner = yield* ToolRunner.make(toolset, { approval: Approval.cautious })
    expect(tagsOf([yield* runner.run(ToolCall.make("c", "erase", {}))])).toEqual(["Deferred"])
  })
)

it("annotations of MCP state facts, and facts state annotations", () => {
  const facts = { title: undefined, isReadOnly: true, isDestructive: false, isIdempotent: true, isOpenWorld: true }
  expect(Facts.ofAnnotations({ readOnlyHint: true })).toEqual(facts)
  expect(Facts.toAnnotations(Facts.make({ isReadOnly: true, title: "Clock" }))).toEqual({
    title: "Clock",
    readOnlyHint: true,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true
  })
})
