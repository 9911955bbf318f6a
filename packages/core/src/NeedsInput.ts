/** A call that cannot go on before a question is answered. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Json from "./Json.js"

const TypeId: unique symbol = Symbol.for("@wield/core/NeedsInput")

const AnyJson = Schema.declare((value): value is Json.Json => value !== undefined, {
  identifier: "a JSON value",
  jsonSchema: { anyOf: [{}] }
})

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
 * import { CurrentCall, NeedsInput, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const book = Effect.gen(function* () {
 *   const { input } = yield* CurrentCall.CurrentCall
 *   if (input === undefined) {
 *     const accepts = { type: "object", properties: { seat: { enum: ["aisle", "window"] } }, required: ["seat"] }
 *     return yield* new NeedsInput({ asks: "Aisle or window?", accepts })
 *   }
 *   return { booked: input.reply }
 * })
 *
 * const program = Effect.gen(function* () {
 *   const runner = yield* ToolRunner.make(yield* Toolset.dynamic([{ name: "book", execute: () => book }]))
 *   const run = runner.forRun({ id: "conversation_7" })
 *   const waiting = yield* run.run(ToolCall.make("call_1", "book", {}))
 *   assert.ok(Outcome.isDeferred(waiting) && waiting.input?.asks === "Aisle or window?")
 *   return yield* run.resume(waiting, Response.reply({ seat: "aisle" }))
 * })
 * Effect.runPromise(program).then((outcome) => assert.strictEqual(Outcome.text(outcome), '{"booked":{"seat":"aisle"}}'))
 * ```
 *
 * @category errors
 */
export class NeedsInput extends Schema.TaggedError<NeedsInput>("@wield/core/NeedsInput")("NeedsInput", {
  /** What is asked, as JSON: a text, or whatever those who answer can show. */
  asks: AnyJson,
  /** The JSON Schema of a reply. Another reply is refused. */
  accepts: Schema.declare(Json.isPlain, {
    identifier: "a JSON Schema",
    jsonSchema: { type: "object" }
  }),
  /** What the handler needs to go on, as JSON. It is kept with the request, and no model sees it. */
  state: Schema.optional(AnyJson)
}) {
  override get message(): string {
    return "The call waits for input"
  }

  get [TypeId](): true {
    return true
  }

  /** Whether a value is one, also of another copy of this package. */
  static is(value: unknown): value is NeedsInput {
    return Predicate.hasProperty(value, TypeId)
  }
}
