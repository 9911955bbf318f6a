/**
 * A process that runs a program over journals on disk, answers what it asks, and kills itself when each run has come to
 * its place: `child.ts <config as JSON>`. Its lines are how the runs ended that passed fewer.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import { DeferredCall, WithinCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { CodeMode } from "@wield/code-mode"
import { Approval, Journal, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { appendFileSync, writeSync } from "node:fs"
import { lazyClient } from "../../../../test/postgres/lazyClient.js"
import { program, type ChildConfig, type Ended, type Run } from "./program.js"

const config: ChildConfig = JSON.parse(process.argv[2] ?? "")

/** Runs that have not ended, and have not come to their place. */
let going = config.runs.length
let hasStopped = false
const rest = (isStopped: boolean): void => {
  hasStopped ||= isStopped
  if (--going === 0 && hasStopped) process.kill(process.pid, "SIGKILL")
}

/** Heard once for all: a run may come to wait when it has been said. */
const go = config.isWaiting === true ? once(process.stdin, "data") : undefined

const inputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const

const runProgram = ({ effects, stop }: Run, place: number) =>
  Effect.gen(function* () {
    let passed = 0
    let checked = 0
    /** No handler and no write of this run comes after it. */
    const pass = Effect.suspend(() => {
      if (++passed === stop) rest(true)
      return stop > 0 && passed >= stop ? Effect.never : Effect.void
    })
    const around = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.zipLeft(Effect.zipRight(pass, effect), pass)
    const stoppable = (journal: Journal.Service): Journal.Service => ({
      ...journal,
      begin: (key, tool) => around(journal.begin(key, tool)),
      finish: (key, ending) =>
        Effect.tap(around(journal.finish(key, ending)), () => {
          if (key.call.endsWith(":head")) checked = passed
        })
    })
    const execute: Toolset.DynamicTool["execute"] = ({ n }) =>
      Effect.gen(function* () {
        // Calls end in another order than they begin.
        yield* Effect.sleep(`${(Number(n) * 7) % 5} millis`)
        yield* pass
        appendFileSync(effects, `${String(n)}\n`)
        yield* pass
        return Number(n) * 10
      })
    const journal = stoppable(yield* Journal.Journal)
    const tools = yield* Toolset.dynamic([
      { name: "note", inputSchema, execute },
      { name: "pay", inputSchema, execute }
    ])
    const toolset = yield* CodeMode.make(tools, {
      policy: { journal, approval: ({ name }) => (name === "pay" ? Approval.ask("it costs") : Approval.allow) }
    })
    const run = (yield* ToolRunner.make(toolset, { journal })).forRun({ id: "run", isRecovered: true })
    const call = ToolCall.make("p", "run_program", { code: program })
    if (go !== undefined) {
      writeSync(1, "ready\n")
      yield* Effect.promise(() => go)
    }
    let outcome = yield* run.run(call)
    while (Outcome.isDeferred(outcome) && config.isAsking !== true) {
      const deferred = (yield* run.asks(call)) ?? outcome
      const [first, ...others] = (WithinCall.requestsIn(deferred) ?? []).map((request) =>
        request.arguments.n === 4 ? DeferredCall.deny(request, "no") : DeferredCall.approve(request)
      )
      // One after the other, the last one first, and each twice.
      const answer = others.at(-1) ?? first
      const reply = answer === undefined ? undefined : yield* WithinCall.replyTo(deferred, [answer, answer])
      outcome = reply === undefined ? yield* run.run(call) : yield* run.resume(deferred, reply)
    }
    const sql = yield* SqlClient
    const open = yield* sql<{ readonly tool: string }>`
      SELECT tool FROM wield_calls WHERE tool IN ('note', 'pay') AND state <> 'finished'`
    const ended: Ended = {
      place,
      result: outcome._tag === "Success" ? outcome.result : Outcome.text(outcome),
      open: open.length,
      passed,
      checked
    }
    writeSync(1, `${JSON.stringify(ended)}\n`)
    rest(false)
  })

const clientOf = (journal: Run["journal"]): Layer.Layer<SqlClient, unknown> =>
  journal._tag === "File"
    ? FileStore.layerClient({ path: journal.path, synchronous: "normal" })
    : lazyClient({ url: Redacted.make(journal.url) })

const main = Effect.forEach(
  config.runs,
  (run, place) =>
    Effect.scoped(
      Effect.provide(runProgram(run, place), Layer.provideMerge(Layer.fresh(SqlJournal.layer), clientOf(run.journal)))
    ),
  { concurrency: "unbounded" }
)

await Effect.runPromise(main)
