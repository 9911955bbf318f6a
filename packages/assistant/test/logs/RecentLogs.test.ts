import { describe, expect, it } from "@effect/vitest"
import { RecentLogs } from "@wield/assistant"
import { Cause, Data, Effect, HashMap, Layer, Logger, Redacted } from "effect"
import { sized } from "../../../../test/sizes.js"

/** The lines that are kept of what a program logs. Nothing is written to the console. */
const linesOf = (program: Effect.Effect<unknown>, options: RecentLogs.Options = {}) =>
  program.pipe(
    Effect.zipRight(Effect.flatMap(RecentLogs.RecentLogs, (logs) => logs.last(10_000))),
    Effect.map((entries) => entries.map(({ line }) => line)),
    Effect.provide(Layer.provideMerge(RecentLogs.layer(options), Logger.remove(Logger.defaultLogger)))
  )

class Refused extends Data.TaggedError("Refused")<{ readonly code: number; readonly cause?: unknown }> {
  override get message() {
    return `refused with ${this.code}`
  }
}

describe("the last lines of a log", () => {
  it.effect("are those that Effect's own loggers write", () =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const log = Effect.logWarning("Slow answer", { route: "/a b", tries: [1, 2] }).pipe(
        Effect.annotateLogs({ service: "web", big: 3n }),
        Effect.withLogSpan("request")
      )
      for (const [format, logger] of [
        ["logfmt", Logger.logfmtLogger],
        ["json", Logger.jsonLogger]
      ] as const) {
        const beside = Logger.add(Logger.map(logger, (line) => void written.push(line)))
        const lines = yield* linesOf(Effect.provide(log, beside), { format })
        expect(lines).toEqual(written.splice(0))
      }
    })
  )

  it.effect("tell the errors that an error joins, wherever it stands, with their secrets replaced", () =>
    Effect.gen(function* () {
      const joined = new AggregateError([
        new Error("connect ECONNREFUSED ::1:5432"),
        new AggregateError([new TypeError("password=hunter2")], "inner")
      ])
      for (const log of [
        Effect.logError("Failed", joined),
        Effect.logError("Failed", { error: joined }),
        Effect.logError("Failed", Cause.fail(new TypeError("fetch failed", { cause: joined }))),
        Effect.logError("Failed", Cause.die(joined))
      ]) {
        const [line, ...others] = yield* linesOf(log)
        expect(others).toEqual([])
        for (const part of ["ECONNREFUSED ::1:5432", "inner", "TypeError", "password=<redacted>"]) {
          expect(line).toContain(part)
        }
        expect(line).not.toContain("hunter2")
      }
      const round = new AggregateError([], "round")
      round.errors.push(round)
      for (const log of [Effect.logError(round), Effect.logError("Failed", Cause.die(round))]) {
        expect((yield* linesOf(log))[0]).toContain("round")
      }
    })
  )

  it.effect("are at most as many as asked for, and hold at most so many bytes, the latest ones", () =>
    Effect.gen(function* () {
      const program = Effect.forEach(
        Array.from({ length: 2500 }, (_, number) => number),
        (number) => Effect.logInfo(`entry ${number}`)
      )
      const many = yield* linesOf(program, { lines: 7 })
      expect(many.map((line) => /entry (\d+)/.exec(line)?.[1])).toEqual([
        "2493",
        "2494",
        "2495",
        "2496",
        "2497",
        "2498",
        "2499"
      ])
      const bounded = yield* linesOf(program, { bytes: 1000 })
      const bytes = bounded.reduce((total, line) => total + Buffer.byteLength(line), 0)
      expect(bytes).toBeLessThanOrEqual(1000)
      expect(bytes).toBeGreaterThan(850)
      expect(bounded.at(-1)).toContain("entry 2499")
      const few = Effect.flatMap(RecentLogs.RecentLogs, (logs) =>
        Effect.all([0, -1, 1, 2, 9].map((count) => Effect.map(logs.last(count), ({ length }) => length)))
      )
      expect(
        yield* Effect.zipRight(program, few).pipe(
          Effect.provide(Layer.provideMerge(RecentLogs.layer({ lines: 3 }), Logger.remove(Logger.defaultLogger)))
        )
      ).toEqual([0, 0, 1, 2, 3])
    })
  )

  for (const format of ["logfmt", "json"] as const) {
    it.effect(`are one line each, well-formed and bounded, however large an entry is, as ${format}`, () =>
      Effect.gen(function* () {
        const circular: Record<string, unknown> = { name: "circle" }
        circular["self"] = circular
        const lines = yield* linesOf(
          Effect.all([
            Effect.logInfo("first\nsecond\r\nthird"),
            Effect.logInfo("é".repeat(1_000_000)),
            Effect.logInfo(Array.from({ length: 100_000 }, (_, number) => ({ number, text: "x".repeat(100) }))),
            Effect.logInfo(Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`name ${number}`, "x"]))),
            Effect.logInfo(circular),
            Effect.logInfo({ deep: { deep: { deep: { deep: { deep: { deep: { deep: { deep: { deep: 1 } } } } } } } } }),
            Effect.logInfo({
              get broken() {
                throw new Error("no")
              }
            }),
            Effect.logInfo(
              new Uint8Array(1_000_000),
              new Map([["a", new Set([1])]]),
              new Date(0),
              new Date(Number.NaN)
            ),
            Effect.logError("failed", Cause.die(new Error("deep ".repeat(100_000))))
          ]),
          { format, lineBytes: 1500 }
        )
        expect(lines).toHaveLength(9)
        for (const line of lines) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(1500)
          expect(line).not.toMatch(/[\r\n]/)
          if (format === "json") expect(() => JSON.parse(line)).not.toThrow()
        }
        expect(lines[1]).toContain("éééé")
        expect(lines[3]).toContain("an entry of more than 1500 bytes was left out")
        expect(lines[4]).toContain("circle")
        expect(lines[6]).toContain("<unreadable>")
        expect(lines[7]).toContain("<1000000 bytes>")
        expect(lines[8]).toContain("deep deep")
      })
    )

    it.effect(`tell failures with their causes, and where programs lie only when asked, as ${format}`, () =>
      Effect.gen(function* () {
        const inner = new Error("the disk is full")
        const program = Effect.all([
          Effect.logError("Could not save", Cause.fail(new Refused({ code: 7, cause: inner }))),
          Effect.logError("Traced", new Error("outer", { cause: inner })),
          Effect.logError(`Written out: ${inner.stack}`),
          Effect.logError(Cause.interrupt(HashMap.empty as never))
        ])
        const plain = yield* linesOf(program, { format })
        expect(plain[0]).toContain("refused with 7")
        expect(plain[0]).toContain("the disk is full")
        expect(plain[1]).toContain("outer")
        expect(plain[1]).toContain("the disk is full")
        expect(plain[2]).toContain("the disk is full")
        expect(plain.join("\n")).not.toContain("RecentLogs.test.ts")
        const traced = yield* linesOf(program, { format, stackTraces: true })
        for (const line of traced.slice(0, 3)) expect(line).toContain("RecentLogs.test.ts")
      })
    )
  }

  it.effect("keep what is no secret, though it looks like one", () =>
    Effect.gen(function* () {
      const harmless = [
        "the monkey has 3 keys and 2 tokens",
        "input_tokens=1200 output_tokens=7 key_type=rsa token_count=3",
        "keys=3 tokens=512 max_tokens=100 <p>text</p> <key-type>rsa</key-type>",
        "see https://example.com/@name?page=2#top and ada@example.com",
        "task-management-system, risk-assessment, disk_usage",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of 550e8400-e29b-41d4-a716-446655440000",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "packages/assistant/src/CodeToolkit.ts:12:5 compiled in 30 ms",
        "basic research, a bearer",
        "GET http://localhost:3000/@vite/client served localhost:3000/@vite/client",
        "mailto:ada@example.com npm:react@18.3.1 workspace:@wield/core alpine:3@sha256:abcdef",
        "docker run -u root, sort -u names.txt, pinned 3 pins, a compass=north, Pat: hello",
        "aGVsbG8gd29ybGQgb2YgdGVhIGFuZCBjb2ZmZWU= is a greeting",
        "C:\\Users\\ada\\file.txt --verbose --output out.txt"
      ]
      const lines = yield* linesOf(Effect.forEach(harmless, (text) => Effect.logInfo(text)))
      for (const [index, text] of harmless.entries()) {
        expect(lines[index]).toContain(`message=${JSON.stringify(text)}`)
      }
    })
  )

  it.effect("leave out secrets of the application in whatever way they are written", () =>
    Effect.gen(function* () {
      const secret = 'p"ä/ s&1'
      const lines = yield* linesOf(
        Effect.all([
          Effect.logInfo(`as it is: ${secret}!`),
          Effect.logInfo(`in an address: ${encodeURIComponent(secret)}`),
          Effect.logInfo(`in JSON: ${JSON.stringify({ any: secret })}`),
          Effect.logInfo(secret.slice(0, 4), secret.slice(4)),
          Effect.logInfo(secret.slice(0, 3)).pipe(Effect.annotateLogs("rest", secret.slice(3))),
          Effect.logInfo("span").pipe(Effect.withLogSpan(secret)),
          Effect.logInfo("name").pipe(Effect.annotateLogs(secret, 1)),
          Effect.logInfo("redacted", Redacted.make("other"), { inside: [Redacted.make("other")] }),
          Effect.logInfo("own pattern: client-77, client-x")
        ]),
        { secrets: [Redacted.make(secret), Redacted.make("")], patterns: [/client-(?<secret>\d+)/] }
      )
      const all = lines.join("\n")
      for (const part of [
        secret,
        encodeURIComponent(secret),
        JSON.stringify(secret).slice(1, -1),
        'p"ä',
        "s&1",
        "other"
      ]) {
        expect(all).not.toContain(part)
        expect(all).not.toContain(JSON.stringify(part).slice(1, -1))
      }
      expect(lines).toHaveLength(9)
      expect(lines[0]).toContain('"as it is: <redacted>!"')
      expect(lines[8]).toContain('"own pattern: client-<redacted>, client-x"')
    })
  )

  // What costs the square of such a text would not end in any time: the guard of the test stops it.
  it.effect("are written for texts that are made to cost time", () =>
    Effect.gen(function* () {
      const length = sized(50_000, 2_000_000)
      const costly = [
        "=",
        "a=",
        "token=",
        "-",
        "--token ",
        '"',
        '\\"',
        "://",
        "a://",
        "@",
        "-----BEGIN PRIVATE KEY-----",
        "sk-",
        "eyJ",
        "aA1",
        "aA1/",
        "bearer ",
        "a:",
        "a:b@",
        "-u a:",
        '-u "a:',
        "YTpiYTpiYTpi",
        "a\n    at ",
        " "
      ].map((piece) => piece.repeat(Math.ceil(length / piece.length)))
      const lines = yield* linesOf(
        Effect.forEach(costly, (text) => Effect.logInfo(text)),
        { secrets: [Redacted.make("a")] }
      )
      expect(lines).toHaveLength(costly.length)
    })
  )
})
