/** What a client may write on the standard input of a server. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { bundleOf } from "../../../test/programs.js"

/** All that a server writes, which is written this and no more. */
const exchange = (input: string) =>
  Effect.gen(function* () {
    const program = yield* bundleOf(new URL("fixtures/lab.ts", import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, "stdio"])),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    return yield* Effect.promise(async () => {
      const [output, error] = [text(child.stdout), text(child.stderr)]
      child.stdin.on("error", () => undefined)
      child.stdin.write(input)
      child.stdout.once("data", () => child.stdin.end())
      return { output: await output, error: await error }
    })
  })

const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } }
})

it.scopedLive("a server answers a first line that begins with a mark of the order of bytes", () =>
  Effect.gen(function* () {
    const { output } = yield* exchange(`\uFEFF${hello}\n`)
    assert.strictEqual(JSON.parse(output).id, 1)
  })
)

it.scopedLive("a server says why it ends at a message that is too large", () =>
  Effect.gen(function* () {
    const { error } = yield* exchange("x".repeat(11 * 1024 * 1024))
    assert.include(error, "The connection over standard input ended: A message has more than 10485760 bytes")
  })
)

it.scopedLive("a server takes no more of a client that does not read what it asks for", () =>
  Effect.gen(function* () {
    const program = yield* bundleOf(new URL("fixtures/lab.ts", import.meta.url))
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [program, "stdio"])),
      (started) => Effect.sync(() => started.kill("SIGKILL"))
    )
    let error = ""
    child.stderr.on("data", (chunk) => (error += chunk))
    child.stdin.on("error", () => undefined)
    child.stdin.write(`${hello}\n`)
    yield* Effect.promise(() => new Promise((resolve) => child.stdout.once("data", resolve)))
    child.stdout.pause()
    // Each is answered with its id.
    const asked = `${JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(50_000), method: "ping" })}\n`
    let taken = 0
    const most = 40 * 1024 * 1024
    const write = (): Promise<void> =>
      new Promise((resolve) => {
        const waiting = setTimeout(resolve, 3_000)
        child.stdin.write(asked, () => {
          clearTimeout(waiting)
          taken += asked.length
          if (taken > most || child.stdout.readableFlowing === true) resolve()
          else void write().then(resolve)
        })
      })
    yield* Effect.promise(write)
    assert.isBelow(taken, most)
    assert.strictEqual(error, "")
    // It goes on where the client reads.
    const before = taken
    child.stdout.resume()
    while (taken === before) yield* Effect.sleep(10)
  })
)
