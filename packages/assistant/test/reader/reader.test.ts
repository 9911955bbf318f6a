/** HTML and PDFs are read beside the program, not in its way. */
import { deflateSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Either, Exit, Fiber, Ref, Scope, TestClock } from "effect"
import { makeReader, NoProcess, type PageLimits, type ReaderProcess, startProcess } from "../../src/reader/reader.js"
import { perform } from "../../src/reader/work.js"
import { readPage } from "../../src/web/html.js"
import { pdfOf, pdfWith } from "../documents/pdf.js"
import { bundleOf } from "../../../../test/programs.js"
import { paragraph } from "../web/site.js"

const pageOf = (html: string) => ({
  bytes: new TextEncoder().encode(html),
  contentType: "text/html",
  url: "https://example.org/"
})

const tiny = pageOf(`<title>Tea</title><p>${paragraph}`)
const small = pageOf(`<title>Tea</title>${`<p>${paragraph}</p>`.repeat(20)}`)

const limits = { megabytes: 512, processorTime: Duration.seconds(20) }

/** A PDF of a few bytes that unpacks to so many. */
const bombOf = (size: number) => {
  const once = deflateSync(Buffer.alloc(size, " "), { level: 9 })
  return pdfWith(deflateSync(once, { level: 9 }), ["FlateDecode", "FlateDecode"])
}

const startBundle = (limits: PageLimits) =>
  Effect.flatMap(bundleOf(new URL("../../src/ReaderProcess.ts", import.meta.url)), (bundle) =>
    startProcess(limits, bundle)
  )

/** Processes that are started, and those of them that have been ended. */
const counted = (start: ReturnType<typeof startProcess> = startBundle(limits)) =>
  Effect.gen(function* () {
    const started = yield* Ref.make(0)
    const ended = yield* Ref.make(0)
    const counting = Effect.zipLeft(
      start,
      Effect.zipRight(
        Ref.update(started, (count) => count + 1),
        Effect.addFinalizer(() => Ref.update(ended, (count) => count + 1))
      )
    )
    return { start: counting, counts: Effect.all({ started: Ref.get(started), ended: Ref.get(ended) }) }
  })

/** A process that is asked and never answers. */
const busy = Effect.succeed<ReaderProcess>({ run: () => Effect.never })

/** A process that answers in no time. */
const idle = Effect.succeed<ReaderProcess>({ run: (task) => Effect.promise(() => perform(task)) })

describe("a reader", () => {
  it.scoped("starts a process with the first page, keeps it for the next, and ends it with the scope", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted()
      const scope = yield* Scope.make()
      const reader = yield* Scope.extend(makeReader(start), scope)
      assert.deepStrictEqual(yield* reader.read(tiny), readPage(tiny))
      // Tiny pages are not worth a process.
      assert.deepStrictEqual(yield* counts, { started: 0, ended: 0 })
      for (let time = 0; time < 2; time++) assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      const pdf = { bytes: yield* pdfOf(["Steep it.", "Drink it."]), limit: 100 }
      assert.deepStrictEqual(yield* reader.readPdf(pdf), { _tag: "Pages", pages: ["Steep it.", "Drink it."] })
      assert.deepStrictEqual(yield* reader.readPdf({ ...pdf, limit: 10 }), { _tag: "TooLong", length: 18 })
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 0 })

      // What breaks a process is a fault; the next page is read in another one.
      assert.ok(Either.isLeft(yield* Effect.either(reader.read({ ...small, url: "no URL" }))))
      assert.include((yield* reader.read(small)).text, "withered")
      assert.deepStrictEqual(yield* counts, { started: 2, ended: 1 })
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* counts, { started: 2, ended: 2 })
    })
  )

  it.scopedLive("ends a process that a PDF of a few bytes has grow too large, and not the program", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted(startBundle({ ...limits, megabytes: 200 }))
      const reader = yield* makeReader(start)
      const bytes = bombOf(250_000_000)
      assert.isBelow(bytes.length, 2000)
      assert.match((yield* Effect.flip(reader.readPdf({ bytes, limit: 1000 }))).detail, /MB of memory/)
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
      assert.include((yield* reader.read(small)).text, "withered")
    })
  )

  it.scopedLive("ends a process that takes more of the processor than one page may", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted(startBundle({ megabytes: 4096, processorTime: Duration.millis(50) }))
      const reader = yield* makeReader(start)
      const fault = yield* Effect.flip(reader.readPdf({ bytes: bombOf(50_000_000), limit: 1000 }))
      assert.match(fault.detail, /of processor time/)
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
    })
  )

  it.scoped("ends a process that never answers", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted(busy)
      const reader = yield* makeReader(start)
      const reading = yield* Effect.fork(Effect.flip(reader.read(small)))
      yield* TestClock.adjust("5 minutes")
      assert.match((yield* Fiber.join(reading)).detail, /more than 20s of processor time/)
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
    })
  )

  it.scoped("ends a process that nobody waits for any longer, and starts another for who asks next", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted(busy)
      const reader = yield* makeReader(start)
      const first = yield* Effect.fork(reader.read(small))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 0 })
      yield* Fiber.interrupt(first)
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
      yield* Effect.fork(reader.read(small))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* counts, { started: 2, ended: 1 })
    })
  )

  it.scopedLive("reads HTML by itself where there can be no process, and no PDF", () =>
    Effect.gen(function* () {
      const tries = yield* Ref.make(0)
      const reader = yield* makeReader(
        Effect.zipRight(
          Ref.update(tries, (count) => count + 1),
          new NoProcess({ cause: "none here" })
        )
      )
      assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      assert.ok(Either.isLeft(yield* Effect.either(reader.read({ ...small, url: "no URL" }))))
      assert.strictEqual(yield* Ref.get(tries), 1)
      const fault = yield* Effect.flip(reader.readPdf({ bytes: yield* pdfOf(["Steep it."]), limit: 100 }))
      assert.include(fault.detail, "none can be started here")
    })
  )

  it.scoped("ends a process that has nothing to do for a while, so that it keeps no program from ending", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted(idle)
      const reader = yield* makeReader(start)
      for (const started of [1, 2]) {
        yield* reader.read(small)
        assert.deepStrictEqual(yield* counts, { started, ended: started - 1 })
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* counts, { started, ended: started })
      }
    })
  )
})
