/** A call that cannot go on before a question is answered. */
import * as Schema from "effect/Schema"

/** By which the runner knows it. */
const TypeId: unique symbol = Symbol.for("@wield/core/NeedsInput")

/**
 * A handler fails with it to ask a user, or a model. The call ends as
 * `Deferred`, which waits for `input`; a reply that fits `accepts` runs the
 * handler again, which has it as `CurrentCall.input`. It may ask again. A tool of
 * a toolkit declares it as its `failure`, or in a union with others.
 *
 * Ask before you change anything: until the reply comes, nothing says whether
 * the call will go on.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CurrentCall, NeedsInput, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
 * import { Effect } from "effect"
 *
 * const book = Effect.gen(function* () {
 *   const { input } = yield* CurrentCall.CurrentCall
 *   if (input !== undefined) return { booked: input.reply }
 *   const accepts = { type: "string", enum: ["aisle", "window"] }
 *   return yield* new NeedsInput({ asks: "Aisle or window?", accepts })
 * })
 *
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.dynamic([{ name: "book", execute: () => book }]))
 *   const run = runner.forRun({ id: "conversation_7" })
 *   const waiting = yield* run.run(ToolCall.make("call_1", "book", {}))
 *   assert.ok(Outcome.isDeferred(waiting) && waiting.input?.asks === "Aisle or window?")
 *   return yield* run.resume(waiting, Response.reply("aisle"))
 * })
 * assert.strictEqual(Outcome.text(await Effect.runPromise(program)), '{"booked":"aisle"}')
 * ```
 *
 * @category errors
 */
export class NeedsInput extends Schema.TaggedError<NeedsInput>()("NeedsInput", {
  /** What is asked, as JSON: a text, or whatever those who answer can show. */
  asks: Schema.Json,
  /** The JSON Schema of a reply. Another reply is refused. */
  accepts: Schema.Record(Schema.String, Schema.Json),
  /** What the handler needs to go on, as JSON. It is kept with the request, and no model sees it. */
  state: Schema.optionalKey(Schema.Json)
}) {
  /** @internal */
  get [TypeId](): true {
    return true
  }
}
