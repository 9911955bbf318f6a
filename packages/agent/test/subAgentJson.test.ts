/** What a reader of a run's JSON sees of the runs within it. */
import { expect, it } from "@effect/vitest"
import { Agent, AgentEvent } from "@wield/agent"
import { Toolset } from "@wield/core"
import { ApiError } from "@wield/providers"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

const { broken, call, reasoning, text, turn } = ScriptedModel

it.effect("has events as any run has them, and nothing of the provider's own message or the conversation", () =>
  Effect.gen(function* () {
    const inner = yield* ScriptedModel.make([
      broken(text("Hm."), new ApiError.ProviderUnavailable({ format: "x", status: 529, detail: "busy" })),
      turn(reasoning("I think."), call("look")),
      text("Nothing.")
    ])
    const toolset = yield* Toolset.dynamic([{ name: "look", execute: () => Effect.succeed("there") }])
    const reader = yield* Agent.make({ model: inner, toolset, retries: 1 })
    const outer = yield* Agent.toToolset(reader, { name: "read", description: "Reads" })
    const again = yield* Agent.toToolset(
      yield* Agent.make({
        model: yield* ScriptedModel.make([call("read", { task: "page 3" }), text("Done.")]),
        toolset: outer
      }),
      { name: "study", description: "Studies" }
    )
    const model = yield* ScriptedModel.make([call("study", { task: "page 3" }), text("Done.")])
    const seen = new Set<string>()
    const look = (event: unknown): void => {
      if (!Schema.is(AgentEvent.Json)(event)) return expect.unreachable(JSON.stringify(event))
      expect(JSON.stringify(event)).not.toMatch(/"native"|"entries"|"status"/)
      seen.add(event._tag)
      if (event._tag === "CallProgress") look(event.value)
    }
    yield* Agent.run(yield* Agent.make({ model, toolset: again }), "Study", {
      onEvent: (event) => {
        const json = AgentEvent.toJson(event as AgentEvent.AgentEvent)
        if (json._tag === "CallProgress") look(json.value)
      }
    })
    expect(seen).toEqual(
      new Set([...seen, "TurnBroken", "TurnFinished", "CallProgress", "CallFinished", "ReasoningDelta", "Done"])
    )
  })
)

it.effect("has no cause of a crash in a sub-agent, and no hidden value that was wrong", () =>
  Effect.gen(function* () {
    const tools = yield* Toolset.dynamic([
      { name: "crash", execute: () => Effect.die(Object.assign(new Error("hunter2"), { detail: "hunter3" })) },
      {
        name: "look",
        inputSchema: { type: "object", properties: { who: { type: "number" } } },
        hidden: ["who"],
        execute: () => Effect.succeed("there")
      }
    ])
    const inner = yield* ScriptedModel.make([turn(call("crash"), call("look")), text("Nothing.")])
    const reader = yield* Agent.make({ model: inner, toolset: tools })
    const toolset = yield* Agent.toToolset(reader, { name: "read", description: "Reads" })
    const model = yield* ScriptedModel.make([call("read", { task: "page 3" }), text("Done.")])
    const lines: Array<string> = []
    yield* Agent.run(
      yield* Agent.make({ model, toolset }),
      { prompt: "Read", context: { who: "hunter4" } },
      { onEvent: (event) => void lines.push(JSON.stringify(AgentEvent.toJson(event as AgentEvent.AgentEvent))) }
    )
    expect(lines.join("\n")).toContain('"_tag":"Defect"')
    expect(lines.join("\n")).toContain('"_tag":"MissingContext"')
    expect(lines.filter((line) => line.includes("hunter"))).toEqual([])
  })
)
