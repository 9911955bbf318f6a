/** What a reader of a run's JSON sees of the runs within it. */
import { expect, it } from "@effect/vitest"
import { Agent, AgentEvent } from "@wield/agent"
import { Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

const { call, text, turn } = ScriptedModel

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
