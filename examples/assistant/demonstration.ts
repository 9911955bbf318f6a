/** The assistant on two days, each of which opens the database as a program that is started again. */
import * as assert from "node:assert/strict"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LanguageModel } from "@effect/ai"
import type { SqlClient } from "@effect/sql/SqlClient"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Goals, Memories, Owner, UserProfile } from "@wield/assistant"
import { ScriptedModel } from "@wield/testing"
import { Console, Effect, Layer, Option, Stream } from "effect"
import { scriptedTerminal } from "../chat/terminal.js"
import { converse } from "./converse.js"
import { firstDay, helper, manual, practice, secondDay } from "./days.js"
import { searchEngine } from "./searchEngine.js"
import { toolsIn } from "./tools.js"

const helping = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ prompt }) => Effect.succeed([{ type: "text", text: helper(JSON.stringify(prompt)) }]),
    streamText: () => Stream.empty
  })
)

const user = "ada"
const ada = Owner.UserId.make(user)

/** Waits until the three memories of the tea have become one, in the background. */
const consolidated = Effect.flatMap(Memories.Memories, (memories) =>
  memories.recent(ada, 10).pipe(Effect.delay("100 millis"), Effect.repeat({ until: (found) => found.length === 1 }))
).pipe(Effect.timeout("20 seconds"))

export const demonstrate = <E>(database: Layer.Layer<SqlClient, E>) =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "wield-assistant-"))
    writeFileSync(join(folder, "practice.ts"), practice)
    writeFileSync(join(folder, "manual.md"), manual)
    const opened = toolsIn({ folder, search: searchEngine, consolidation: { every: 3, interval: "200 millis" } }).pipe(
      Layer.provideMerge(Layer.merge(SqlConversationStore.layer, SqlJournal.layer)),
      Layer.provide([database, helping])
    )

    yield* Console.log("The first day\n")
    yield* Effect.gen(function* () {
      const model = yield* ScriptedModel.make(firstDay.model)
      yield* converse({ model, terminal: scriptedTerminal(firstDay.user), user, conversation: "monday" })
      yield* ScriptedModel.assertDone(model)
      assert.equal(readFileSync(join(folder, "practice.ts"), "utf8"), practice.replace("60", "80"))
      const [memory] = yield* consolidated
      yield* Console.log(`[in the background, of three memories: ${memory?.name}: ${memory?.text}]`)
    }).pipe(Effect.provide(opened))

    yield* Console.log("\nThe second day, in another conversation\n")
    yield* Effect.gen(function* () {
      const model = yield* ScriptedModel.make(secondDay.model)
      yield* converse({ model, terminal: scriptedTerminal(secondDay.user), user, conversation: "tuesday" })
      yield* ScriptedModel.assertDone(model)

      const [first] = yield* model.requests
      const shown = JSON.stringify(first?.messages)
      assert.ok(shown.includes("Tea in the morning"), "the memory is recalled")
      assert.ok(shown.includes("Goal: Play in public"), "the goal is recalled")
      assert.ok(!shown.includes("by the summer"), "the conversation of the first day is not shown")

      const memories = yield* Memories.Memories
      const kept = yield* memories.recent(ada, 10)
      assert.deepEqual(kept.map(({ name }) => name).sort(), ["Completed goal: Play in public", "Tea in the morning"])
      assert.equal(kept.find(({ name }) => name === "Tea in the morning")?.importance, 7)
      const sources = yield* memories.sources(ada, "Tea in the morning")
      const goals = yield* Goals.Goals
      assert.deepEqual(yield* goals.list(ada, "active"), [])
      const profile = yield* UserProfile.UserProfile
      const name = Option.getOrThrow(yield* profile.name(ada, "full"))
      yield* Console.log(`\nWhat is kept of ${name}:`)
      for (const memory of kept) yield* Console.log(`- ${memory.name}`)
      yield* Console.log(
        `The tea was made of:\n${sources.map(({ text }) => `- ${text.split("\n").at(-1)}`).join("\n")}`
      )
      assert.equal(sources.length, 3)
    }).pipe(Effect.provide(opened))
  })
