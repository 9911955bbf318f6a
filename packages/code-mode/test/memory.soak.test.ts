/** What hostile programs leave behind in the process that has run them. */
import { expect, it } from "@effect/vitest"
import { CodeMode, ProgramThreads } from "@wield/code-mode"
import { ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

const mebi = 1_048_576

/** Each fills the memory that it may have, or its thread has to be ended. */
const programs = [
  "const a = []\nfor (;;) a.push(new Array(1000).fill(1))",
  "const a = []\nfor (;;) { try { a.push('x'.repeat(1e5) + a.length) } catch {} }",
  "for (;;) 'a'.repeat(4e6).replaceAll('a', 'bc')",
  "return await Promise.all(Array.from({ length: 90 }, () => tools.huge()))",
  "const f = (): any => f() + 1\nreturn f()",
  "const all: Array<unknown> = []\nfor (;;) all.push(tools.huge().then((one) => all.push(one)))",
  "return 'x'.repeat(4e6)"
]

interface Memory {
  readonly held: number
  readonly resident: number
}

/** The memory of this process in MiB, once it is as asked: what ends with a thread is given back a little later. */
const memory = (isEnough: (memory: Memory) => boolean) =>
  Effect.promise(async () => {
    for (let tries = 1; ; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 500))
      collectGarbage()
      const { arrayBuffers, external, heapUsed, rss } = process.memoryUsage()
      const memory: Memory = { held: (heapUsed + external + arrayBuffers) / mebi, resident: rss / mebi }
      if (isEnough(memory) || tries === 60) return memory
    }
  })

const hung = "for (let n = 0; n < 20; n++) await tools.huge()\nawait tools.hang()"

it.scopedLive("memory returns after hostile programs", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "huge", execute: () => Effect.succeed("x".repeat(100_000)) },
      { name: "hang", execute: () => Effect.never }
    ])
    const programsOf = yield* CodeMode.make(toolset, {
      limits: { time: "300 millis", memory: 32 * mebi, calls: 100, outputBytes: mebi }
    })
    const runner = yield* ToolRunner.make(programsOf)
    const stopped = (round: number) =>
      Effect.timeout(runner.run(ToolCall.make(`${round}:hung`, "run_program", { code: hung })), "500 millis").pipe(
        Effect.ignore
      )
    const run = (times: number) =>
      Effect.forEach(
        Array.from({ length: times }, (_, round) => round),
        (round) =>
          Effect.zipRight(
            Effect.forEach(programs, (code, place) =>
              runner.run(ToolCall.make(`${round}:${place}`, "run_program", { code }))
            ),
            stopped(round)
          ),
        { discard: true }
      )
    // What a runner keeps of calls has a bound, and the allocator keeps some room for the next threads. On a busy machine
    // programs end sooner, and the bound is reached later.
    yield* run(4)
    let before = yield* memory(() => true)
    for (let more = Infinity; more > 8;) {
      yield* run(4)
      const next = yield* memory(() => true)
      more = next.held - before.held
      before = next
    }
    yield* run(15)
    const after = yield* memory(({ held, resident }) => held - before.held < 32 && resident - before.resident < 256)
    // These programs were given 130 MiB of results, and their threads had 32 MiB each.
    expect(after.held - before.held).toBeLessThan(32)
    expect(after.resident - before.resident).toBeLessThan(256)
  }).pipe(Effect.provide(ProgramThreads.layer))
)
