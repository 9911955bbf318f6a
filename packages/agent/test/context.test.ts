import { expect, it } from "@effect/vitest"
import { Agent } from "@wield/agent"
import { CallContext } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

it.effect("works out instructions and prepares steps with the call context of the run", () =>
  Effect.gen(function* () {
    const scripted = yield* ScriptedModel.make([ScriptedModel.text("Hello")])
    const seen: Array<unknown> = []
    const read = Effect.map(CallContext.CallContext, ({ user_id }) => void seen.push(user_id))
    const agent = yield* Agent.make({
      model: scripted,
      instructions: Effect.as(read, "Be kind"),
      prepare: () => Effect.as(read, {})
    })
    yield* Agent.run(agent, { prompt: "Hi", context: { user_id: "ada" } })
    expect(seen).toEqual(["ada", "ada"])
  })
)
