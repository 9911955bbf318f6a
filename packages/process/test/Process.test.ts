import { describe, expect, it, vi } from "@effect/vitest"
import { Environment, Process, ProcessTable } from "@wield/process"
import { Deferred, Effect, Exit, Scope } from "effect"

const hasBash = process.platform === "linux"

const options = (program: string, changed: Partial<Process.Options> = {}): Process.Options => ({
  command: process.execPath,
  arguments: ["-e", program],
  environment: Environment.inherit(process.env),
  workingDirectory: process.cwd(),
  channel: "standard",
  ...changed
})

const silent: Process.Listener = {
  standardOutput: () => undefined,
  standardError: () => undefined,
  ended: () => undefined
}

describe("a program", () => {
  it.scopedLive("reads one channel and replies on another, with an empty standard input", () =>
    Effect.gen(function* () {
      const replies: Array<string> = []
      const program = `const fs = require("node:fs")
        fs.writeSync(4, fs.readFileSync(3, "utf8").toUpperCase() + fs.readFileSync(0, "utf8").length)`
      const child = yield* Process.start(options(program, { channel: "descriptors" }), {
        ...silent,
        replies: (chunk) => replies.push(chunk.toString())
      })
      child.send(Buffer.from("told"))
      child.close()
      expect(yield* child.end).toEqual({ code: 0, signal: null })
      expect(replies.join("")).toBe("TOLD0")
    })
  )

  it.scopedLive("that has closed its channel has not read what is sent", () =>
    Effect.gen(function* () {
      const printed = yield* Deferred.make<void>()
      let unsent = 0
      const program = `require("node:fs").closeSync(3); console.log("closed"); setInterval(() => {}, 60_000)`
      const child = yield* Process.start(options(program, { channel: "descriptors" }), {
        ...silent,
        standardOutput: () => Effect.runFork(Deferred.succeed(printed, undefined)),
        unsent: () => unsent++
      })
      yield* Deferred.await(printed)
      // The end of the channel was there before the text: some turns of the event loop read and close it.
      for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise((next) => setImmediate(next)))
      expect(unsent).toBe(0)
      yield* Effect.async<void>((resume) => child.send(Buffer.from("call"), () => resume(Effect.void)))
      expect(unsent).toBe(1)
    })
  )

  it.scopedLive("delivers all that it printed before its end", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const child = yield* Process.start(options(`process.stdout.write("x".repeat(1_000_000))`), {
        ...silent,
        standardOutput: (chunk) => order.push(`${chunk.length}`),
        ended: () => order.push("end")
      })
      yield* child.end
      expect(order.pop()).toBe("end")
      expect(order.reduce((sum, length) => sum + Number(length), 0)).toBe(1_000_000)
    })
  )

  it.scopedLive("sees nothing of this process's environment but what it is given", () =>
    Effect.gen(function* () {
      const printed: Array<string> = []
      const child = yield* Process.start(
        options("console.log(Object.keys(process.env).sort().join())", { environment: { ONLY: "1" } }),
        { ...silent, standardOutput: (chunk) => printed.push(chunk.toString()) }
      )
      yield* child.end
      expect(printed.join("").trim()).toBe("ONLY,WIELD_PROCESS")
    })
  )

  it.scopedLive("is not signalled any more when it has ended: its number may be another's by then", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const child = yield* Process.start(options(""), silent).pipe(Scope.extend(scope))
      yield* child.end
      const signals = yield* Effect.acquireRelease(
        Effect.sync(() => vi.spyOn(process, "kill").mockReturnValue(true)),
        (spy) => Effect.sync(() => spy.mockRestore())
      )
      child.kill()
      child.kill("SIGTERM")
      yield* Scope.close(scope, Exit.void)
      expect(signals.mock.calls).toEqual([])
    })
  )

  it.scopedLive("that cannot be started says why", () =>
    Effect.gen(function* () {
      const failure = (changed: Partial<Process.Options>) =>
        Effect.map(Effect.flip(Process.start(options("", changed), silent)), ({ detail, reason }) => [reason, detail])
      expect(yield* failure({ command: "/no/such/program" })).toEqual(["command", "/no/such/program does not exist"])
      expect(yield* failure({ command: import.meta.filename })).toEqual([
        "command",
        `${import.meta.filename} may not be executed`
      ])
      expect((yield* failure({ workingDirectory: "/no/such/folder" }))[0]).toBe("working-directory")
      expect((yield* failure({ environment: { LARGE: "x".repeat(4_000_000) } }))[0]).toBe("environment")
      expect((yield* failure({ arguments: ["\0"] }))[0]).toBe("other")
    })
  )
})

describe.skipIf(!hasBash)("closing the scope of a program (needs Linux and bash)", () => {
  it.live("ends all that it has started, whatever session that is in", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const started = Effect.async<Process.Process>((resume) => {
        const program = Process.start(
          options("", {
            command: "bash",
            arguments: ["-c", "sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; echo started; wait"]
          }),
          { ...silent, standardOutput: () => queueMicrotask(() => child && resume(Effect.succeed(child))) }
        )
        let child: Process.Process | undefined
        void Effect.runPromise(Scope.extend(program, scope)).then((running) => (child = running))
      })
      const { mark } = yield* started
      const marked = () => ProcessTable.listPids().filter((pid) => ProcessTable.readMark(pid) === mark)
      expect(marked().length).toBeGreaterThanOrEqual(3)
      yield* Scope.close(scope, Exit.void)
      expect(marked()).toEqual([])
    })
  )
})
