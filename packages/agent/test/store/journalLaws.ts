import { expect, type Vitest } from "@effect/vitest"
import { Journal } from "@wield/core"
import { Effect } from "effect"

const key: Journal.Key = { run: "run", call: "turn call_1", digest: "d1" }

const endings: ReadonlyArray<Journal.Ending> = [
  { _tag: "Success", encoded: { a: [1, null, "\0\ud800"] } },
  { _tag: "Success", encoded: null, edited: { amount: 5 } },
  { _tag: "Failure", encoded: "no money" },
  { _tag: "Denied", reason: "too much" },
  { _tag: "TimedOut", limit: 1000 },
  { _tag: "InvalidResult", reference: "ab12" },
  { _tag: "Defect", reference: "cd34" },
  {
    _tag: "Asked",
    input: { round: 2, asks: { size: "?" }, accepts: { type: "string" }, state: [null, 1] },
    digest: "d2",
    isApproved: true,
    reply: "d3",
    edited: { amount: 5 }
  }
]

const cleared = Effect.tap(Journal.Journal, (journal) =>
  Effect.forEach(["run", "run/1", "run2"], (run) => journal.forget(run))
)

/** What every journal keeps to; `begun` is what it says of a call that this process has begun. */
export const journalLaws =
  (begun: "Begun" | "Running") =>
  (it: Vitest.MethodsNonLive<Journal.Journal>): void => {
    it.effect("says of a call that it is fresh once, and begun after", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Fresh" })
        expect((yield* journal.begin(key, "pay"))._tag).toBe(begun)
        expect((yield* journal.begin(key, "pay"))._tag).toBe(begun)
      })
    )

    it.effect("can be looked at, and knows no more for it", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        expect(yield* journal.look(key)).toStrictEqual({ _tag: "Fresh" })
        expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Fresh" })
        expect(yield* journal.look(key)).toStrictEqual({ _tag: "Begun" })
        yield* journal.interrupt(key)
        expect(yield* journal.look(key)).toStrictEqual({ _tag: "Interrupted" })
        const ending: Journal.Ending = { _tag: "Success", encoded: 1 }
        yield* journal.finish(key, ending)
        expect(yield* journal.look(key)).toStrictEqual({ _tag: "Finished", ending })
      })
    )

    it.effect("gives every ending back as it was", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        for (const [index, ending] of endings.entries()) {
          const one = { ...key, call: `call_${index}` }
          yield* journal.begin(one, "pay")
          yield* journal.finish(one, ending)
          expect(yield* journal.begin(one, "pay")).toStrictEqual({ _tag: "Finished", ending })
        }
      })
    )

    it.effect("knows an ending of a call that never began, such as a denial", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        const ending: Journal.Ending = { _tag: "Denied", reason: "no" }
        yield* journal.finish(key, ending)
        expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Finished", ending })
      })
    )

    it.effect("knows a call that was over as it began, and no end of one that was begun before", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        const ending: Journal.Ending = { _tag: "Denied", reason: "no" }
        expect((yield* journal.begin(key, "pay", ending))._tag).toBe("Fresh")
        expect(yield* journal.look(key)).toStrictEqual({ _tag: "Finished", ending })
        yield* journal.abandon(key)
        expect(yield* journal.begin(key, "pay", ending)).toStrictEqual({ _tag: "Finished", ending })
        const other = { ...key, call: "call_other" }
        yield* journal.begin(other, "pay")
        expect((yield* journal.begin(other, "pay", ending))._tag).not.toBe("Fresh")
        expect((yield* journal.look(other))._tag).toBe("Begun")
      })
    )

    it.effect("knows which call was interrupted", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        yield* journal.begin(key, "pay")
        yield* journal.interrupt(key)
        expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Interrupted" })
        yield* journal.finish(key, { _tag: "Success", encoded: 1 })
        expect((yield* journal.begin(key, "pay"))._tag).toBe("Finished")
      })
    )

    it.effect("forgets a call that was abandoned", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        yield* journal.begin(key, "pay")
        yield* journal.abandon(key)
        expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Fresh" })
      })
    )

    it.effect("forgets the calls of one run and of no other", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        for (const run of ["run", "run/1", "run2"]) yield* journal.begin({ ...key, run }, "pay")
        yield* journal.forget("run")
        expect((yield* journal.begin(key, "pay"))._tag).toBe("Fresh")
        expect((yield* journal.begin({ ...key, run: "run/1" }, "pay"))._tag).toBe(begun)
        expect((yield* journal.begin({ ...key, run: "run2" }, "pay"))._tag).toBe(begun)
      })
    )

    it.effect("keeps calls apart whose names differ only in what a database cannot say", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        const calls = ["", "\0", "a\0b", "a", "\\u0000", "\ud800", "\udc00", "'", "call_1 "]
        for (const call of calls) expect((yield* journal.begin({ ...key, call }, "pay"))._tag).toBe("Fresh")
        expect((yield* journal.begin({ ...key, digest: "d2" }, "pay"))._tag).toBe("Fresh")
        for (const call of calls) expect((yield* journal.begin({ ...key, call }, "pay"))._tag).toBe(begun)
      })
    )

    it.effect("says to one of many who begin a call at once that it is fresh", () =>
      Effect.gen(function* () {
        const journal = yield* cleared
        const known = yield* Effect.forEach(Array.from({ length: 50 }), () => journal.begin(key, "pay"), {
          concurrency: "unbounded"
        })
        expect(known.filter(({ _tag }) => _tag === "Fresh")).toHaveLength(1)
        expect(known.filter(({ _tag }) => _tag === begun)).toHaveLength(49)
      })
    )
  }
