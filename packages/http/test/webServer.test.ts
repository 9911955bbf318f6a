import { request } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { expect, it } from "@effect/vitest"
import { RequestGuard, WebServer } from "@wield/http"
import { Deferred, Effect, type Scope } from "effect"
import { causeOf, untyped } from "../../../test/untyped.js"

const client = (port: number) =>
  Effect.acquireRelease(
    Effect.sync(() => connect(port, "127.0.0.1").on("error", () => undefined)),
    (socket) => Effect.sync(() => socket.destroy())
  )

it.scopedLive("A client that stops reading is cut off, and its response is ended", () =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<void>()
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => Deferred.unsafeDone(ended, Effect.void)
    })
    const port = yield* WebServer.listen(async () => new Response(endless), {
      host: "127.0.0.1",
      port: 0,
      patience: 50
    })
    const socket = yield* client(port)
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    // Never read.
    socket.pause()
    yield* Deferred.await(ended)
  })
)

it.scopedLive("Each cookie of an answer is one", () =>
  Effect.gen(function* () {
    const headers = new Headers([
      ["set-cookie", "a=1"],
      ["set-cookie", "b=2"],
      ["x-one", "1"]
    ])
    const port = yield* WebServer.listen(async () => new Response("ok", { headers }), { host: "127.0.0.1", port: 0 })
    const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"])
    expect(answer.headers.get("x-one")).toBe("1")
    expect(yield* Effect.promise(() => answer.text())).toBe("ok")
  })
)

it.scopedLive("A client that waits for a slow answer is not", () =>
  Effect.gen(function* () {
    const asked: Array<Request> = []
    const slow = async (request: Request) => {
      asked.push(request)
      await new Promise((resolve) => setTimeout(resolve, 200))
      return new Response(`at last, ${request.signal.aborted ? "too late" : "in time"}`)
    }
    const port = yield* WebServer.listen(slow, { host: "127.0.0.1", port: 0, patience: 20 })
    const text = yield* Effect.tryPromise(async () => (await fetch(`http://127.0.0.1:${port}`)).text()).pipe(
      // A busy machine may need more than 20 ms to send the request: until it has, the server owes no patience.
      Effect.retry({ while: () => asked.length === 0 })
    )
    expect(text).toBe("at last, in time")
  })
)

const early: ReadonlyArray<readonly [string, (request: Request) => Promise<unknown>]> = [
  ["is not read", async () => undefined],
  ["is read in part, and cancelled", (request) => RequestGuard.readText(request, 100)],
  ["is read in part", async (request) => request.body?.getReader().read()]
]

it.scopedLive.each(early)("A request whose body %s is answered, and so is the next one of its connection", ([, read]) =>
  Effect.gen(function* () {
    const handle = async (request: Request) => {
      if (request.method === "POST") await read(request)
      return new Response(request.method)
    }
    const port = yield* WebServer.listen(handle, { host: "127.0.0.1", port: 0 })
    const socket = yield* client(port)
    const size = 4_000_000
    const piece = `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${piece}0\r\n\r\n`)
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    const answers = yield* Effect.promise(() => text(socket))
    expect(answers).toMatch(/POST[^]*GET/)
  })
)

const soon = () => new Promise((resolve) => setTimeout(resolve, 50))

const late: ReadonlyArray<readonly [string, number, (request: Request) => Promise<unknown>]> = [
  ["it has not been read", 5_000_000, (request) => soon().then(() => request.text())],
  ["it is being read", 5_000_000, (request) => request.text()],
  ["it is small", 3, (request) => soon().then(() => request.text())],
  [
    "it was read in part",
    5_000_000,
    async (request) => {
      const reader = request.body?.getReader()
      await reader?.read()
      await soon()
      return reader?.read()
    }
  ]
]

it.scopedLive.each(late)("A body is not taken to end where the request is answered while %s", ([, size, read]) =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<unknown>()
    const handle = async (request: Request) => {
      void read(request).then(
        () => Deferred.unsafeDone(done, Effect.succeed("ended")),
        (error: unknown) => Deferred.unsafeDone(done, Effect.succeed(error))
      )
      return new Response("early")
    }
    const port = yield* WebServer.listen(handle, { host: "127.0.0.1", port: 0 })
    const body = "a".repeat(size)
    const answer = Effect.promise(async () =>
      (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body })).text()
    )
    expect(yield* answer).toBe("early")
    expect(String(yield* Deferred.await(done))).toContain("The request was answered before its body was read")
  })
)

it.scopedLive("A body that had come to its end ends also after the answer", () =>
  Effect.gen(function* () {
    const done = yield* Deferred.make<unknown>()
    const readToEnd = async (reader: ReadableStreamDefaultReader<Uint8Array> | undefined) => {
      await soon()
      return (await reader?.read())?.done
    }
    const handle = async (request: Request) => {
      const reader = request.body?.getReader()
      await reader?.read()
      await soon()
      const read = readToEnd(reader)
      Deferred.unsafeDone(
        done,
        Effect.promise(() => read)
      )
      return new Response("whole")
    }
    const port = yield* WebServer.listen(handle, { host: "127.0.0.1", port: 0 })
    yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "abc" }))
    expect(yield* Deferred.await(done)).toBe(true)
  })
)

const refused: ReadonlyArray<readonly [string, (request: Request) => Promise<unknown>]> = [
  ["POST /", async () => undefined],
  ["POST /", (request) => RequestGuard.readText(request, 100)],
  ["GET /", async () => undefined],
  ["TRACE /", async () => undefined]
]

it.scopedLive.each(refused)("A client of %s that sends without end after its answer is cut off", ([line, read]) =>
  Effect.gen(function* () {
    const handle = async (request: Request) => {
      await read(request)
      return new Response("no", { status: 401 })
    }
    const port = yield* WebServer.listen(handle, { host: "127.0.0.1", port: 0 })
    const socket = yield* client(port)
    let received = ""
    socket.on("data", (piece) => (received += String(piece)))
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`)
    const piece = `10000\r\n${"a".repeat(0x10000)}\r\n`
    const send = () => {
      while (!socket.destroyed && socket.bytesWritten < 200_000_000 && socket.write(piece)) continue
    }
    socket.on("drain", send)
    send()
    yield* Effect.async<void>((resume) => void socket.on("close", () => resume(Effect.void)))
    expect(received).toMatch(/^HTTP\/1.1 40[01]/)
    expect(socket.bytesWritten).toBeLessThan(100_000_000)
  })
)

it.scopedLive("A client that sends little by little after its answer is cut off, too", () =>
  Effect.gen(function* () {
    const port = yield* WebServer.listen(async () => new Response("no"), {
      host: "127.0.0.1",
      port: 0,
      patience: 200
    })
    const socket = yield* client(port)
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    const timer = setInterval(() => socket.write("1\r\na\r\n"), 20)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
    yield* Effect.async<void>((resume) => void socket.resume().on("close", () => resume(Effect.void)))
  })
)

it.scopedLive("A request that the web does not know is refused", () =>
  Effect.gen(function* () {
    const port = yield* WebServer.listen(async () => new Response("here"), { host: "127.0.0.1", port: 0 })
    const statusOf = (method: string, path: string) =>
      Effect.async<number | undefined>((resume) => {
        request({ port, method, path, agent: false }, ({ statusCode }) => resume(Effect.succeed(statusCode))).end()
      })
    expect(yield* statusOf("TRACE", "/")).toBe(400)
    expect(yield* statusOf("OPTIONS", "*")).toBe(400)
  })
)

it.scopedLive(
  "An address that is misspelt or incomplete is refused: without its host, all machines would be listened to",
  () =>
    Effect.gen(function* () {
      const listen = untyped<Effect.Effect<number, unknown, Scope.Scope>>(WebServer.listen)
      const refusalOf = (address: unknown) => causeOf(listen(async () => new Response("here"), address))
      expect(yield* refusalOf({ hots: "127.0.0.1", port: 0 })).toContain(
        "has no option hots; there are host, port, patience"
      )
      for (const host of [undefined, null, ""]) {
        expect(yield* refusalOf({ host, port: 0 })).toContain("host must be a name or an address")
      }
      for (const port of ["any", 1.5, 70_000]) {
        expect(yield* refusalOf({ host: "127.0.0.1", port })).toContain("port must be a whole number from 0 to 65535")
      }
      // A timer of Node takes both for something else.
      for (const patience of [0, Infinity]) {
        expect(yield* refusalOf({ host: "127.0.0.1", port: 0, patience })).toContain("patience must be a whole number")
      }
      expect(yield* causeOf(listen({}, { host: "127.0.0.1", port: 0 }))).toContain("must be a function")
      for (const address of [null, new Map([["host", "127.0.0.1"]]), Promise.resolve({ host: "127.0.0.1", port: 0 })]) {
        expect(yield* refusalOf(address)).toContain("must be an object with options of its own")
      }
    })
)
