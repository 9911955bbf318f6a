/**
 * Dynamic tools: known at run time only, by name and JSON Schema. They can be
 * added, altered and removed while they are in use, and each change is announced.
 */
import * as assert from "node:assert/strict"
import { type Json, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Chunk, Effect, Fiber, Stream } from "effect"

const oneNumber: Json.JsonSchema = {
  type: "object",
  properties: { value: { type: "number", minimum: 0 } },
  required: ["value"]
}

const root: Toolset.DynamicTool = {
  name: "square_root",
  description: "The square root of a number",
  inputSchema: oneNumber,
  execute: ({ value }) => Effect.succeed(Math.sqrt(Number(value)))
}

const program = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([])
  const runner = yield* ToolRunner.make(toolset)
  const announced = yield* Effect.fork(Stream.runCollect(Stream.take(toolset.changes, 3)))
  // Changes come from the moment a fiber listens; let it begin.
  yield* Effect.sleep("20 millis")

  yield* toolset.put(root)
  const good = yield* runner.run(ToolCall.make("call_1", "square_root", '{"value":9}'))
  assert.ok(good._tag === "Success")
  console.log("Added, then called:  ", good.encoded)
  assert.equal(good.encoded, 3)

  const bad = yield* runner.run(ToolCall.make("call_2", "square_root", '{"value":-9}'))
  assert.ok(bad._tag === "InvalidArguments")
  console.log("Called wrongly:      ", Outcome.text(bad)?.split("\n").at(-1))
  assert.deepEqual(bad.issues[0]?.path, ["value"])

  yield* toolset.put({ ...root, description: "The non-negative square root of a number" })
  yield* toolset.remove("square_root")
  const gone = yield* runner.run(ToolCall.make("call_3", "square_root", '{"value":9}'))
  console.log("Removed, then called:", gone._tag)
  assert.equal(gone._tag, "UnknownTool")

  const changes = Chunk.toReadonlyArray(yield* Fiber.join(announced))
  for (const change of changes) console.log("Announced:           ", JSON.stringify(change))
  assert.deepEqual(changes, [
    { added: ["square_root"], removed: [], altered: [] },
    { added: [], removed: [], altered: ["square_root"] },
    { added: [], removed: ["square_root"], altered: [] }
  ])
})

await Effect.runPromise(program)
