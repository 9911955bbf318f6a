import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { Toolset } from "@wield/core"
import { WireError } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"
import { recordLogs } from "../../../core/test/recording/Logs.js"
import { recordSpans } from "../../../core/test/recording/Spans.js"

class Refused extends Schema.TaggedError<Refused>("Refused")("Refused", { card: Schema.String }) {
  override get message(): string {
    return `The card ${this.card} was refused`
  }
}

const Bank = Toolkit.make(
  Tool.make("pay", { parameters: { card: Schema.String.pipe(Schema.maxLength(4)) }, failure: Refused })
)
const toolset = Effect.provide(
  Toolset.fromToolkit(Bank),
  Bank.toLayer({ pay: () => Effect.fail(new Refused({ card: "sesame" })) })
)

/** Ways in which a run ends badly, each with a text in its error that is nobody's business. */
const endings = {
  "mistakes of the model": ScriptedModel.make([ScriptedModel.call("pay", { card: "sesame" })]),
  "a failure that a tool raises": ScriptedModel.make([ScriptedModel.call("pay", { card: "1234" })]),
  "a response that cannot be read": ScriptedModel.make([
    ScriptedModel.fail(
      new WireError.WireError({ format: "scripted", path: [], expected: "a JSON body", received: "sesame" })
    )
  ])
}

describe("what the run was about stands in no span and no log, whatever it ended with:", () => {
  for (const [ending, scripted] of Object.entries(endings)) {
    it.effect(ending, () =>
      Effect.gen(function* () {
        const agent = yield* Agent.make({ model: yield* scripted, toolset: yield* toolset, mistakes: { total: 0 } })
        const told = yield* recordSpans(recordLogs(Effect.flip(Agent.run(agent, "The word is sesame"))))
        expect(told.value.value.message).toMatch("sesame")
        expect(told.spans.map(({ name }) => name)).toContain("invoke_agent agent")
        const spans = told.spans.map(({ attributes, events, failure }) => [[...attributes], events, failure])
        expect(JSON.stringify([spans, told.value.lines])).not.toMatch("sesame")
        const failed = told.spans.find(({ name }) => name === "invoke_agent agent")
        expect(failed?.failure).toMatch(told.value.value._tag)
      })
    )

    it.effect(`${ending}, within a sub-agent`, () =>
      Effect.gen(function* () {
        const inner = yield* Agent.make({ model: yield* scripted, toolset: yield* toolset, mistakes: { total: 0 } })
        const model = yield* ScriptedModel.make([
          ScriptedModel.call("ask", { task: "The word is sesame" }),
          ScriptedModel.text("No.")
        ])
        const tools = yield* Agent.toToolset(inner, { name: "ask", description: "Asks" })
        const agent = yield* Agent.make({ model, toolset: tools })
        const { spans, value } = yield* recordSpans(recordLogs(Agent.run(agent, "Ask")))
        expect(value.value.text).toBe("No.")
        expect(value.lines.join()).toMatch("The sub-agent ask failed")
        const seen = spans.map(({ attributes, events, failure }) => [[...attributes], events, failure])
        expect(JSON.stringify([seen, value.lines])).not.toMatch("sesame")
      })
    )
  }
})
