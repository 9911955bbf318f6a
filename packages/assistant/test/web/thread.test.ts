/** HTML is read beside the program, not in its way. */
import { assert, describe, it } from "@effect/vitest"
import { WebPage } from "@wield/assistant"
import { Context, Duration, Effect, Either, Layer, Ref, Scope } from "effect"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { makeHtmlReader } from "../../src/web/htmlReader.js"
import { readPage } from "../../src/web/htmlPage.js"
import { NoThread, startThread } from "../../src/web/thread.js"
import { paragraph, sends, site } from "./site.js"

const pageOf = (html: string) => ({
  bytes: new TextEncoder().encode(html),
  contentType: "text/html",
  url: "https://example.org/"
})

const tiny = pageOf(`<title>Tea</title><p>${paragraph}`)
const small = pageOf(`<title>Tea</title>${`<p>${paragraph}</p>`.repeat(20)}`)
/** Over half a second of a processor. */
const large = `<h1>Tea</h1>${`<p><a href=x>${"y ".repeat(16)}</a>`.repeat(5900)}`

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration, result]) => ({ milliseconds: Duration.toMillis(duration), result }))

/** Threads that are started, and those of them that have been ended. */
const counted = Effect.gen(function* () {
  const started = yield* Ref.make(0)
  const ended = yield* Ref.make(0)
  const start = Effect.zipLeft(
    startThread,
    Effect.zipRight(
      Ref.update(started, (count) => count + 1),
      Effect.addFinalizer(() => Ref.update(ended, (count) => count + 1))
    )
  )
  return { start, counts: Effect.all({ started: Ref.get(started), ended: Ref.get(ended) }) }
})

describe("a page of HTML", () => {
  it.scopedLive(
    "is given up in the middle when its time is over",
    () =>
      Effect.gen(function* () {
        const inline = yield* timed(Effect.sync(() => readPage(pageOf(large))))
        const { host, url } = yield* site((asked, response) =>
          sends("text/html", asked.url === "/large" ? large : small.bytes)(asked, response)
        )
        const pages = Context.get(
          yield* Layer.build(WebPage.layer({ timeLimit: "20 seconds" }, { allowedHosts: [host] })),
          WebPage.WebPage
        )
        yield* pages.read(url)
        const { milliseconds, result } = yield* timed(
          Effect.timeoutOption(pages.read(`${url}/large`), inline.milliseconds / 4)
        )
        assert.strictEqual(result._tag, "None")
        assert.isBelow(milliseconds, inline.milliseconds)
        // Whoever reads next does not wait for it.
        assert.include((yield* pages.read(url)).text, "withered")
      }),
    60_000
  )

  it.scopedLive("is read on a thread that is started with the first, kept for the next, and ended with the scope", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted
      const scope = yield* Scope.make()
      const reader = yield* Scope.extend(makeHtmlReader(start), scope)
      assert.deepStrictEqual(yield* counts, { started: 0, ended: 0 })
      for (let time = 0; time < 3; time++) assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 0 })
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
    })
  )

  it.scopedLive("is not worth a thread where it is tiny", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted
      const reader = yield* makeHtmlReader(start)
      assert.deepStrictEqual(yield* reader.read(tiny), readPage(tiny))
      assert.deepStrictEqual(yield* counts, { started: 0, ended: 0 })
    })
  )

  it.scopedLive("ends its thread when nobody waits for it any longer", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted
      const reader = yield* makeHtmlReader(start)
      yield* reader.read(small)
      yield* Effect.timeoutOption(reader.read(pageOf(large)), "20 millis")
      assert.deepStrictEqual(yield* counts, { started: 1, ended: 1 })
      yield* reader.read(small)
      assert.deepStrictEqual(yield* counts, { started: 2, ended: 1 })
    })
  )

  it.scopedLive("that breaks its thread is a fault, and the next is read on another one", () =>
    Effect.gen(function* () {
      const { counts, start } = yield* counted
      const reader = yield* makeHtmlReader(start)
      const broken = yield* Effect.either(reader.read({ ...small, url: "no URL" }))
      assert.ok(Either.isLeft(broken))
      assert.include((yield* reader.read(small)).text, "withered")
      assert.deepStrictEqual(yield* counts, { started: 2, ended: 1 })
    })
  )

  it.scopedLive("is read by the program itself where there can be no thread", () =>
    Effect.gen(function* () {
      const tries = yield* Ref.make(0)
      const reader = yield* makeHtmlReader(
        Effect.zipRight(
          Ref.update(tries, (count) => count + 1),
          new NoThread({ cause: "none here" })
        )
      )
      assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      assert.deepStrictEqual(yield* reader.read(small), readPage(small))
      assert.ok(Either.isLeft(yield* Effect.either(reader.read({ ...small, url: "no URL" }))))
      assert.strictEqual(yield* Ref.get(tries), 1)
    })
  )

  it.scopedLive(
    "keeps no program from ending",
    () =>
      Effect.gen(function* () {
        const program = fileURLToPath(new URL("./readAndEnd.ts", import.meta.url))
        const printed = yield* Effect.async<string>((resume) => {
          execFile(process.execPath, ["--import", "tsx", program], { timeout: 60_000 }, (error, output) =>
            resume(Effect.succeed(error === null ? output : String(error)))
          )
        })
        assert.strictEqual(printed, "on a thread: Tea\n")
      }),
    60_000
  )
})
