/**
 * A process that runs an agent with the tools of an MCP server: it asks, or goes on with replies, prints what came of
 * it as one line of JSON, and ends. `child <folder> <server as JSON> <prompt or answers as JSON>`
 */
import { join } from "node:path"
import { Agent, ConversationStore, DeferredCall, WaitingCalls } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Journal, type Json, ToolResult } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

const [, , folder = "", serverJson = "", given = ""] = process.argv

const Server = Schema.parseJson(
  Schema.Struct({
    url: Schema.optional(Schema.String),
    command: Schema.optional(Schema.String),
    args: Schema.optional(Schema.Array(Schema.String))
  })
)

const Given = Schema.parseJson(
  Schema.Union(
    Schema.Struct({ tool: Schema.String, approval: Schema.optional(Schema.Boolean) }),
    Schema.Struct({ answers: Schema.Array(DeferredCall.Answer) })
  )
)

const program = Effect.gen(function* () {
  const { args = [], command = "", url } = yield* Schema.decode(Server)(serverJson)
  const task = yield* Schema.decode(Given)(given)
  const trips = yield* McpClient.connect(
    "trips",
    url === undefined ? McpClient.stdio(command, args) : McpClient.http(url),
    {
      elicit: "defer",
      sample: "defer"
    }
  )
  const store = yield* ConversationStore.ConversationStore
  const agent = yield* Agent.make({
    model: yield* ScriptedModel.make(
      "tool" in task ? [ScriptedModel.call(task.tool, {}), ScriptedModel.text("Done.")] : [ScriptedModel.text("Done.")]
    ),
    toolset: trips.toolset,
    policy: { journal: yield* Journal.Journal }
  })
  const result = yield* "tool" in task
    ? Effect.flatMap(store.create({ id: "trip" }), (conversation) =>
        Agent.run(agent, { conversation, prompt: "Travel." })
      )
    : Effect.flatMap(store.open("trip"), (conversation) => Agent.run(agent, { conversation, answers: task.answers }))
  const requests = result._tag === "Paused" ? result.requests : []
  yield* WaitingCalls.remember(store, "trip", requests)
  const read = (yield* result.conversation.entries).flatMap(({ message }) =>
    message._tag === "Results" ? message.results.map(ToolResult.toText) : []
  )
  return {
    result: result._tag,
    read,
    requests: yield* Schema.encode(Schema.Array(DeferredCall.DeferredCall))(requests)
  }
})

const failed = (error: unknown): Json.JsonObject => ({
  result: error instanceof Error && "_tag" in error ? String(error._tag) : "Failed",
  message: String(error)
})

const ended = await program.pipe(
  Effect.scoped,
  Effect.provide(FileStore.layer({ path: join(folder, "trips.db") })),
  Effect.catchAll((error) => Effect.succeed(failed(error))),
  Effect.runPromise
)
console.log(JSON.stringify(ended))
