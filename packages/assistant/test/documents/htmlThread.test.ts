/** The HTML of documents is read beside the program, as that of web pages is. */
import { assert, describe, layer } from "@effect/vitest"
import * as Documents from "@wield/assistant/Documents"
import * as Owner from "@wield/assistant/Owner"
import * as SearchIndex from "@wield/assistant/SearchIndex"
import { Duration, Effect, Layer } from "effect"
import { convertHtml } from "../../src/documents/html.js"
import { makeHtmlReader } from "../../src/web/htmlReader.js"
import { NoThread } from "../../src/web/thread.js"
import { databases } from "../databases/databases.js"

const ada = Owner.UserId.make("ada")

const small = `<title>Tea</title>${"<p>Steep it for two minutes.</p>".repeat(100)}`
/** Over half a second of a processor. */
const large = `<h1>Tea</h1>${`<p><a href=x>${"y ".repeat(16)}</a>`.repeat(5900)}`

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([duration, result]) => ({ milliseconds: Duration.toMillis(duration), result }))

describe("the HTML of a document", () => {
  const [file] = databases
  const services = Documents.layer().pipe(
    Layer.provide(SearchIndex.layer()),
    Layer.provide(file?.client ?? Layer.die("no database"))
  )
  layer(services, { excludeTestServices: true })((it) => {
    it.effect(
      "is given up in the middle when nobody waits for it any longer",
      () =>
        Effect.gen(function* () {
          const documents = yield* Documents.Documents
          const inline = yield* timed(Effect.sync(() => convertHtml({ html: large, address: "large.html" })))
          yield* documents.ingest(ada, { address: "small.html", content: small })
          const { milliseconds, result } = yield* timed(
            Effect.timeoutOption(
              documents.ingest(ada, { address: "large.html", content: large }),
              inline.milliseconds / 4
            )
          )
          assert.strictEqual(result._tag, "None")
          assert.isBelow(milliseconds, inline.milliseconds)
          const { change } = yield* documents.ingest(ada, { address: "small.html", content: `${small}<p>Hot` })
          assert.strictEqual(change, "replaced")
        }),
      60_000
    )

    it.effect("reads the same on a thread and without one", () =>
      Effect.gen(function* () {
        const document = { html: small, address: "https://example.org/small.html" }
        const expected = convertHtml(document)
        assert.include(expected.text, "# Tea\n\nSteep it")
        assert.deepStrictEqual(yield* Effect.flatMap(makeHtmlReader(), ({ convert }) => convert(document)), expected)
        const without = makeHtmlReader(new NoThread({ cause: "none here" }))
        assert.deepStrictEqual(yield* Effect.flatMap(without, ({ convert }) => convert(document)), expected)
      }).pipe(Effect.scoped)
    )
  })
})
