import { expect, it } from "@effect/vitest"
import { CurrentCall } from "@wield/core"
import { Effect, Predicate } from "effect"
import { makeRedaction } from "../../src/process/redaction.js"
import { shareInFile } from "../shareInFile.js"
import { startProgram } from "./program.js"
import { stubProgram } from "./stub.js"

/** Of the tests whose calls leave it as it was. */
const usual = shareInFile(startProgram(stubProgram("keep")))

it.scopedLive("a program is told a call and answers it", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    const ending = yield* call({ entry: "echo", arguments: { a: [1, null, "é"] } })
    expect(ending.cause).toEqual({
      type: "answered",
      answer: { type: "value", value: { a: [1, null, "é"] }, isMarked: true }
    })
  })
)

it.scopedLive("what two calls print is told apart", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    const bytes = (text: string) => [...Buffer.from(text)]
    for (const text of ["first", "second\n", "", "\n\nthird"]) {
      const ending = yield* call(
        { entry: "print", arguments: { output: bytes(text), error: bytes(text) } },
        { isOutputKept: true }
      )
      expect(ending.standardOutput.toString()).toBe(text)
      expect(ending.standardErrorTail).toBe(text.trimEnd())
    }
  })
)

it.scopedLive("what was printed before an answer belongs to its call, without markers, too", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    for (let index = 0; index < 300; index++) {
      const output = [...Buffer.from(`output ${index}`)]
      const error = index % 2 === 0 ? [] : [...Buffer.from(`error ${index}`)]
      const ending = yield* call(
        { entry: "print", arguments: { output, error, isUnmarked: true } },
        { isOutputKept: true }
      )
      expect(ending.standardOutput.toString()).toBe(`output ${index}`)
      expect(ending.standardErrorTail).toBe(index % 2 === 0 ? "" : `error ${index}`)
    }
  })
)

it.scopedLive("that an answer has a secret in it is known though the program is ready before the call is over", () =>
  Effect.gen(function* () {
    const redaction = makeRedaction({ API_KEY: "s3cr3t-key" }, undefined)
    // With named pipes a call is over with its answer.
    const { call } = yield* startProgram(stubProgram("keep"), { redaction, pipes: { take: Effect.succeed(undefined) } })
    for (const [value, isSecretAnswered] of [
      ["s3cr3t-key", true],
      ["other", false]
    ] as const) {
      expect(yield* call({ entry: "echo", arguments: { value, isMarkedLate: true } })).toMatchObject({
        isSecretAnswered
      })
    }
  })
)

it.scopedLive("more than a pipe holds is kept whole without markers", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    const ending = yield* call(
      { entry: "print", arguments: { output: [...Buffer.alloc(700_001, 97)], isUnmarked: true } },
      { isOutputKept: true }
    )
    expect(ending.standardOutput.length).toBe(700_001)
  })
)

const broken = [
  ["a line that is no JSON", "garbage"],
  ["an answer without its value", "wrong"]
] as const

for (const [what, entry] of broken) {
  it.scopedLive(`${what} ends the program and its call, and is no defect`, () =>
    Effect.gen(function* () {
      const { call, worker } = yield* startProgram(stubProgram("keep"))
      const ending = yield* call({ entry })
      expect(ending.cause.type).toBe("malformed")
      yield* worker.end
      expect(worker.isReady()).toBe(false)
    })
  )
}

it.scopedLive("a reply without an end is cut off at the limit of output", () =>
  Effect.gen(function* () {
    const { call } = yield* startProgram(stubProgram("keep"))
    const ending = yield* call({ entry: "endless" }, { output: 1_000_000 })
    expect(ending.cause).toEqual({ type: "exceeded", limit: "output", written: "result" })
  })
)

it.scopedLive("how a program ended without an answer is told", () =>
  Effect.gen(function* () {
    const exits = yield* startProgram(stubProgram("keep"))
    expect((yield* exits.call({ entry: "exit", arguments: { code: 7 } })).cause).toMatchObject({
      type: "ended",
      ended: { code: 7, signal: null }
    })
    const dies = yield* startProgram(stubProgram("keep"))
    expect((yield* dies.call({ entry: "die" })).cause).toMatchObject({ type: "ended", ended: { signal: "SIGSEGV" } })
  })
)

it.scopedLive("a program that ends while it loads, or takes too long to, does not start", () =>
  Effect.gen(function* () {
    const crash = yield* Effect.flip(startProgram(stubProgram("keep", "crash")))
    expect(crash).toMatchObject({ _tag: "Unavailable", reason: "internal" })
    expect(crash.detail).toContain("exited with code 3")
    const hang = yield* Effect.flip(startProgram(stubProgram("keep", "hang"), { loading: 100 }))
    expect(hang).toMatchObject({ _tag: "Unavailable", reason: "loading" })
  })
)

it.scopedLive("what a call prints is told as progress, in order, without marker and whole characters only", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    const told: Array<unknown> = []
    const text = "é".repeat(100_000)
    yield* call({
      entry: "print",
      arguments: { output: [...Buffer.from(text)], error: [...Buffer.from("ende")] }
    }).pipe(
      Effect.provideService(CurrentCall.CurrentCall, {
        id: "1",
        name: "tool",
        idempotencyKey: "",
        run: { id: "" },
        attempt: 1,
        progress: (value) => Effect.sync(() => void told.push(value))
      })
    )
    const of = (stream: string) =>
      told.flatMap((value) =>
        Predicate.isRecord(value) && value["stream"] === stream && typeof value["text"] === "string"
          ? [value["text"]]
          : []
      )
    expect(of("stdout").join("")).toBe(text)
    expect(of("stdout").length).toBeGreaterThan(1)
    expect(of("stderr")).toEqual(["ende"])
  })
)

it.scopedLive("a watcher that never takes what was printed delays the result, and does not keep it", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    let count = 0
    const ending = yield* call({ entry: "print", arguments: { output: [...Buffer.alloc(600_000, 97)] } }).pipe(
      Effect.provideService(CurrentCall.CurrentCall, {
        id: "1",
        name: "tool",
        idempotencyKey: "",
        run: { id: "" },
        attempt: 1,
        progress: () =>
          Effect.zipRight(
            Effect.sync(() => count++),
            Effect.never
          )
      })
    )
    expect(ending.cause.type).toBe("answered")
    expect(count).toBe(1)
  })
)

it.scopedLive("a script waits for a watcher that is slow, which is told everything", () =>
  Effect.gen(function* () {
    const { call } = yield* usual
    let length = 0
    yield* call({ entry: "print", arguments: { output: [...Buffer.alloc(1_500_000, 97)] } }).pipe(
      Effect.provideService(CurrentCall.CurrentCall, {
        id: "1",
        name: "tool",
        idempotencyKey: "",
        run: { id: "" },
        attempt: 1,
        progress: (value) =>
          Effect.sync(() => {
            if (Predicate.isRecord(value) && typeof value["text"] === "string") length += value["text"].length
          }).pipe(Effect.delay("20 millis"))
      })
    )
    expect(length).toBe(1_500_000)
  })
)
