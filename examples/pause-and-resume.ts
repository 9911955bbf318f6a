/**
 * Pause in one process, resume in another. The first runs an agent until it has
 * to ask, writes the requests down as JSON and ends. The second reads a person's
 * answers and goes on. All that they share is a file with the conversation and
 * the journal. The model is a script, so no key is needed.
 */
import * as assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Approval, Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Config, Effect, Layer, Schema } from "effect"

const { call, text, turn } = ScriptedModel

class Bank extends Toolkit.make(
  Tool.make("pay", { parameters: { to: Schema.String, amount: Schema.Number }, success: Schema.String })
) {}
/** Every payment is a line of a file, so that both processes see what was paid. */
const bankIn = (file: string) =>
  Bank.toLayer({
    pay: ({ amount, to }) =>
      Effect.as(
        Effect.sync(() => appendFileSync(file, `${amount} to ${to}\n`)),
        "paid"
      )
  })

/** Both processes make the same agent; each model plays its part of the script. */
const agentOf = (script: ReadonlyArray<ScriptedModel.Part | ScriptedModel.ScriptedTurn>) =>
  Effect.gen(function* () {
    return yield* Agent.make({
      model: yield* ScriptedModel.make(script),
      toolset: yield* Toolset.fromToolkit(Bank),
      policy: {
        journal: yield* Journal.Journal,
        approval: {
          pay: ({ parameters }) => (parameters.amount > 100 ? Approval.ask("a payment over 100") : Approval.allow)
        }
      },
      // The requests leave the program: what comes back is checked to be what was given out.
      signing: { secrets: [yield* Config.redacted("SIGNING_SECRET")], timeToLive: "1 day" }
    })
  })

const Requests = Schema.parseJson(Schema.Array(DeferredCall.DeferredCall))
const Answers = Schema.parseJson(Schema.Array(DeferredCall.Answer))

const pause = (folder: string) =>
  Effect.gen(function* () {
    const agent = yield* agentOf([
      turn(
        call("pay", { to: "Ada", amount: 40 }),
        call("pay", { to: "Bob", amount: 400 }),
        call("pay", { to: "Eve", amount: 4000 })
      )
    ])
    const conversation = yield* (yield* ConversationStore.ConversationStore).create({ id: "wages" })
    const result = yield* Agent.run(agent, { conversation, prompt: "Pay the wages." })
    assert.ok(result._tag === "Paused")
    for (const request of result.requests) console.log(`waits: ${JSON.stringify(request.arguments)}, ${request.why}`)
    writeFileSync(join(folder, "requests.json"), yield* Schema.encode(Requests)(result.requests))
  })

const resume = (folder: string) =>
  Effect.gen(function* () {
    const agent = yield* agentOf([text("Ada and Bob are paid; Eve is not.")])
    const conversation = yield* (yield* ConversationStore.ConversationStore).open("wages")
    const answers = yield* Schema.decode(Answers)(readFileSync(join(folder, "answers.json"), "utf8"))
    const result = yield* Agent.run(agent, { conversation, answers })
    console.log(result.text)
    // Sent again, as when a page is loaded twice, it changes nothing.
    console.log(`the same answers again: ${(yield* Agent.run(agent, { conversation, answers })).text}`)
  })

const [part, folder] = process.argv.slice(2)
if (part !== undefined && folder !== undefined) {
  const layers = Layer.merge(FileStore.layer({ path: join(folder, "wages.db") }), bankIn(join(folder, "payments.txt")))
  if (part === "pause") await Effect.runPromise(Effect.provide(pause(folder), layers))
  else await Effect.runPromise(Effect.provide(resume(folder), layers))
} else {
  const here = mkdtempSync(join(tmpdir(), "pause-and-resume-"))
  const run = (which: string) => {
    console.log(`\n${which}:`)
    const { status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1]!, which, here], {
      stdio: "inherit",
      env: { ...process.env, SIGNING_SECRET: "kept by the server, of 32 bytes or more" }
    })
    assert.equal(status, 0)
  }

  run("pause")
  // A person, hours later, somewhere else: yes to Bob, in part; no to Eve.
  const requests = Schema.decodeSync(Requests)(readFileSync(join(here, "requests.json"), "utf8"))
  const answers = requests.map((request) =>
    request.arguments["to"] === "Bob"
      ? DeferredCall.approveWith(request, { to: "Bob", amount: 350 })
      : DeferredCall.deny(request, "she has left")
  )
  writeFileSync(join(here, "answers.json"), Schema.encodeSync(Answers)(answers))
  run("resume")

  const payments = readFileSync(join(here, "payments.txt"), "utf8")
  console.log(`\npaid:\n${payments}`)
  assert.equal(payments, "40 to Ada\n350 to Bob\n")
}
