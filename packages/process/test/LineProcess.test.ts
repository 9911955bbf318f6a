import { describe, expect, it } from "@effect/vitest"
import { Environment, LineProcess, ProcessTable } from "@wield/process"
import { Effect, Exit, Fiber, Scheduler, Scope } from "effect"

const start = (program: string, options: Partial<LineProcess.Options> = {}) =>
  LineProcess.start({
    command: process.execPath,
    arguments: ["-e", program],
    environment: Environment.inherit(process.env),
    workingDirectory: process.cwd(),
    ...options
  })

const echo = "process.stdin.pipe(process.stdout)"

/** Writes `ready`, and what `then` does. */
const readyAnd = (then: string) => `process.stdout.write("ready\\n", () => { ${then} })`

/** How a program ends when its scope closes: what it says of it on standard error. */
const stop = (program: string, options: Partial<LineProcess.Options> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const child = yield* Scope.extend(start(program, options), scope)
    yield* child.receive
    yield* Scope.close(scope, Exit.void)
    const { ended, standardError } = yield* Effect.flip(child.receive)
    return { ...ended, standardError, isGone: ProcessTable.findProcess(child.pid) === undefined }
  })

describe("lines", () => {
  it.scopedLive("are sent and received in order, whatever characters they hold", () =>
    Effect.gen(function* () {
      const { receive, send } = yield* start(echo)
      const lines = ["", `{"text":"日本"}`, "x".repeat(300_000), "\u2028"]
      yield* Effect.forEach(lines, send)
      expect(yield* Effect.replicateEffect(receive, lines.length)).toEqual(lines)
    })
  )

  it.scopedLive("go to those who wait for them, in the order in which they began to wait", () =>
    Effect.gen(function* () {
      const { receive, send } = yield* start(echo)
      const given = yield* Effect.fork(receive)
      const interrupted = yield* Effect.fork(receive)
      const last = yield* Effect.fork(receive)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(interrupted)
      yield* send("one")
      yield* send("two")
      expect([yield* Fiber.join(given), yield* Fiber.join(last)]).toEqual(["one", "two"])
    })
  )

  it.scopedLive("are not lost with a receiver that is being interrupted when its line comes", () =>
    Effect.gen(function* () {
      const { receive, send } = yield* start(echo)
      const scheduler = new Scheduler.ControlledScheduler()
      const interrupted = yield* Effect.fork(Effect.withScheduler(receive, scheduler))
      yield* Effect.yieldNow()
      const second = yield* Effect.fork(receive)
      yield* Effect.yieldNow()
      // Its fiber hears of that at the next step only.
      yield* Fiber.interruptFork(interrupted)
      yield* send("one")
      yield* send("two")
      expect(yield* Fiber.join(second)).toBe("two")
      scheduler.step()
      expect(Exit.isInterrupted(yield* Fiber.await(interrupted))).toBe(true)
      expect(yield* receive).toBe("one")
    })
  )

  it.scopedLive("of a program that writes faster than they are taken are all received", () =>
    Effect.gen(function* () {
      const count = 50_000
      const { receive } = yield* start(
        `for (let index = 0; index < ${count}; index++) process.stdout.write(index + "-".repeat(50) + "\\n")`
      )
      for (let index = 0; index < count; index++) {
        const line = yield* receive
        if (line !== `${index}${"-".repeat(50)}`) expect(line).toBe(index)
      }
      expect((yield* Effect.flip(receive)).ended).toEqual({ code: 0, signal: null })
    })
  )

  it.scopedLive("longer than they may be end the program, complete or not", () =>
    Effect.gen(function* () {
      for (const end of ["", "\\n"]) {
        const { receive } = yield* start(
          `process.stdout.write("short\\n" + "x".repeat(2000) + "${end}"); setInterval(() => undefined, 1000)`,
          { lineLimit: 1000 }
        )
        expect(yield* receive).toBe("short")
        expect(yield* Effect.flip(receive)).toMatchObject({ _tag: "LinesEnded", reason: "line-too-long" })
      }
    })
  )

  it.scopedLive("are refused by a program that has ended, with the end of what it wrote to standard error", () =>
    Effect.gen(function* () {
      const { receive, send } = yield* start(
        `process.stderr.write("x".repeat(100_000) + "the reason"); process.exitCode = 3`,
        { standardErrorLimit: 20 }
      )
      const end = yield* Effect.flip(receive)
      expect(end).toMatchObject({ reason: "ended", ended: { code: 3, signal: null } })
      expect(end.standardError).toBe("xxxxxxxxxxthe reason")
      expect(yield* Effect.flip(send("more"))).toBe(end)
    })
  )
})

describe("closing the scope of a program", () => {
  it.live("closes its input, by which it ends in its own way", () =>
    Effect.gen(function* () {
      const ended = yield* stop(
        readyAnd(`process.stdin.resume().on("end", () => { process.stderr.write("saved"); process.exitCode = 7 })`)
      )
      expect(ended).toEqual({ code: 7, signal: null, standardError: "saved", isGone: true })
    })
  )

  it.live("sends SIGTERM to one that does not end by that", () =>
    Effect.gen(function* () {
      const program = `setInterval(() => undefined, 1000)
        process.on("SIGTERM", () => { process.stderr.write("terminated"); process.exit(9) })
        ${readyAnd("")}`
      // A busy machine may need more time to run the program's last line.
      for (let patience = 50; ; patience *= 2) {
        const ended = yield* stop(program, { patience })
        if (ended.signal === "SIGKILL") continue
        expect(ended).toEqual({ code: 9, signal: null, standardError: "terminated", isGone: true })
        return
      }
    })
  )

  it.live("kills one that ignores both, also when its fiber is interrupted", () =>
    Effect.gen(function* () {
      const program = `setInterval(() => undefined, 1000)
        process.on("SIGTERM", () => undefined)
        ${readyAnd("")}`
      expect(yield* stop(program, { patience: 50 })).toMatchObject({ signal: "SIGKILL", isGone: true })
      let pid = 0
      const used = Effect.scoped(
        Effect.flatMap(start(program, { patience: 50 }), (child) => {
          pid = child.pid
          return Effect.zipRight(child.receive, Effect.interrupt)
        })
      )
      expect(Exit.isInterrupted(yield* Effect.exit(used))).toBe(true)
      expect(ProcessTable.findProcess(pid)).toBe(undefined)
    })
  )

  it.live("ends a program that writes without end", () =>
    Effect.gen(function* () {
      const { isGone } = yield* stop(
        `const write = () => process.stdout.write("y\\n".repeat(10_000), write); write()`,
        { patience: 50 }
      )
      expect(isGone).toBe(true)
    })
  )
})
