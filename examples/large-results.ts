/**
 * Large results: beyond a bound the model is given the head of a result, its
 * size, and a handle by which it reads on with `read_result`.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const ReadLog = Tool.make("read_log", { success: Schema.Array(Schema.String) })
class Log extends Toolkit.make(ReadLog) {}
const lines = Array.from({ length: 200 }, (_, index) => `line ${index}: all is well`)
const LogLive = Log.toLayer({ read_log: () => Effect.succeed(lines) })

const Page = Schema.Struct({ text: Schema.String, next: Schema.NullOr(Schema.Number), total: Schema.Number })

const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Log), {
    resultBound: { maxBytes: 2000, headCharacters: 1500 }
  })
  console.log("Offered:", (yield* runner.definitions).map((definition) => definition.name).join(", "))

  const outcome = yield* runner.run(ToolCall.make("call_1", "read_log", {}))
  assert.ok(outcome._tag === "Success")
  const read = Outcome.text(outcome) ?? ""
  console.log("The model reads at first:", read.length, "characters, which end with")
  console.log(" ", read.split("\n").at(-1))
  const bounded = outcome.notes.find((note) => note._tag === "Bounded")
  assert.ok(bounded !== undefined && read.length < 2000)

  const head = outcome.content?.[0]
  let text = head?._tag === "Text" ? head.text : ""
  let pages = 0
  for (let offset: number | null = text.length; offset !== null; pages++) {
    const call = ToolCall.make(`page_${pages}`, "read_result", { handle: bounded.handle, offset })
    const page: Outcome.Outcome = yield* runner.run(call)
    assert.ok(page._tag === "Success")
    const decoded = yield* Schema.decodeUnknown(Page)(page.encoded)
    text += decoded.text
    offset = decoded.next
  }
  console.log(`After ${pages} more pages it has all ${text.length} characters.`)
  assert.deepEqual(JSON.parse(text), lines)
})

await Effect.runPromise(program.pipe(Effect.provide(LogLive)))
