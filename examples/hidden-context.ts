/**
 * Hidden context: the application says whose notes are read. The model neither
 * sees the parameter nor can set it.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { CallContext, Hidden, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const ReadNotes = Tool.make("read_notes", {
  description: "The user's notes about a subject",
  parameters: { userId: Schema.String, subject: Schema.String },
  success: Schema.String
}).pipe(Hidden.fields("userId"))

class Notes extends Toolkit.make(ReadNotes) {}
const NotesLive = Notes.toLayer({
  read_notes: ({ subject, userId }) => Effect.succeed(`${userId} wrote about ${subject}`)
})

const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Notes))

  const [definition] = yield* runner.definitions
  console.log("The model is shown:    ", JSON.stringify(definition?.inputSchema))
  assert.ok(!JSON.stringify(definition).includes("userId"))

  const forged = ToolCall.make("call_1", "read_notes", { subject: "tea", userId: "grace" })
  const outcome = yield* runner.forRun({ context: { userId: "ada" } }).run(forged)
  assert.ok(outcome._tag === "Success")
  console.log("It tried userId grace: ", outcome.result)
  assert.equal(outcome.result, "ada wrote about tea")
  assert.deepEqual(outcome.notes, [{ _tag: "Stripped", field: "userId" }])

  // @ts-expect-error A run whose context is incomplete does not compile.
  runner.forRun({ context: {} })

  // A call outside of any run requires what `CallContext.provide` gives. A value that does not fit its schema
  // is the program's mistake, not the model's: the program's log says so too.
  const forgotten = yield* runner.run(forged).pipe(CallContext.provide({ userId: undefined }))
  assert.ok(forgotten._tag === "MissingContext")
  console.log(
    "Without a call context:",
    forgotten._tag,
    forgotten.issues.map((issue) => issue.path.join(".")).join(", ")
  )
  assert.deepEqual(forgotten.issues[0]?.path, ["userId"])
})

await Effect.runPromise(program.pipe(Effect.provide(NotesLive)))
