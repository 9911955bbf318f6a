/**
 * An agent whose tools switch the toolset of its own conversation.
 */
import { assert, it } from "@effect/vitest"
import { NodeContext } from "@effect/platform-node"
import { Agent, Conversation } from "@wield/agent"
import { Toolset } from "@wield/core"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { ScriptedModel } from "@wield/testing"
import { Effect, Layer, Stream } from "effect"

const { call, text, turn } = ScriptedModel

it.scoped("An agent's turn keeps what it was offered when one of its calls switches the toolset", () =>
  Effect.gen(function* () {
    const switching = {
      name: "switch",
      // Alone: the calls behind it begin when the toolset is another one.
      facts: { isSequential: true },
      execute: () => Effect.as(manager.activate("chat", "notes"), "switched")
    }
    const plain = (name: string): Toolset.DynamicTool => ({ name, execute: () => Effect.succeed(name) })
    const manager: ToolsetManager.Service<Toolset.DynamicTools> = yield* ToolsetManager.make({
      toolset: yield* Toolset.dynamic<never>([switching, plain("search"), plain("note")]),
      modules: new Map([
        ["web", ["switch", "search"]],
        ["notes", ["note"]]
      ])
    })
    yield* manager.activate("chat", "web")
    const model = yield* ScriptedModel.make([
      turn(call("switch", {}), call("search", {}), call("note", {})),
      turn(call("search", {}), call("note", {})),
      text("Done.")
    ])
    const agent = yield* Agent.make({ model, toolset: manager.toolset })
    const ended: Array<ReadonlyArray<string>> = []
    yield* Agent.stream(agent, { conversation: yield* Conversation.make({ id: "chat" }), prompt: "Go." }).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag !== "TurnFinished") return
          ended.push(event.outcomes.map((outcome) => `${outcome.call.name}: ${outcome._tag}`))
        })
      )
    )
    assert.deepStrictEqual(ended, [
      ["switch: Success", "search: Success", "note: Unavailable"],
      ["search: Unavailable", "note: Success"],
      []
    ])
    const offered = (yield* model.requests).map(({ definitions }) => definitions.map(({ name }) => name))
    assert.deepStrictEqual(offered, [["switch", "search"], ["note"], ["note"]])
  }).pipe(Effect.provide(Layer.merge(NodeContext.layer, ActiveToolsets.layerMemory)))
)
