/** Journaled calls in a file: how many there are in a second, and for how long they hold up the event loop. */
import { Journal, ToolCall } from "@wield/core"
import * as FileStore from "@wield/agent/FileStore"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { now } from "../harness/clock.js"
import { median } from "../harness/statistics.js"
import type { Group, Measured } from "../harness/table.js"
import { makeRunner, textOf } from "../peers/wield.js"
import { small, toolName } from "../task/orders.js"

type Runner = ReturnType<typeof makeRunner>

interface Way {
  readonly name: string
  readonly run: (runner: Runner, calls: ReadonlyArray<ToolCall.ToolCall>) => Effect.Effect<unknown, unknown>
}

/** Not all: to start 20,000 fibers takes Effect itself more than half a second, in which no timer fires. */
const fibers = 500

const ways: ReadonlyArray<Way> = [
  {
    name: "one batch",
    run: (runner, calls) => Effect.map(runner.forRun({}).runAll(calls), (outcomes) => outcomes.map(textOf))
  },
  {
    name: `each in a run and a fiber of its own, ${fibers} at once`,
    run: (runner, calls) =>
      Effect.forEach(calls, (call) => Effect.map(runner.forRun({}).run(call), textOf), {
        concurrency: fibers,
        discard: true
      })
  }
]

/** Milliseconds. */
interface Sample {
  readonly wall: number
  readonly processor: number
  /** The most processor time between two ticks of a timer, so that what else the machine does is not counted. */
  readonly stall: number
}

const sampleOf = async (runner: Runner, way: Way, count: number): Promise<Sample> => {
  const calls = Array.from({ length: count }, (_, index) => ToolCall.make(`call_${index}`, toolName, small.arguments))
  globalThis.gc?.()
  let stall = 0
  let tick = now()
  const timer = setInterval(() => {
    const at = now()
    stall = Math.max(stall, at - tick)
    tick = at
  }, 1)
  const started = performance.now()
  const busy = now()
  await Effect.runPromise(way.run(runner, calls))
  const wall = performance.now() - started
  const processor = now() - busy
  clearInterval(timer)
  return { wall, processor: processor / 1e6, stall: Math.max(stall, now() - tick) / 1e6 }
}

const rounds = 7

const measure = (synchronous: "normal" | "full", goal: number, count: number) => async (): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "wield-bench-"))
  const scope = Effect.runSync(Scope.make())
  try {
    const context = await Effect.runPromise(
      Layer.buildWithScope(FileStore.layer({ path: join(folder, "journal.db"), synchronous }), scope)
    )
    const journal = Context.get(context, Journal.Journal)
    const runner = makeRunner((parameters) => Effect.succeed(small.handle(parameters)), { journal })
    const rows: Array<{ readonly way: Way; readonly samples: Array<Sample> }> = ways.map((way) => ({
      way,
      samples: []
    }))
    for (const { way } of rows) await sampleOf(runner, way, Math.ceil(count / 4))
    for (let round = 0; round < rounds; round++) {
      for (const { samples, way } of rows) samples.push(await sampleOf(runner, way, count))
    }
    const perSecond = (milliseconds: number): number => Math.round((count / milliseconds) * 1000)
    const figures = rows.map(({ samples, way }) => ({
      name: way.name,
      best: perSecond(Math.min(...samples.map(({ wall }) => wall))),
      usual: perSecond(median(samples.map(({ wall }) => wall))),
      processor: perSecond(Math.min(...samples.map(({ processor }) => processor))),
      stall: Math.min(...samples.map(({ stall }) => stall)),
      usualStall: median(samples.map(({ stall }) => stall)),
      worstStall: Math.max(...samples.map(({ stall }) => stall))
    }))
    return {
      tables: [
        {
          _tag: "Figures",
          title: `${count.toLocaleString("en")} calls at once in a file, synchronous=${synchronous}`,
          columns: [
            "calls",
            "calls/s, best",
            "median",
            "by processor time, best",
            "longest stall of the event loop in ms of processor time, best",
            "median",
            "worst"
          ],
          rows: figures.map(({ best, name, processor, stall, usual, usualStall, worstStall }) => [
            name,
            best,
            usual,
            processor,
            stall.toFixed(1),
            usualStall.toFixed(1),
            worstStall.toFixed(1)
          ])
        }
      ],
      goals: [
        {
          name: `journal in a file, synchronous=${synchronous}`,
          goal: `≥ ${goal.toLocaleString("en")} calls/s, no stall over 50 ms`,
          measured: figures
            .map(
              ({ best, name, processor, usualStall }) =>
                `${name} ${best} calls/s, by processor time ${processor}, ${usualStall.toFixed(0)} ms`
            )
            .join("; "),
          // What `full` waits for is the disk, whose time is no processor time.
          isMet: figures.every(
            ({ best, processor, usualStall }) => (synchronous === "full" ? best : processor) >= goal && usualStall <= 50
          )
        }
      ]
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  }
}

export const groups: ReadonlyArray<Group> = [
  { name: "normal", measure: measure("normal", 10_000, 20_000) },
  { name: "full", measure: measure("full", 1_000, 20_000) }
]
