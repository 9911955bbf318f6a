/**
 * A program that asks for approval in its middle. The first process runs an agent whose model writes the program; it is
 * killed while one of the program's calls is at work. The second goes on: what was done is not done again, what was at
 * work is uncertain, and the program asks. The third has a person's answers. All that they share is a file with the
 * conversation and the journal. The model is a script, so no key is needed.
 */
import * as assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { CodeMode } from "@wield/code-mode"
import { Approval, Journal, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

/** As a model writes it. Its types are checked before it runs. */
const code = `
const late = await tools.late_orders()
const letters = await Promise.all(
  late.map(({ order }) => tools.write_letter({ order }).catch((error: ToolError) => error.outcome))
)
const refunds = await Promise.all(
  late.map(({ order, amount }) => tools.refund({ order, amount }).catch((error: ToolError) => error.outcome))
)
return { letters, refunds }`

const order = { type: "string" } as const
const amount = { type: "number" } as const
const orders = [
  { order: "A1", amount: 20 },
  { order: "B2", amount: 90 }
]

/** What they do are lines of a file, so that all processes see it. */
const shopIn = (folder: string, isKilled: boolean) => {
  const did = (line: string) => Effect.sync(() => appendFileSync(join(folder, "done.txt"), `${line}\n`))
  return Toolset.dynamic([
    {
      name: "late_orders",
      outputSchema: {
        type: "array",
        items: { type: "object", properties: { order, amount }, required: ["order", "amount"] }
      },
      execute: () => Effect.succeed(orders)
    },
    {
      name: "write_letter",
      inputSchema: { type: "object", properties: { order }, required: ["order"] },
      execute: ({ order }) =>
        Effect.gen(function* () {
          // The machine loses its power while the second letter is written.
          if (isKilled && order === "B2") {
            yield* Effect.sleep("300 millis")
            process.kill(process.pid, "SIGKILL")
          }
          yield* did(`a letter for ${String(order)}`)
          return "written"
        })
    },
    {
      name: "refund",
      inputSchema: { type: "object", properties: { order, amount }, required: ["order", "amount"] },
      execute: ({ amount, order }) => Effect.as(did(`${String(amount)} for ${String(order)}`), "refunded")
    }
  ])
}

const Requests = Schema.parseJson(Schema.Array(DeferredCall.DeferredCall))

const work = (part: string, folder: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    const toolset = yield* CodeMode.make(yield* shopIn(folder, part === "begin"), {
      policy: { journal, approval: ({ name }) => (name === "refund" ? Approval.ask("it moves money") : Approval.allow) }
    })
    const written = ScriptedModel.call("run_program", { code })
    const model = yield* ScriptedModel.make(part === "begin" ? [written] : [ScriptedModel.text("A1 is refunded.")])
    const agent = yield* Agent.make({ model, toolset, policy: { journal } })
    const store = yield* ConversationStore.ConversationStore
    const conversation = yield* store.openOrCreate("late orders")
    const requests = join(folder, "requests.json")
    if (part === "begin") {
      yield* Agent.run(agent, { conversation, prompt: "Write to those whose orders are late, and refund them." })
    } else if (part === "go on") {
      const result = yield* Agent.run(agent, { conversation })
      assert.ok(result._tag === "Paused")
      for (const request of result.requests) console.log(`waits: ${JSON.stringify(request.arguments)}, ${request.why}`)
      writeFileSync(requests, yield* Schema.encode(Requests)(result.requests))
    } else {
      const asked = yield* Schema.decode(Requests)(readFileSync(requests, "utf8"))
      const answers = asked.map((request) =>
        request.arguments["order"] === "A1" ? DeferredCall.approve(request) : DeferredCall.deny(request, "too much")
      )
      const result = yield* Agent.run(agent, { conversation, answers })
      console.log(result.text)
      const [program] = result.entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      console.log("the program's result:", program?.structured)
      assert.deepEqual(program?.structured, { letters: ["written", "Uncertain"], refunds: ["refunded", "Denied"] })
    }
  })

const [part, folder] = process.argv.slice(2)
if (part !== undefined && folder !== undefined) {
  const layer = FileStore.layer({ path: join(folder, "shop.db") })
  await Effect.runPromise(Effect.scoped(Effect.provide(work(part, folder), layer)))
} else {
  const here = mkdtempSync(join(tmpdir(), "code-mode-"))
  for (const which of ["begin", "go on", "answer"]) {
    console.log(`\n${which}:`)
    const { signal, status } = spawnSync(process.execPath, [...process.execArgv, process.argv[1]!, which, here], {
      stdio: "inherit"
    })
    if (which === "begin") assert.ok(signal !== null || status !== 0)
    else assert.equal(status, 0)
  }
  const done = readFileSync(join(here, "done.txt"), "utf8")
  console.log(`\ndone:\n${done}`)
  assert.equal(done, "a letter for A1\n20 for A1\n")
  rmSync(here, { recursive: true, force: true })
}
