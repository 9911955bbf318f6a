/**
 * Toolsets combined: two toolkits that share a tool name stand beside each
 * other, and each request is offered what it may use.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const parameters = { query: Schema.String }
class Library extends Toolkit.make(
  Tool.make("search", { description: "Searches the books", parameters, success: Schema.String }),
  Tool.make("burn", { description: "Burns a book", parameters, success: Schema.String })
) {}
class Archive extends Toolkit.make(
  Tool.make("search", { description: "Searches the letters", parameters, success: Schema.String }),
  Tool.make("delete", { description: "Deletes a letter", parameters, success: Schema.String })
) {}

const LibraryLive = Library.toLayer({
  search: ({ query }) => Effect.succeed(`a book about ${query}`),
  burn: () => Effect.dieMessage("this tool is not selected")
})
const ArchiveLive = Archive.toLayer({
  search: ({ query }) => Effect.succeed(`a letter about ${query}`),
  delete: ({ query }) => Effect.succeed(`deleted ${query}`)
})

const program = Effect.gen(function* () {
  // What is not selected does not exist; what is filtered out exists, but not for this request.
  const library = (yield* Toolset.fromLayer(Library, LibraryLive)).pipe(Toolset.select("search"))
  const archive = (yield* Toolset.fromLayer(Archive, ArchiveLive)).pipe(
    Toolset.prefix("archive_"),
    Toolset.filter((definition, context) => definition.name !== "archive_delete" || context["isArchivist"] === true)
  )
  const runner = yield* ToolRunner.make(Toolset.combine(library, archive))

  const visitor = runner.forRun({ context: { isArchivist: false } })
  const archivist = runner.forRun({ context: { isArchivist: true } })

  const offered = (yield* visitor.definitions).map((definition) => definition.name)
  console.log("A visitor is offered:    ", offered.join(", "))
  assert.deepEqual(offered, ["search", "archive_search"])
  const more = (yield* archivist.definitions).map((definition) => definition.name)
  console.log("An archivist is offered: ", more.join(", "))
  assert.deepEqual(more, ["search", "archive_search", "archive_delete"])

  const results = [
    yield* visitor.call("search", { query: "tea" }),
    yield* visitor.call("archive_search", { query: "tea" })
  ]
  console.log("Each keeps its handler:  ", results.join("; "))
  assert.deepEqual(results, ["a book about tea", "a letter about tea"])

  const calls = ["archive_delete", "burn"].map((name) => ToolCall.make(name, name, { query: "tea" }))
  const outcomes = (yield* visitor.runAll(calls)).map((outcome) => outcome._tag)
  console.log("A visitor calls the rest:", outcomes.join(", "))
  assert.deepEqual(outcomes, ["Unavailable", "UnknownTool"])
})

await Effect.runPromise(Effect.scoped(program))
