/**
 * The journal: a run that is repeated under its id, as after a crash, is given
 * what was already done. Nothing runs twice.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { CurrentCall, Journal, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Option, Schema } from "effect"

const Pay = Tool.make("pay", { parameters: { amount: Schema.Number }, success: Schema.String })
class Bank extends Toolkit.make(Pay) {}

const paid: Array<number> = []
const BankLive = Bank.toLayer({
  pay: ({ amount }) =>
    Effect.gen(function* () {
      const { idempotencyKey } = yield* CurrentCall.CurrentCall
      paid.push(amount)
      // The bank does not answer where it is about much.
      if (amount > 1000) return yield* Effect.never
      return `paid ${amount} as ${idempotencyKey.slice(0, 8)}`
    })
})

const calls = [ToolCall.make("call_1", "pay", { amount: 10 }), ToolCall.make("call_2", "pay", { amount: 20 })]

/** A runner of its own each time, as in a process that was started again; the journal is what they share. */
const attempt = (journal: Journal.Service) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Bank), { journal })
    const outcomes = yield* runner.forRun({ id: "order_7" }).runAll(calls)
    for (const outcome of outcomes) {
      console.log(" ", Outcome.text(outcome), ...outcome.notes.map((note) => note._tag))
    }
    return outcomes
  })

const program = Effect.gen(function* () {
  const journal = yield* Journal.memory
  console.log("The first time:")
  const first = yield* attempt(journal)
  console.log("The same run again:")
  const second = yield* attempt(journal)

  assert.deepEqual(paid, [10, 20])
  assert.deepEqual(
    second.map((outcome) => Outcome.text(outcome)),
    first.map((outcome) => Outcome.text(outcome))
  )
  assert.ok(second.every((outcome) => outcome.notes.some((note) => note._tag === "Replayed")))

  console.log("The same id in the next turn, from a server that counts from the start in every turn:")
  const restarted = yield* ToolRunner.make(yield* Toolset.fromToolkit(Bank), { journal })
  const order = restarted.forRun({ id: "order_9" })
  const turns = yield* Effect.forEach(["turn_1", "turn_2", "turn_2"], (turn) =>
    order.forRun({ turn }).run(ToolCall.make("call_0", "pay", { amount: 5 }))
  )
  for (const outcome of turns) console.log(" ", Outcome.text(outcome), ...outcome.notes.map((note) => note._tag))
  assert.deepEqual(paid, [10, 20, 5, 5])

  console.log("A payment that is interrupted, then made again under the same run:")
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Bank), { journal })
  const large = runner.forRun({ id: "order_8" }).run(ToolCall.make("call_1", "pay", { amount: 2000 }))
  assert.ok(Option.isNone(yield* Effect.timeoutOption(large, "50 millis")))
  const uncertain = yield* large
  console.log(" ", uncertain._tag)
  console.log("  The model reads:", Outcome.text(uncertain))
  assert.equal(uncertain._tag, "Uncertain")
  assert.deepEqual(paid, [10, 20, 5, 5, 2000])
})

await Effect.runPromise(program.pipe(Effect.provide(BankLive)))
