/**
 * A folder of Sapphire's function files, and toolsets that are switched between
 * turns: what is not in the active one is not offered and cannot be called. The
 * model is a script, so no key is needed; the functions are run by python3, and
 * without one the example says so.
 */
import * as assert from "node:assert/strict"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeContext } from "@effect/platform-node"
import { Agent, Conversation } from "@wield/agent"
import { Outcome } from "@wield/core"
import { FunctionFolder, ScriptExecutor } from "@wield/scripts"
import { ActiveToolsets, ToolsetManager } from "@wield/toolset-manager"
import { ScriptedModel } from "@wield/testing"
import { Effect, Layer, Stream } from "effect"

const { call, text, turn } = ScriptedModel

const here = fileURLToPath(new URL(".", import.meta.url))

/** What the program keeps for its user. */
const state = mkdtempSync(join(tmpdir(), "wield-toolsets-"))

const config = { broken_lights: ["hall"] }

const hasPython = (executor: ScriptExecutor.ScriptExecutor) =>
  executor
    .runFunctionFile(
      { file: join(here, "probe.py"), text: 'def execute(*_):\n    return "here", True\n' },
      "probe",
      {},
      config
    )
    .pipe(
      Effect.as(true),
      Effect.catchIf(
        (error) => error._tag === "ScriptNotStarted" && error.reason === "interpreter-missing",
        () => Effect.succeed(false)
      )
    )

const program = Effect.gen(function* () {
  const executor = yield* ScriptExecutor.make({ cache: join(state, "cache") })
  if (!(yield* hasPython(executor))) {
    console.log("python3 is not installed: there is nothing to run function files with.")
    return
  }

  // Both folders, followed from now on. What is wrong with a file is logged, and leaves the others working.
  const tools = yield* FunctionFolder.live([join(here, "functions"), join(here, "user/functions")], {
    executor,
    config
  })

  const manager = yield* ToolsetManager.make({
    toolset: tools,
    modules: tools.modules,
    coreFile: join(here, "toolsets.json"),
    userFile: join(state, "toolsets.json")
  })
  for (const { enabled, metadata, name, status, total, type } of yield* manager.list) {
    console.log(`set:       ${[name, metadata["emoji"]].join(" ").trim()} (${type}, ${enabled} of ${total}, ${status})`)
  }

  const conversation = yield* Conversation.make({ id: "home" })
  const model = yield* ScriptedModel.make([
    turn(call("set_light", { room: "kitchen", percent: 30 }), call("set_light", { room: "hall", percent: 30 })),
    text("The kitchen is dim; the light of the hall is broken."),
    // The toolset is another one by now, and the model has not noticed.
    turn(
      call("set_light", { room: "kitchen", percent: 0 }),
      call("save_note", { content: "Mend the light of the hall" })
    ),
    text("I have made a note.")
  ])
  const agent = yield* Agent.make({ model, toolset: manager.toolset })
  const say = (prompt: string) =>
    Agent.stream(agent, { conversation, prompt }).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag !== "TurnFinished") return
          for (const outcome of event.outcomes) console.log(`${outcome.call.name}: ${Outcome.text(outcome)}`)
        })
      ),
      Stream.runDrain
    )
  const offered = Effect.map(model.requests, (requests) => requests.at(-1)?.definitions.map(({ name }) => name))

  yield* manager.activate("home", "evening")
  yield* say("Make it cosy.")
  console.log("offered:  ", (yield* offered)?.join(", "))

  const work = yield* manager.activate("home", "work")
  console.log("missing:  ", work.missing.join(", "))
  yield* say("Light off, and remember the hall.")
  console.log("offered:  ", (yield* offered)?.join(", "))
  assert.deepEqual(yield* offered, ["save_note", "search_notes"])

  const inactive = yield* manager.inactive("home")
  console.log("not in it:", inactive.map(({ name, toolsets }) => `${name} (${toolsets.join(", ")})`).join("; "))

  yield* manager.save("everything but dice", [...work.functions.slice(0, 2), "set_light"], {
    metadata: { emoji: "✨" }
  })
  const active = yield* manager.activate("home", "everything but dice")
  assert.equal(active.status, "ok")
  console.log("saved:    ", JSON.stringify(yield* manager.export("everything but dice")))
})

await Effect.runPromise(
  program.pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        NodeContext.layer,
        ActiveToolsets.layerFile(join(state, "active.json")).pipe(Layer.provide(NodeContext.layer))
      )
    )
  )
)
