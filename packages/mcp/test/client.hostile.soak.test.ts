/** Servers that speak noise, die at any moment, or are left behind by a killed host. */
import { assert, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { ProcessTable } from "@wield/process"
import { Cause, Effect, Exit, Fiber, Option, Stream } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { bundleOf } from "../../../test/programs.js"

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-soak-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** In MiB, of what is still in use. */
const heap = Effect.sync(() => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
})

const operations = 500
const messagesBefore = 100

for (const revision of ["2025-11-25", "2026-07-28"]) {
  it.scopedLive(`50,000 mutated messages of ${revision} end no request without an outcome, and no connection`, () =>
    Effect.gen(function* () {
      const rejected: Array<unknown> = []
      const onRejection = (reason: unknown) => void rejected.push(reason)
      process.on("unhandledRejection", onRejection)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("unhandledRejection", onRejection)))
      const server = McpClient.stdio(process.execPath, [fixture("fuzz.mjs"), String(messagesBefore), "7", revision])
      const client = yield* McpClient.connect("s", server, {
        elicit: () => Effect.succeed({ action: "cancel" }),
        sample: () => Effect.fail("no model"),
        roots: []
      })
      assert.strictEqual(yield* client.revision, revision)
      const runner = yield* ToolRunner.make(client.toolset)
      const requests: ReadonlyArray<(id: number) => Effect.Effect<unknown, unknown>> = [
        (id) =>
          Effect.map(runner.run(ToolCall.make(`call_${id}`, "s_add", {})), (outcome) => {
            assert.notStrictEqual(outcome._tag, "Defect")
          }),
        () => client.callTool("add"),
        () => client.listResources,
        () => client.listResourceTemplates,
        () => client.readResource("a:b"),
        () => client.listPrompts,
        () => client.getPrompt("p"),
        () => client.complete({ ref: { prompt: "p" }, argument: "a", value: "" }),
        () => client.accept()
      ]
      const connections = yield* Effect.fork(
        Stream.runCount(Stream.takeUntil(client.states, ({ _tag }) => _tag === "Disconnected"))
      )
      let before = 0
      for (let id = 0; id < operations; id++) {
        const exit = yield* Effect.exit(requests[id % requests.length]?.(id) ?? Effect.void)
        if (Exit.isFailure(exit))
          assert.ok(Cause.isFailure(exit.cause) && !Cause.isDie(exit.cause), Cause.pretty(exit.cause))
        if (id === operations / 2) before = yield* heap
      }
      assert.deepStrictEqual(rejected, [])
      assert.strictEqual((yield* client.state)._tag, "Ready")
      assert.strictEqual(yield* Fiber.poll(connections).pipe(Effect.map(Option.isNone)), true)
      const growth = (yield* heap) - before
      assert.ok(growth < 16, `${growth} MiB more after half of the messages`)
    })
  )
}

/** It may have been killed already, or have ended. */
const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    return
  }
}

it.scopedLive("a server that is killed at 50 moments of a call makes no effect twice, and serves the next call", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const client = yield* McpClient.connect("s", McpClient.stdio(process.execPath, [fixture("scripted.mjs"), "", path]))
    const runner = yield* ToolRunner.make(client.toolset)
    let done = 0
    let uncertain = 0
    for (let round = 0; round < 50; round++) {
      const lines = readFileSync(join(path, "trace"), "utf8").trim().split("\n")
      const pid = Number(lines.findLast((line) => line.startsWith("start"))?.split(" ")[1])
      const timer = setTimeout(() => kill(pid), (round * 7) % 5)
      // A call may meet a server that was killed just before. One after it works.
      let tag: string
      do {
        tag = (yield* runner.run(ToolCall.make(`call_${round}_${done + uncertain}`, "s_add", {})))._tag
        if (tag === "Success") done++
        else uncertain++
        assert.include(["Success", "Uncertain"], tag)
      } while (tag !== "Success")
      clearTimeout(timer)
    }
    const calls = readFileSync(join(path, "trace"), "utf8")
      .split("\n")
      .filter((line) => line === "call add").length
    assert.ok(calls >= done && calls <= done + uncertain, `${calls} effects of ${done} + ${uncertain} calls`)
  })
)

it.scopedLive("a host that is killed leaves no server behind, also one that ignores SIGTERM and its child", () =>
  Effect.gen(function* () {
    if (process.platform !== "linux") return
    const path = yield* folder
    const program = yield* bundleOf(new URL("fixtures/host.ts", import.meta.url))
    const host = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess =>
        spawn(process.execPath, [program, fixture("scripted.mjs"), path], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    const pids = yield* Effect.async<ReadonlyArray<number>>((resume) => {
      host.stdout?.once("data", (data) => resume(Effect.succeed(String(data).trim().split(" ").map(Number))))
    })
    assert.ok(pids.length === 2 && pids.every(isAlive))
    host.kill("SIGKILL")
    while (pids.some(isAlive)) yield* Effect.sleep(50)
  })
)

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return ProcessTable.readProcess(pid) !== undefined
  } catch {
    return false
  }
}
