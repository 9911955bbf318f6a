/** Servers that speak noise, die at any moment, or are left behind by a killed host. */
import { assert, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { ProcessTable } from "@wield/process"
import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url))

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-soak-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

it.scopedLive("100,000 mutated messages end no call without an outcome, and no connection", () =>
  Effect.gen(function* () {
    const rejected: Array<unknown> = []
    const onRejection = (reason: unknown) => void rejected.push(reason)
    process.on("unhandledRejection", onRejection)
    yield* Effect.addFinalizer(() => Effect.sync(() => process.off("unhandledRejection", onRejection)))
    const client = yield* McpClient.connect("s", McpClient.stdio(process.execPath, [fixture("fuzz.mjs"), "100", "7"]), {
      elicit: () => Effect.succeed({ action: "cancel" })
    })
    const runner = yield* ToolRunner.make(client.toolset)
    const tags = new Map<string, number>()
    for (let call = 0; call < 1000; call++) {
      const outcome = yield* runner.run(ToolCall.make(`call_${call}`, "s_add", {}))
      tags.set(outcome._tag, (tags.get(outcome._tag) ?? 0) + 1)
    }
    assert.deepStrictEqual(rejected, [])
    assert.strictEqual(
      [...tags.values()].reduce((sum, count) => sum + count, 0),
      1000
    )
    assert.ok(!tags.has("Defect"), JSON.stringify([...tags]))
    assert.strictEqual((yield* client.state)._tag, "Ready")
  })
)

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
    const host = yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess =>
        spawn(process.execPath, ["--import", "tsx", fixture("host.ts"), fixture("scripted.mjs"), path], {
          stdio: ["ignore", "pipe", "inherit"]
        })
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
