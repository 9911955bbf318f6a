/**
 * Approvals: the policy asks a person, the call waits without having run, and
 * the person's answer goes on with it.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Approval, type Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const SendMail = Tool.make("send_mail", {
  parameters: { to: Schema.String, text: Schema.String },
  success: Schema.String
})

const Mail = Toolkit.make(SendMail)
const sent: Array<string> = []
const MailLive = Mail.toLayer({
  send_mail: ({ to }) =>
    Effect.sync(() => {
      sent.push(to)
      return `sent to ${to}`
    })
})

const isDeferred = (outcome: Outcome.Outcome): outcome is Outcome.Deferred => outcome._tag === "Deferred"

const program = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Mail), {
    approval: {
      send_mail: ({ parameters: { to } }) =>
        to.endsWith("@shop.example") ? Approval.allow : Approval.ask(`${to} is outside of the shop`)
    }
  })

  const outcomes = yield* runner.runAll([
    ToolCall.make("call_1", "send_mail", { to: "ada@shop.example", text: "Hello" }),
    ToolCall.make("call_2", "send_mail", { to: "bob@away.example", text: "Hello" }),
    ToolCall.make("call_3", "send_mail", { to: "eve@away.example", text: "Hello" })
  ])
  for (const outcome of outcomes) console.log(outcome.id, outcome._tag, isDeferred(outcome) ? outcome.why : "")
  assert.deepEqual(
    outcomes.map((outcome) => outcome._tag),
    ["Success", "Deferred", "Deferred"]
  )
  assert.deepEqual(sent, ["ada@shop.example"])

  const [bob, eve] = outcomes.filter(isDeferred)
  assert.ok(bob !== undefined && eve !== undefined)
  const approved = yield* runner.resume(bob, { _tag: "Approve" })
  const denied = yield* runner.resume(eve, { _tag: "Deny", reason: "we do not know her" })
  console.log(approved.id, approved._tag)
  console.log(denied.id, denied._tag, denied._tag === "Denied" ? denied.reason : "")
  assert.equal(approved._tag, "Success")
  assert.equal(denied._tag, "Denied")
  assert.deepEqual(sent, ["ada@shop.example", "bob@away.example"])

  // An answer holds for the call that was asked about, not for one that was changed since.
  const changed = { ...bob, call: ToolCall.make("call_2", "send_mail", { to: "eve@away.example", text: "Hello" }) }
  const refused = yield* runner.resume(changed, { _tag: "Approve" })
  console.log("approved, then changed:", refused._tag)
  assert.equal(refused._tag, "Denied")
  assert.equal(sent.length, 2)
})

await Effect.runPromise(program.pipe(Effect.provide(MailLive)))
