/**
 * An MCP server asks a person, who answers hours later: the run pauses, its
 * process and the server end, and another process goes on with the same call.
 * All that they share is a file with the conversation and the journal.
 */
import * as assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Journal, Toolset } from "@wield/core"
import { McpClient, McpRequest, McpServer } from "@wield/mcp"
import { ScriptedModel } from "@wield/testing"
import { Config, Effect, Schema } from "effect"

/** A server that asks before it books. Processes that share the secret can answer each other's rounds. */
const serve = Effect.gen(function* () {
  const seat = McpRequest.form({
    message: "Which seat?",
    fields: Schema.Struct({ seat: Schema.Literal("aisle", "window") })
  })
  const toolset = yield* Toolset.dynamic([
    {
      name: "book",
      execute: () =>
        Effect.map(McpRequest.ask({ seat }), (answers) =>
          answers.seat.action === "accept" ? `booked: ${answers.seat.content.seat}` : "not booked"
        )
    }
  ])
  const secret = yield* Config.redacted("SERVER_SECRET")
  const server = yield* McpServer.make({ name: "trips", version: "1.0.0", toolset, secret, roundTime: "1 day" })
  yield* McpServer.stdio(server)
})

const [part, folder = ""] = process.argv.slice(2)

/** Both processes make the same agent; each model plays its part of the script. */
const agentOf = (script: ReadonlyArray<ScriptedModel.Part>) =>
  Effect.gen(function* () {
    const env = { SERVER_SECRET: yield* Config.redacted("SERVER_SECRET") }
    const server = McpClient.stdio(process.execPath, [...process.execArgv, process.argv[1]!, "serve"], { env })
    const trips = yield* McpClient.connect("trips", server, { elicit: "defer" })
    return yield* Agent.make({
      model: yield* ScriptedModel.make(script),
      toolset: trips.toolset,
      policy: { journal: yield* Journal.Journal }
    })
  })

const Request = Schema.parseJson(DeferredCall.DeferredCall)
const file = join(folder, "request.json")

const pause = Effect.gen(function* () {
  const agent = yield* agentOf([ScriptedModel.call("trips_book", {})])
  const conversation = yield* (yield* ConversationStore.ConversationStore).create({ id: "trip" })
  const result = yield* Agent.run(agent, { conversation, prompt: "Book my trip." })
  const [request] = result._tag === "Paused" ? result.requests : []
  assert.ok(request !== undefined)
  console.log("the server asks:", McpClient.questionsOf(request))
  writeFileSync(file, yield* Schema.encode(Request)(request))
})

const resume = Effect.gen(function* () {
  const agent = yield* agentOf([ScriptedModel.text("You sit at the aisle.")])
  const conversation = yield* (yield* ConversationStore.ConversationStore).open("trip")
  const request = yield* Schema.decode(Request)(readFileSync(file, "utf8"))
  const reply = (seat: string) => ({ seat: { action: "accept", content: { seat } } })

  const refused = yield* Effect.flip(
    Agent.run(agent, { conversation, answers: [DeferredCall.reply(request, reply("roof"))] })
  )
  console.log("refused:", refused.message)
  const result = yield* Agent.run(agent, { conversation, answers: [DeferredCall.reply(request, reply("aisle"))] })
  console.log(result.text)
  const entries = JSON.stringify(yield* result.conversation.entries)
  assert.ok(entries.includes("booked: aisle"))
})

const stored = FileStore.layer({ path: join(folder, "trip.db") })
if (part === "serve") await Effect.runPromise(Effect.scoped(serve))
else if (part === "pause") await Effect.runPromise(Effect.scoped(Effect.provide(pause, stored)))
else if (part === "resume") await Effect.runPromise(Effect.scoped(Effect.provide(resume, stored)))
else {
  const here = mkdtempSync(join(tmpdir(), "mcp-questions-"))
  for (const which of ["pause", "resume"]) {
    console.log(`\n${which}:`)
    const { status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1]!, which, here], {
      stdio: "inherit",
      env: { ...process.env, SERVER_SECRET: "kept by the server, of 32 bytes or more" }
    })
    assert.equal(status, 0)
  }
  rmSync(here, { recursive: true })
}
