/** The official servers, over stdio. They speak 2025-11-25. */
import { assert, it } from "@effect/vitest"
import { ToolCall, ToolRunner, Outcome } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Deferred, Effect, Stream } from "effect"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const require = createRequire(import.meta.url)

const serverFile = (name: string): string =>
  join(dirname(require.resolve(`@modelcontextprotocol/server-${name}/package.json`)), "dist", "index.js")

const officialServer = (name: string, args: ReadonlyArray<string> = []) =>
  McpClient.stdio(process.execPath, [serverFile(name), ...args])

const folder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "mcp-files-")))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

it.scopedLive("the filesystem server reads a file, once as the model sees it", () =>
  Effect.gen(function* () {
    const path = yield* folder
    writeFileSync(join(path, "note.txt"), "remember the milk")
    const files = yield* McpClient.connect("files", officialServer("filesystem", [path]))
    assert.strictEqual(yield* files.revision, "2025-11-25")
    const runner = yield* ToolRunner.make(files.toolset)
    const definitions = yield* runner.definitions
    assert.ok(definitions.every(({ name }) => name.startsWith("files_")))
    assert.ok(
      definitions.every(({ facts }) => facts.isDestructive),
      "annotations are claims"
    )
    const outcome = yield* runner.run(ToolCall.make("call_1", "files_read_text_file", { path: join(path, "note.txt") }))
    assert.match(Outcome.text(outcome) ?? "", /remember the milk/)
    assert.strictEqual(Outcome.text(outcome)?.match(/remember/g)?.length, 1)
    const refused = yield* runner.run(ToolCall.make("call_2", "files_read_text_file", { path: "/etc/passwd" }))
    assert.strictEqual(refused._tag, "Failure")
  })
)

it.scopedLive("the everything server reports progress, and answers about prompts, resources and completions", () =>
  Effect.gen(function* () {
    const all = yield* McpClient.connect("all", officialServer("everything"), {
      trust: "hints",
      elicit: () => Effect.succeed({ action: "decline" })
    })
    const tools = yield* all.listTools
    assert.ok(tools.some(({ name }) => name === "echo"))
    const progress: Array<number> = []
    const result = yield* all.callTool(
      "trigger-long-running-operation",
      { duration: 0.2, steps: 2 },
      { onProgress: (step) => progress.push(step.progress) }
    )
    assert.strictEqual(result.isError ?? false, false)
    assert.deepStrictEqual(progress, [1, 2])
    const prompts = yield* all.listPrompts
    assert.ok(prompts.length > 0)
    const resources = yield* all.listResources
    const [first] = resources
    const contents = yield* all.readResource(String(first?.["uri"]))
    assert.ok(contents.length > 0)
  })
)

it.scopedLive("interrupting a call cancels it, and the next one works", () =>
  Effect.gen(function* () {
    const all = yield* McpClient.connect("all", officialServer("everything"))
    const begun = yield* Deferred.make<void>()
    const fiber = yield* Effect.fork(
      all.callTool(
        "trigger-long-running-operation",
        { duration: 60, steps: 600 },
        { onProgress: () => Deferred.unsafeDone(begun, Effect.void) }
      )
    )
    yield* Deferred.await(begun)
    yield* fiber.interruptAsFork(fiber.id())
    assert.strictEqual((yield* fiber.await)._tag, "Failure")
    const echo = yield* all.callTool("echo", { message: "still here" })
    assert.match(echo.content[0]?.text ?? "", /still here/)
  })
)

it.scopedLive("the memory and sequential-thinking servers serve their tools", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const names = Effect.forEach(
      [
        McpClient.connect(
          "memory",
          McpClient.stdio(process.execPath, [serverFile("memory")], {
            env: { MEMORY_FILE_PATH: join(path, "memory.json") }
          })
        ),
        McpClient.connect("thinking", officialServer("sequential-thinking"))
      ],
      Effect.flatMap(({ toolset }) => Effect.map(toolset.offer, ({ entries }) => [...entries.keys()]))
    )
    const [memory, thinking] = yield* names
    assert.ok(memory?.includes("memory_create_entities"))
    assert.deepStrictEqual(thinking, ["thinking_sequentialthinking"])
  })
)

it.scopedLive("a server's own states are seen", () =>
  Effect.gen(function* () {
    const thinking = yield* McpClient.connect("thinking", officialServer("sequential-thinking"), { start: "lazy" })
    assert.deepStrictEqual(yield* thinking.state, { _tag: "Idle" })
    yield* thinking.listTools
    const ready = yield* Stream.runHead(Stream.filter(thinking.states, ({ _tag }) => _tag === "Ready"))
    assert.strictEqual(ready._tag, "Some")
  })
)
