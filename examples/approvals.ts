/**
 * Approvals: the policy asks a person, the call waits without having run, and
 * the person's answer goes on with it: yes, no, or yes with other arguments.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Approval, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const SendMail = Tool.make("send_mail", {
  parameters: { to: Schema.String, text: Schema.String },
  success: Schema.String
})

class Mail extends Toolkit.make(SendMail) {}
const sent: Array<string> = []
const MailLive = Mail.toLayer({
  send_mail: ({ to }) =>
    Effect.sync(() => {
      sent.push(to)
      return `sent to ${to}`
    })
})

const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Mail), {
    approval: {
      send_mail: ({ parameters: { to } }) =>
        to.endsWith("@shop.example") ? Approval.allow : Approval.ask(`${to} is outside of the shop`)
    }
  })

  const run = runner.forRun({ id: "conversation_7" })

  const outcomes = yield* run.runAll([
    ToolCall.make("call_1", "send_mail", { to: "ada@shop.example", text: "Hello" }),
    ToolCall.make("call_2", "send_mail", { to: "bob@away.example", text: "Hello" }),
    ToolCall.make("call_3", "send_mail", { to: "eve@away.example", text: "Hello" })
  ])
  for (const outcome of outcomes) {
    console.log(outcome.id, outcome._tag, Outcome.isDeferred(outcome) ? outcome.why : Outcome.text(outcome))
  }
  assert.deepEqual(
    outcomes.map((outcome) => outcome._tag),
    ["Success", "Deferred", "Deferred"]
  )
  assert.deepEqual(sent, ["ada@shop.example"])

  console.log("A person answers:")
  const answered = yield* run.resumeAll(outcomes, ({ arguments: { to } }) =>
    to === "bob@away.example" ? Response.approve : Response.deny("we do not know her")
  )
  for (const outcome of answered) console.log(outcome.id, outcome._tag, Outcome.text(outcome))
  assert.deepEqual(
    answered.map((outcome) => outcome._tag),
    ["Success", "Success", "Denied"]
  )
  assert.deepEqual(sent, ["ada@shop.example", "bob@away.example"])

  // What was denied stays denied, also if it is approved later.
  const eve = outcomes.filter(Outcome.isDeferred)[1]
  assert.ok(eve !== undefined)
  const late = yield* run.resume(eve, Response.approve)
  console.log("denied, then approved:", late._tag, late.notes)
  assert.equal(late._tag, "Denied")

  // A person may put other arguments in place of the model's; the model reads so.
  const asked = yield* run.run(ToolCall.make("call_4", "send_mail", { to: "kim@away.example", text: "Hey you" }))
  assert.ok(Outcome.isDeferred(asked))
  const polite = Response.approveWith({ to: "kim@away.example", text: "Dear Kim" })
  yield* run.check(asked, polite)
  const edited = yield* run.resume(asked, polite)
  console.log("approved with other arguments:", Outcome.text(edited))
  assert.deepEqual(edited.notes, [{ _tag: "Edited", arguments: { to: "kim@away.example", text: "Dear Kim" } }])

  // An answer that comes twice, as when a button is pressed twice, sends nothing twice.
  const [bob] = outcomes.filter(Outcome.isDeferred)
  assert.ok(bob !== undefined)
  const again = yield* run.resume(bob, Response.approve)
  console.log("approved again:", again._tag, again.notes)
  assert.deepEqual(again.notes, [{ _tag: "Replayed" }])

  // An answer holds for the call that was asked about, not for one that was changed since.
  const changed = { ...bob, call: ToolCall.make("call_2", "send_mail", { to: "eve@away.example", text: "Hello" }) }
  const refused = yield* Effect.flip(run.resume(changed, Response.approve))
  console.log("approved, then changed:", refused._tag)
  assert.equal(refused._tag, "StaleResponse")
  assert.equal(sent.length, 3)
})

await Effect.runPromise(program.pipe(Effect.provide(MailLive)))
