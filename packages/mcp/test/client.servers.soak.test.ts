/** Servers that others' libraries made, over stdio and HTTP. `docs/mcp-client.md` has the table. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { Outcome, ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"

const file = fileURLToPath(new URL("fixtures/servers.mjs", import.meta.url))

// However long a program takes to start, it is asked for its revisions.
const startLate = "setTimeout(() => import(process.argv[1]), 1500)"

const transports = {
  stdio: (library: string) =>
    Effect.succeed(McpClient.stdio(process.execPath, ["-e", startLate, file, library, "stdio"])),
  http: (library: string) =>
    Effect.map(
      Effect.acquireRelease(
        Effect.promise(async () => {
          const child = spawn(process.execPath, [file, library, "http"], { stdio: ["ignore", "pipe", "inherit"] })
          const [port] = await once(createInterface({ input: child.stdout }), "line")
          return { child, port: String(port) }
        }),
        ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
      ),
      ({ port }) => McpClient.http(`http://127.0.0.1:${port}/`)
    )
}

interface Library {
  readonly name: string
  readonly revision: string
  /** What a server of this library can do beside calls. */
  readonly does: ReadonlyArray<"progress" | "asks" | "grows">
}

const libraries: ReadonlyArray<Library & { readonly id: string; readonly over: keyof typeof transports }> = [
  { id: "sdk1", over: "stdio", name: "SDK 1", revision: "2025-11-25", does: ["progress", "asks", "grows"] },
  { id: "sdk1", over: "http", name: "SDK 1", revision: "2025-11-25", does: ["progress", "asks", "grows"] },
  { id: "sdk2", over: "stdio", name: "SDK 2", revision: "2026-07-28", does: ["progress", "asks", "grows"] },
  { id: "sdk2", over: "http", name: "SDK 2", revision: "2026-07-28", does: ["progress", "asks", "grows"] },
  { id: "effect", over: "stdio", name: "@effect/ai", revision: "2025-06-18", does: ["asks"] },
  { id: "effect", over: "http", name: "@effect/ai", revision: "2025-06-18", does: [] }
]

for (const { does, id, name, over, revision } of libraries) {
  it.scopedLive(`a server of ${name} over ${over}: ${["calls", ...does].join(", ")}`, () =>
    Effect.gen(function* () {
      const shop = yield* McpClient.connect("shop", yield* transports[over](id), {
        elicit: () => Effect.succeed({ action: "accept", content: { size: "large" } }),
        limits: { probe: 1000 }
      })
      assert.strictEqual(yield* shop.revision, revision)
      const runner = yield* ToolRunner.make(shop.toolset)
      const call = (tool: string, parameters = {}) => runner.run(ToolCall.make(tool, `shop_${tool}`, parameters))

      const sum = yield* call("add", { a: 2, b: 3 })
      assert.strictEqual(sum._tag, "Success")
      assert.match(Outcome.text(sum) ?? "", /5/)
      const failed = yield* call("fail")
      assert.strictEqual(failed._tag, "Failure")
      assert.match(Outcome.text(failed) ?? "", /out of stock/)

      if (does.includes("progress")) {
        const progress: Array<number> = []
        yield* shop.callTool("slow", {}, { onProgress: (step) => progress.push(step.progress) })
        assert.deepStrictEqual(progress, [1, 2])
      }
      if (does.includes("asks")) assert.match(Outcome.text(yield* call("ask")) ?? "", /large/)
      if (does.includes("grows")) {
        yield* call("grow")
        yield* Effect.repeat(Effect.delay(shop.listTools, "20 millis"), {
          until: (tools) => tools.some((tool) => tool.name === "later")
        })
      }
      assert.deepStrictEqual(yield* shop.withheld, [])
    })
  )
}
