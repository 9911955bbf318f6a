/** Reads a page on a thread and never closes the scope. */
import { Effect, Scope } from "effect"
import { makeHtmlReader } from "../../src/web/htmlReader.js"
import { startThread } from "../../src/web/thread.js"

const program = Effect.gen(function* () {
  const scope = yield* Scope.make()
  let isStarted = false
  const start = Effect.tap(startThread, () => Effect.sync(() => (isStarted = true)))
  const reader = yield* Scope.extend(makeHtmlReader(start), scope)
  const { title } = yield* reader.read({
    bytes: new TextEncoder().encode(`<title>Tea</title>${"<p>Steep".repeat(1000)}`),
    contentType: "text/html",
    url: "https://example.org/"
  })
  process.stdout.write(`${isStarted ? "on a thread" : "without one"}: ${title}\n`)
})
await Effect.runPromise(program)
