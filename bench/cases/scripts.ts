/**
 * What a call of a script costs, beside starting its interpreter for each call.
 * Wall time, for most of it passes in other processes; the contenders of a
 * language take turns.
 */
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Introspection, type Script, ScriptExecutor } from "@wield/scripts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { wall } from "../harness/clock.js"
import type { Samples } from "../harness/measure.js"
import { median, orderOfRound } from "../harness/statistics.js"
import { duration, type Goal, type Group, type Measured, rowOf, timingTable } from "../harness/table.js"
import { expected, parameters, type Source, sources } from "../task/scripts/sources.js"

interface Contender {
  readonly name: string
  readonly call: () => Promise<string>
  /** Calls of a round, and before the first round; its sample is their median. */
  readonly calls: number
  /** Milliseconds between two calls: an interpreter gets ready again meanwhile, and what the processor had at hand is gone. */
  readonly pause: number
}

const rounds = 12

const measure = async (contenders: ReadonlyArray<Contender>): Promise<Samples> => {
  const samples = new Map<string, Array<number>>(contenders.map(({ name }) => [name, []]))
  for (const { call, calls, name } of contenders) {
    for (let time = 0; time < calls; time++) {
      const result = await call()
      if (result !== expected) throw new Error(`${name} comes to ${result} and not to ${expected}`)
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const { call, calls, name, pause } of orderOfRound(contenders, round)) {
      const taken: Array<number> = []
      for (let time = 0; time < calls; time++) {
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
        const started = wall()
        await call()
        taken.push(wall() - started)
      }
      samples.get(name)?.push(median(taken))
    }
  }
  return samples
}

/** The interpreter itself: a shim of a version manager would be measured with it. */
const interpreters = (): { readonly [language in Source["language"]]: ReadonlyArray<string> } => ({
  python: [spawnSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout.trim()],
  bash: ["bash"],
  javascript: [process.execPath],
  typescript: [process.execPath, "--import", createRequire(import.meta.url).resolve("tsx")]
})

const spawned = (command: ReadonlyArray<string>, file: string, isBash: boolean) => (): Promise<string> =>
  new Promise((resolve, reject) => {
    const [program = "", ...rest] = command
    const words = isBash ? [parameters.customer, ...parameters.prices.map(String)] : []
    const child = spawn(program, [...rest, file, ...words], { stdio: ["pipe", "pipe", "inherit"] })
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.on("error", reject)
    child.on("close", () => resolve(JSON.stringify(JSON.parse(output))))
    child.stdin.on("error", () => {})
    child.stdin.end(isBash ? "" : JSON.stringify(parameters))
  })

const introspected = (folder: string, source: Source): Promise<Script.Script> =>
  Effect.runPromise(Introspection.introspect({ file: join(folder, source.file), text: source.script, kind: "tool" }))

const group = (source: Source): Group => ({
  name: source.language,
  measure: async (): Promise<Measured> => {
    const folder = mkdtempSync(join(tmpdir(), "wield-bench-scripts-"))
    const scope = Effect.runSync(Scope.make())
    const within = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
      Effect.runPromise(Scope.extend(effect, scope))
    try {
      writeFileSync(join(folder, source.file), source.script)
      writeFileSync(join(folder, source.plain.file), source.plain.text)
      const script = await introspected(folder, source)
      const [total] = script.functions
      if (total === undefined) throw new Error(`${source.file} has no function`)
      const executorOf = (isolation: "worker" | "process" | "shared") =>
        within(ScriptExecutor.make({ isolation, cache: join(folder, "cache") }))
      const calling = async (isolation: "worker" | "process" | "shared") => {
        const executor = await executorOf(isolation)
        return () =>
          Effect.runPromise(Effect.map(executor.run(script, total, parameters), (value) => JSON.stringify(value)))
      }
      const warm = await executorOf("worker")
      const toolset = await Effect.runPromise(
        Toolset.dynamic([
          {
            name: total.name,
            description: total.description,
            inputSchema: total.inputSchema,
            execute: () => warm.run(script, total, parameters)
          }
        ])
      )
      const runner = await Effect.runPromise(ToolRunner.make(toolset))
      let calls = 0
      const throughRunner = async () => {
        const outcome = await Effect.runPromise(
          runner.run(ToolCall.make(`call_${++calls}`, total.name, JSON.stringify(parameters)))
        )
        return outcome._tag === "Success" ? JSON.stringify(outcome.encoded) : outcome._tag
      }
      const worker = await calling("worker")
      const plain = spawned(
        interpreters()[source.language],
        join(folder, source.plain.file),
        source.language === "bash"
      )
      const limit = `a plain ${source.language === "typescript" ? "node --import tsx" : "spawn"}`
      const shared = source.language === "bash" ? undefined : await calling("shared")
      const [warmName, sharedName] = ["worker, one after the other", "shared, one after the other"]
      const samples = await measure([
        { name: limit, call: plain, calls: 3, pause: 0 },
        { name: "process", call: await calling("process"), calls: 3, pause: 0 },
        { name: warmName, call: worker, calls: 300, pause: 0 },
        { name: "worker, 5 ms between calls", call: worker, calls: 30, pause: 5 },
        { name: "worker through ToolRunner, 5 ms between calls", call: throughRunner, calls: 30, pause: 5 },
        ...(shared === undefined
          ? []
          : [
              { name: sharedName, call: shared, calls: 300, pause: 0 },
              { name: "shared, 5 ms between calls", call: shared, calls: 30, pause: 5 }
            ])
      ])
      const table = timingTable(`a call of a script: ${source.language} (wall time)`, samples, limit)
      const goalOf = (name: string): Goal => {
        const row = rowOf(table, name)
        return {
          name: `scripts.${source.language}: ${name}, median (min ${duration(row.minimum)})`,
          goal: "0.2 ms",
          measured: duration(row.median),
          isMet: row.median <= 2e5
        }
      }
      return { tables: [table], goals: [warmName, ...(shared === undefined ? [] : [sharedName])].map(goalOf) }
    } finally {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      rmSync(folder, { recursive: true, force: true })
    }
  }
})

export const groups: ReadonlyArray<Group> = sources.map(group)
