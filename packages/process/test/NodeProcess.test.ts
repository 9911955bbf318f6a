import { describe, expect, it } from "@effect/vitest"
import { NodeProcess, ProcessTable } from "@wield/process"
import { Effect, Fiber, Option } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const start = (program: string) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-node-process-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const file = join(folder, "program.mjs")
    writeFileSync(file, program)
    return yield* Effect.acquireRelease(NodeProcess.start({ file, heapMegabytes: 64 }), ({ end }) => end)
  })

describe("a module in a process of its own", () => {
  it.scopedLive("answers with values of any kind that can be copied", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(
        `process.on("message", (message) => process.send({ message, env: { ...process.env } }))`
      )
      const message = { whole: 12345678901234567890n, bytes: new Uint8Array([1, 2]), at: new Date(0) }
      expect(yield* ask(message)).toEqual({ message, env: {} })
      expect(yield* ask("again")).toEqual({ message: "again", env: {} })
    })
  )

  it.scopedLive("may speak first, before anybody listens", () =>
    Effect.gen(function* () {
      const { ask, receive } = yield* start(
        `process.send("ready"); process.send("set"); process.on("message", () => process.send("go"))`
      )
      const first = yield* receive
      yield* Effect.sleep("20 millis")
      expect([first, yield* receive, yield* ask("now")]).toEqual(["ready", "set", "go"])
    })
  )

  it.scopedLive("is killed when a question is given up, so that its late answer answers no other", () =>
    Effect.gen(function* () {
      const { ask, isAlive, receive } = yield* start(
        `process.on("message", (message) => { if (message !== "wait") process.send(message) }); process.send("ready")`
      )
      yield* receive
      expect(yield* ask("one")).toBe("one")
      expect(yield* Effect.timeoutOption(ask("wait"), "20 millis")).toEqual(Option.none())
      expect(yield* Effect.flip(ask("two"))).toMatchObject({ detail: "SIGKILL" })
      expect(isAlive()).toBe(false)
    })
  )

  it.scopedLive("that says more than it was asked does not answer the next question with it", () =>
    Effect.gen(function* () {
      const { ask } = yield* start(
        `process.on("message", (message) => { process.send(message); if (message === "one") process.send("more") })`
      )
      expect(yield* ask("one")).toBe("one")
      yield* Effect.sleep("20 millis")
      expect(yield* ask("two")).toBe("two")
    })
  )

  it.scopedLive("that ends, aborts or takes too much memory ends what is asked of it, and nothing else", () =>
    Effect.gen(function* () {
      const detail = (program: string) =>
        Effect.gen(function* () {
          const { ask, isAlive } = yield* start(`process.on("message", () => { ${program} })`)
          const failure = yield* Effect.flip(ask("now"))
          expect(isAlive()).toBe(false)
          expect(yield* Effect.flip(ask("again"))).toEqual(failure)
          return failure.detail
        })
      expect(yield* detail("process.exit(4)")).toBe("exit code 4")
      expect(yield* detail("process.abort()")).toBe("SIGABRT")
      expect(yield* detail("const all = []; for (;;) all.push(new Array(1000).fill(all.length))")).toMatch(
        /^SIG|^exit code/
      )
    })
  )

  it.scopedLive("is ended in the middle of endless work", () =>
    Effect.gen(function* () {
      const { ask, end, receive } = yield* start(
        `process.on("message", () => { process.send(process.pid); for (;;); })`
      )
      const pid = Number(yield* ask("begin"))
      const waiting = yield* Effect.fork(Effect.flip(receive))
      yield* end
      expect((yield* Fiber.join(waiting)).detail).toBe("SIGKILL")
      expect(ProcessTable.findProcess(pid)).toBe(undefined)
    })
  )
})
