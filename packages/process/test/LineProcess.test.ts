import { describe, expect, it } from "@effect/vitest"
import { Environment, LineProcess, ProcessTable } from "@wield/process"
import { Deferred, Effect, Exit, Queue, Scope } from "effect"

const start = (program: string, options: Partial<LineProcess.Options> = {}) =>
  Effect.gen(function* () {
    const lines = yield* Queue.unbounded<string>()
    const end = yield* Deferred.make<LineProcess.LinesEnded>()
    const child = yield* LineProcess.start(
      {
        command: process.execPath,
        arguments: ["-e", program],
        environment: Environment.inherit(process.env),
        workingDirectory: process.cwd(),
        ...options
      },
      {
        line: (line) => void lines.unsafeOffer(line),
        ended: (how) => Deferred.unsafeDone(end, Effect.succeed(how))
      }
    )
    const send = (line: string) => Effect.async<void>((resume) => child.send(line, () => resume(Effect.void)))
    return { pid: child.pid, send, line: Queue.take(lines), waiting: Queue.takeAll(lines), end: Deferred.await(end) }
  })

const echo = "process.stdin.pipe(process.stdout)"

/** Writes `ready`, and what `then` does. */
const readyAnd = (then: string) => `process.stdout.write("ready\\n", () => { ${then} })`

/** How a program ends when its scope closes: what it says of it on standard error. */
const stop = (program: string, options: Partial<LineProcess.Options> = {}) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const child = yield* Scope.extend(start(program, options), scope)
    yield* child.line
    yield* Scope.close(scope, Exit.void)
    const { ended, standardError } = yield* child.end
    return { ...ended, standardError, isGone: ProcessTable.findProcess(child.pid) === undefined }
  })

describe("lines", () => {
  it.scopedLive("are sent and received in order, whatever characters they hold", () =>
    Effect.gen(function* () {
      const { line, send } = yield* start(echo)
      const lines = ["", `{"text":"日本"}`, "x".repeat(300_000), "\u2028"]
      yield* Effect.forEach(lines, send)
      expect(yield* Effect.replicateEffect(line, lines.length)).toEqual(lines)
    })
  )

  it.scopedLive("of a program that writes fast are all received, before its end", () =>
    Effect.gen(function* () {
      const count = 50_000
      const { end, waiting } = yield* start(
        `for (let index = 0; index < ${count}; index++) process.stdout.write(index + "-".repeat(50) + "\\n")`
      )
      expect((yield* end).ended).toEqual({ code: 0, signal: null })
      const lines = [...(yield* waiting)]
      expect(lines.length).toBe(count)
      expect(lines.findIndex((line, index) => line !== `${index}${"-".repeat(50)}`)).toBe(-1)
    })
  )

  it.scopedLive("longer than they may be end the program, complete or not", () =>
    Effect.gen(function* () {
      for (const end of ["", "\\n"]) {
        const child = yield* start(
          `process.stdout.write("short\\n" + "x".repeat(2000) + "${end}"); setInterval(() => undefined, 1000)`,
          { lineLimit: 1000 }
        )
        expect(yield* child.end).toMatchObject({ reason: "line-too-long" })
        expect([...(yield* child.waiting)]).toEqual(["short"])
      }
    })
  )

  for (const [stream, close] of [
    ["output", "process.stdout.end()"],
    ["input", `require("node:fs").closeSync(0)`]
  ] as const) {
    it.scopedLive(`end with a program that closes its ${stream} and runs on`, () =>
      Effect.gen(function* () {
        const { end, line, send } = yield* start(`setInterval(() => undefined, 1000); ${readyAnd(close)}`)
        yield* line
        const sending = Effect.forever(Effect.zipRight(send("more"), Effect.sleep(20)))
        const { reason } = yield* Effect.raceFirst(end, sending)
        expect(reason).toBe("closed")
      })
    )
  }

  it.scopedLive("go nowhere once the program has ended, with the end of what it wrote to standard error", () =>
    Effect.gen(function* () {
      const { end, send } = yield* start(
        `process.stderr.write("x".repeat(100_000) + "the reason"); process.exitCode = 3`,
        { standardErrorLimit: 20 }
      )
      expect(yield* end).toEqual({
        reason: "ended",
        ended: { code: 3, signal: null },
        standardError: "xxxxxxxxxxthe reason"
      })
      yield* send("more")
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
          return Effect.zipRight(child.line, Effect.interrupt)
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
