import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, AgentResult, Conversation, type AgentEvent } from "@wield/agent"
import { type Policy, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Chunk, Deferred, Effect, Fiber, Ref, Schema, Stream } from "effect"

const Double = Tool.make("double", { parameters: { n: Schema.Number }, success: Schema.Number }).annotate(
  Tool.Readonly,
  true
)
const Pay = Tool.make("pay", {
  parameters: { amount: Schema.Number },
  success: Schema.String,
  failure: Schema.Struct({ reason: Schema.String }),
  failureMode: "return"
})
const Bank = Toolkit.make(Double, Pay)

/** Who pays what is written down. */
const bank = (paid: Array<number>) =>
  Effect.provide(
    Toolset.fromToolkit(Bank),
    Bank.toLayer({
      double: ({ n }) => Effect.succeed(n * 2),
      pay: ({ amount }) =>
        Effect.sync(() => {
          paid.push(amount)
          return `paid ${amount}`
        })
    })
  )

type Tools = Toolkit.Toolkit.Tools<typeof Bank>

const agentOf = (
  turns: ReadonlyArray<string | ScriptedModel.Part | ScriptedModel.ScriptedTurn>,
  paid: Array<number> = [],
  policy: Policy.Policy<Tools> = {}
) =>
  Effect.gen(function* () {
    const model = yield* ScriptedModel.make(turns)
    const agent = yield* Agent.make({ model, toolset: yield* bank(paid), policy, instructions: "Be brief." })
    return { agent, model }
  })

describe("Agent.run", () => {
  it.effect("asks the model, runs its calls, and ends with its answer", () =>
    Effect.gen(function* () {
      const { agent, model } = yield* agentOf([
        ScriptedModel.call("double", { n: 21 }),
        ScriptedModel.text("It is 42.")
      ])
      const result = yield* Agent.run(agent, "What is 21 doubled?")
      expect(yield* AgentResult.output(result)).toBe("It is 42.")
      expect(result.steps).toBe(2)
      const requests = yield* model.requests
      expect(requests.map((request) => request.messages.map((message) => message._tag))).toEqual([
        ["System", "User"],
        ["System", "User", "Assistant", "Results"]
      ])
      expect(result.entries.map(({ message }) => message._tag)).toEqual(["User", "Assistant", "Results", "Assistant"])
    })
  )
})
