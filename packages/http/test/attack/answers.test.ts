/** Answers that no well-meaning server gives: each ends in an answer or a typed failure, never in a defect. */
import { assert, describe, it } from "@effect/vitest"
import { HttpGuard } from "@wield/http"
import { Effect, type Scope } from "effect"
import { createServer } from "node:net"

/** Writes these bytes, whatever it is asked. */
const raw = (answer: string | Buffer): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const tcp = createServer((socket) => {
      socket.on("error", () => undefined)
      socket.once("data", () => socket.end(answer))
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => {
        tcp.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.async<void>((resume) => {
          tcp.close(() => resume(Effect.void))
        })
    )
    const address = tcp.address()
    return `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}/`
  })

const asked = (answer: string | Buffer) =>
  Effect.gen(function* () {
    const url = yield* raw(answer)
    const client = yield* HttpGuard.make({ allowedHosts: ["127.0.0.1"] })
    return yield* Effect.either(
      Effect.flatMap(client.get(url), (response) =>
        Effect.map(response.text, (text) => ({ status: response.status, headers: response.headers, text }))
      )
    )
  }).pipe(Effect.timeout("2 minutes"))

const body = "content-length: 2\r\n\r\nok"

describe("an answer", () => {
  for (const status of ["000", "199", "600", "999"]) {
    it.scopedLive(`with the status ${status}, which there is not, is a typed failure`, () =>
      Effect.gen(function* () {
        const answer = yield* asked(`HTTP/1.1 ${status} Odd\r\n${body}`)
        assert.strictEqual(answer._tag, "Left")
      })
    )
  }

  for (const encoding of ["constructor", "toString", "__proto__", "hasOwnProperty", "gzip, constructor"]) {
    it.scopedLive(`whose encoding is named ${encoding} is no defect`, () =>
      Effect.gen(function* () {
        const answer = yield* asked(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n${body}`)
        // What nobody can decode is handed on as it is.
        assert.ok(answer._tag === "Right" && answer.right.text === "ok", String(answer))
      })
    )
  }

  it.scopedLive("whose header is written in UTF-8 is read all the same", () =>
    Effect.gen(function* () {
      const answer = yield* asked(Buffer.from(`HTTP/1.1 200 OK\r\nx-name: Žluťoučký 漢字\r\nx-plain: yes\r\n${body}`))
      assert.ok(answer._tag === "Right" && answer.right.text === "ok", String(answer))
      assert.strictEqual(answer.right.headers["x-plain"], "yes")
    })
  )

  for (const [what, answer] of Object.entries({
    "no HTTP": "220 smtp ready\r\n",
    nothing: "",
    "half a head": "HTTP/1.1 200 OK\r\nx-a: ",
    "two lengths": "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nok",
    "a chunk of no size": "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n",
    "a body that is cut": "HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\nok",
    "no gzip where it says so": `HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n${body}`,
    "a switch of protocols": "HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "a head without end": `HTTP/1.1 200 OK\r\n${"x-a: aaaaaaaaaaaaaaaaaaaa\r\n".repeat(5000)}`,
    "a redirect to no URL": "HTTP/1.1 302 Found\r\nlocation: http://[\r\ncontent-length: 0\r\n\r\n",
    "a redirect to a file": "HTTP/1.1 302 Found\r\nlocation: file:///etc/passwd\r\ncontent-length: 0\r\n\r\n"
  })) {
    it.scopedLive(`that is ${what} is a typed failure`, () =>
      Effect.map(asked(answer), ({ _tag }) => assert.strictEqual(_tag, "Left"))
    )
  }
})
