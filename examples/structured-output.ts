/**
 * Structured output: an agent that answers with a value of a schema, decoded and
 * checked, instead of with text. The model reads what does not fit, and
 * puts it right. The model is a script, so no key is needed.
 */
import * as assert from "node:assert/strict"
import { Agent, AgentResult } from "@wield/agent"
import { Outcome } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema, Stream } from "effect"

const Invoice = Schema.Struct({
  number: Schema.String,
  due: Schema.Date,
  lines: Schema.NonEmptyArray(Schema.Struct({ item: Schema.String, amount: Schema.Positive }))
})

const mail = "Invoice 2026-17: two mugs, 24.00. Please pay by 1 March 2026."

const program = Effect.gen(function* () {
  const model = yield* ScriptedModel.make([
    // What models do: they talk, they make mistakes, and then they obey.
    ScriptedModel.text("The invoice has the number 2026-17."),
    ScriptedModel.call("final_answer", { number: "2026-17", due: "soon", lines: [] }),
    ScriptedModel.call("final_answer", {
      number: "2026-17",
      due: "2026-03-01",
      lines: [{ item: "mug", amount: 24 }]
    })
  ])
  const agent = yield* Agent.make({
    model,
    instructions: "Read the invoice out of the mail.",
    output: Invoice,
    outputTool: { description: "Files the invoice" },
    mistakes: { total: 3 }
  })

  const events = yield* Stream.runCollect(Agent.stream(agent, mail))
  for (const event of events) {
    if (event._tag !== "TurnFinished") continue
    if (event.outcomes.length === 0) console.log("the model answers in words, and is asked to call final_answer")
    for (const outcome of event.outcomes) {
      console.log(`the model answers ${JSON.stringify(outcome.call.arguments)}`)
      if (outcome._tag === "InvalidArguments") console.log(`  it reads: ${Outcome.text(outcome)}`)
    }
  }

  const done = Array.from(events).at(-1)
  assert.ok(done?._tag === "Done")
  // The type is the schema's: `due` is a Date.
  const invoice = yield* AgentResult.output(done.result)
  console.log(`due ${invoice.due.toDateString()}: ${invoice.lines.map(({ item }) => item).join(", ")}`)
  assert.deepEqual(invoice.due, new Date("2026-03-01"))
  assert.equal(done.result.steps, 3)
})

await Effect.runPromise(program)
