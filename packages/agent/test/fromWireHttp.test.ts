/** What `Model.fromWire` makes of a connection: further tries, time limits, bounds, secrets, interruption. */
import {
  FetchHttpClient,
  HttpClient,
  HttpClientRequest,
  HttpClientResponse,
  HttpServerResponse
} from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Model, ModelError } from "@wield/agent"
import { Content, type Loss, ToolDefinition, Turn } from "@wield/core"
import { Anthropic, BedrockConverse, Gemini, Ollama, OpenAiChat } from "@wield/providers"
import {
  Cause,
  Deferred,
  Effect,
  Exit,
  Fiber,
  Inspectable,
  type Layer,
  Logger,
  LogLevel,
  Option,
  Redacted,
  Runtime,
  Stream,
  TestClock,
  Tracer
} from "effect"
import { inspect } from "node:util"
import { type Answer, breaking, loopback } from "./loopback.js"

const live = it.scopedLive
const secret = "sk-Zx9:the+secret/key=="
const key = Redacted.make(secret)
const question: Model.ModelRequest = {
  messages: [{ _tag: "User", content: [Content.text("Hello?")], native: undefined }],
  definitions: []
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Effect.succeed(HttpServerResponse.unsafeJson(body, { status, headers }))
const line = (content: string, done: boolean) =>
  new TextEncoder().encode(
    `${JSON.stringify({ message: { role: "assistant", content }, done, done_reason: "stop" })}\n`
  )
const answer = { message: { role: "assistant", content: "Hello." }, done: true, done_reason: "stop" }
const lines = (body: Stream.Stream<Uint8Array>) =>
  HttpServerResponse.stream(body, { contentType: "application/x-ndjson" })

const dripping = (status: number, contentType: string) =>
  HttpServerResponse.stream(Stream.repeatEffect(Effect.as(Effect.sleep(20), new TextEncoder().encode("\n"))), {
    status,
    contentType
  })

const ask = (model: Model.Model, request: Model.ModelRequest = question) => Stream.runCollect(model.stream(request))
const ollama = (url: string, options: Partial<Model.WireOptions> = {}) =>
  Model.fromWire(Ollama.format, { model: "m", url, retry: { delay: 1 }, ...options })

/** The error, where it is one of this kind and nothing was told before it. */
const failing = (model: Model.Model) => Effect.flip(ask(model))

live("gives calls the digits of long whole numbers, streamed or not", () =>
  Effect.gen(function* () {
    const body = `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"drop","arguments":{"id":12345678901234567890,"share":0.12345678901234567890}}}]},"done":true,"done_reason":"stop"}\n`
    for (const contentType of ["application/x-ndjson", "application/json"]) {
      const server = yield* loopback(() => Effect.succeed(HttpServerResponse.text(body, { contentType })))
      const last = Array.from(yield* ask(yield* ollama(server.url))).at(-1)
      const calls = last?._tag === "Finished" ? Turn.calls(last.turn) : []
      expect(calls.map((call) => call.arguments)).toEqual([{ id: "12345678901234567890", share: 0.12345678901234568 }])
    }
  }).pipe(Effect.provide(NodeHttpClient.layer))
)

it.effect("waits ten times as long as for a piece, where pieces say nothing of the turn", () =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    let pieces = 0
    const body = new ReadableStream({
      pull: async (controller) => {
        pieces++
        await Runtime.runPromise(runtime, TestClock.adjust("90 millis"))
        controller.enqueue(new TextEncoder().encode("\n"))
      }
    })
    const response = new Response(body, { headers: { "content-type": "application/x-ndjson" } })
    const client = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, response)))
    const model = yield* Effect.provideService(
      ollama("http://localhost", { timeouts: { piece: 200 } }),
      HttpClient.HttpClient,
      client
    )
    expect(yield* failing(model)).toMatchObject({ _tag: "ModelTimedOut", waitedFor: "piece", limit: 2000 })
    expect(pieces).toBeGreaterThan(20)
  })
)

describe("sending again", () => {
  live("waits for what a limited request is told, and comes to a turn", () =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const server = yield* loopback((_, index) => {
        times.push(performance.now())
        return index === 0 ? json({ error: "slow down" }, 429, { "retry-after-ms": "150" }) : json(answer)
      })
      const events = yield* ask(yield* ollama(server.url))
      expect(Array.from(events, (event) => event._tag)).toEqual(["TextDelta", "Finished"])
      expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(149)
      expect(server.requests.map(({ body }) => body)).toEqual([server.requests[0]?.body, server.requests[0]?.body])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("gives up after three further tries where the provider stays unavailable", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => json({ error: "down" }, 503))
      expect((yield* failing(yield* ollama(server.url)))._tag).toBe("ProviderUnavailable")
      expect(server.requests).toHaveLength(4)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("tries again where the connection breaks before anything was told, and says where it led", () =>
    Effect.gen(function* () {
      const server = yield* breaking(new Uint8Array(), "")
      const error = yield* failing(yield* ollama(`${server.url}/base`))
      expect(error).toMatchObject({ _tag: "Unreachable", format: "ollama", url: `${server.url}/base/api/chat` })
      expect(server.count()).toBe(4)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("goes by the status where the application's client takes it for a failure", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => json({ error: "model 'm' not found" }, 404))
      const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
      const model = yield* Effect.provideService(ollama(server.url), HttpClient.HttpClient, client)
      expect(yield* failing(model)).toMatchObject({ _tag: "RequestRejected", detail: "model 'm' not found" })
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("follows no redirect, which would be sent the key", () =>
    Effect.gen(function* () {
      const elsewhere = yield* loopback(() => json(answer))
      const server = yield* loopback(() => json({}, 307, { location: `${elsewhere.url}/api/chat` }))
      const error = yield* failing(yield* ollama(server.url, { key }))
      expect(error).toMatchObject({ _tag: "RequestRejected", status: 307 })
      expect([server.requests.length, elsewhere.requests.length]).toEqual([1, 0])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

/** Clients of HTTP, each with its own way to be interrupted. */
const clients: ReadonlyArray<{ readonly name: string; readonly layer: Layer.Layer<HttpClient.HttpClient> }> = [
  { name: "node:http", layer: NodeHttpClient.layer },
  { name: "undici", layer: NodeHttpClient.layerUndici },
  { name: "fetch", layer: FetchHttpClient.layer }
]

describe.each(clients)("over $name", ({ layer }) => {
  /** A server whose answers never end, and what becomes of their connections. */
  const endless = (before: ReadonlyArray<Uint8Array>) =>
    Effect.gen(function* () {
      const isAsked = yield* Deferred.make<void>()
      const isClosed = yield* Deferred.make<void>()
      const waiting = Effect.zipRight(Deferred.succeed(isAsked, undefined), Effect.never).pipe(
        Effect.onInterrupt(() => Deferred.succeed(isClosed, undefined))
      )
      const reply: Answer = () =>
        before.length === 0
          ? waiting
          : Effect.succeed(lines(Stream.concat(Stream.fromIterable(before), Stream.execute(waiting))))
      const server = yield* loopback(reply)
      return { url: server.url, isAsked: Deferred.await(isAsked), isClosed: Deferred.await(isClosed) }
    })

  live("closes the connection where it is interrupted before the response begins", () =>
    Effect.gen(function* () {
      const server = yield* endless([])
      const fiber = yield* Effect.fork(ask(yield* ollama(server.url)))
      yield* server.isAsked
      yield* Fiber.interrupt(fiber)
      yield* server.isClosed
    }).pipe(Effect.provide(layer))
  )

  live("closes the connection where it is interrupted within the response", () =>
    Effect.gen(function* () {
      const server = yield* endless([line("Hel", false)])
      const isTold = yield* Deferred.make<void>()
      const model = yield* ollama(server.url)
      const fiber = yield* Effect.fork(
        Stream.runForEach(model.stream(question), () => Deferred.succeed(isTold, undefined))
      )
      yield* Deferred.await(isTold)
      yield* Fiber.interrupt(fiber)
      yield* server.isClosed
    }).pipe(Effect.provide(layer))
  )

  live("closes the connection where no more is wanted", () =>
    Effect.gen(function* () {
      const server = yield* endless([line("Hel", false)])
      const model = yield* ollama(server.url)
      expect(yield* Stream.runCount(Stream.take(model.stream(question), 1))).toBe(1)
      yield* server.isClosed
    }).pipe(Effect.provide(layer))
  )

  live("fails, and closes the connection, where no response begins in time, and tries again", () =>
    Effect.gen(function* () {
      const closed: Array<number> = []
      const server = yield* loopback((_, index) =>
        index < 2 ? Effect.onInterrupt(Effect.never, () => Effect.sync(() => closed.push(index))) : json(answer)
      )
      // On a busy machine the answer of the third may be late as well.
      const model = yield* ollama(server.url, { timeouts: { response: 100 }, retry: { delay: 1, times: 1000 } })
      expect((yield* ask(model)).length).toBe(2)
      expect(server.requests.length).toBeGreaterThanOrEqual(3)
      expect(closed.toSorted((left, right) => left - right).slice(0, 2)).toEqual([0, 1])
      const error = yield* failing(
        yield* ollama((yield* endless([])).url, { timeouts: { response: 50 }, retry: false })
      )
      expect(error).toMatchObject({ _tag: "ModelTimedOut", waitedFor: "response", limit: 50 })
    }).pipe(Effect.provide(layer))
  )

  live("fails where the next piece does not come in time, with the turn as far as it came", () =>
    Effect.gen(function* () {
      // Both lines come as one piece, and the time for it is long enough for a busy machine.
      const server = yield* endless([Buffer.concat([line("Hel", false), line("lo", false)])])
      const model = yield* ollama(server.url, { timeouts: { piece: 500 } })
      const tags: Array<string> = []
      let turn: Turn.Turn | undefined
      const error = yield* model.stream(question).pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            tags.push(event._tag)
            if (event._tag === "Finished") turn = event.turn
          })
        ),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "ModelTimedOut", waitedFor: "piece", limit: 500 })
      expect(tags).toEqual(["TextDelta", "TextDelta", "Finished"])
      expect(turn === undefined ? undefined : [turn.isComplete, Turn.text(turn)]).toEqual([false, "Hello"])
      yield* server.isClosed
    }).pipe(Effect.provide(layer))
  )

  for (const contentType of ["application/x-ndjson", "application/json"]) {
    live(`fails where pieces of ${contentType} come for ever that say nothing of the turn`, () =>
      Effect.gen(function* () {
        const server = yield* loopback(() => Effect.succeed(dripping(200, contentType)))
        const model = yield* ollama(server.url, { timeouts: { piece: 200 } })
        // On a busy machine, even one of these pieces may come too late.
        expect(yield* failing(model)).toMatchObject({ _tag: "ModelTimedOut", waitedFor: "piece" })
      }).pipe(Effect.provide(layer))
    )
  }

  live("reads the words of an error as far as they come in time", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => Effect.succeed(dripping(400, "text/plain")))
      const model = yield* ollama(server.url, { timeouts: { piece: 200 }, retry: false })
      expect(yield* failing(model)).toMatchObject({ _tag: "RequestRejected", status: 400 })
    }).pipe(Effect.provide(layer))
  )

  live("tells nothing of the key where the API is unreachable, and where it quotes the key", () =>
    Effect.gen(function* () {
      const quoting = yield* loopback(({ headers }) => {
        const quoted = `Wrong key: ${headers["authorization"] ?? ""}; ${headers["x-gateway"] ?? ""}; ${headers["x-signed"] ?? ""}`
        return json({ error: quoted }, 401)
      })
      const streaming = yield* loopback(({ headers }) =>
        Effect.succeed(
          lines(Stream.make(new TextEncoder().encode(`{"error":"No: ${headers["authorization"] ?? ""}"}\n`)))
        )
      )
      const closing = yield* breaking(new Uint8Array(), "")
      const options: Partial<Model.WireOptions> = {
        key,
        headers: { "X-Gateway": Redacted.make("gateway-token-1"), "x-plain": "plain" },
        prepareRequest: (request) =>
          Effect.succeed(HttpClientRequest.setHeader(request, "x-signed", "signature-abcdef")),
        retry: false
      }
      const spans: Array<Tracer.Span> = []
      const tracer = recording(spans)
      const logs: Array<string> = []
      const logger = Logger.make((entry) => logs.push(Inspectable.toStringUnknown(entry.message), inspect(entry)))
      for (const url of [quoting.url, streaming.url, closing.url, "http://127.0.0.1:1"]) {
        const model = yield* ollama(url, options)
        const exit = yield* Effect.exit(
          Effect.tapErrorCause(ask(model), (cause) => Effect.logError("The model failed", cause))
        ).pipe(
          Effect.withTracer(tracer),
          Effect.withSpan("test"),
          Effect.withTracer(tracer),
          Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
          Logger.withMinimumLogLevel(LogLevel.All)
        )
        const cause = Exit.isFailure(exit) ? exit.cause : Cause.empty
        const failure = Option.getOrThrow(Cause.failureOption(cause))
        const told = [
          Cause.pretty(cause, { renderErrorCause: true }),
          inspect(exit, { depth: 10, showHidden: true }),
          JSON.stringify(exit),
          inspect(model, { depth: 10, showHidden: true }),
          failure.message,
          ...logs,
          ...spans.map(shown)
        ].join("\n")
        expect(told).toContain(failure._tag)
        expect(failure._tag).toBe(
          url === quoting.url ? "NotAuthorized" : url === streaming.url ? "ProviderUnavailable" : "Unreachable"
        )
        for (const part of [secret, "Zx9:the", "gateway-token-1", "signature-abcdef"]) expect(told).not.toContain(part)
      }
      // The client of HTTP has told its requests, with their headers.
      const ofClient = spans.filter((span) => span.kind === "client")
      expect(ofClient).toHaveLength(4)
      for (const span of ofClient) {
        expect(shown(span)).toContain("plain")
        for (const name of ["authorization", "x-gateway", "x-signed"])
          expect(String(span.attributes.get(`http.request.header.${name}`))).toBe("<redacted>")
      }
      expect(logs.length).toBeGreaterThan(0)
      expect(quoting.requests[0]?.headers).toMatchObject({
        authorization: `Bearer ${secret}`,
        "x-gateway": "gateway-token-1",
        "x-signed": "signature-abcdef"
      })
    }).pipe(Effect.provide(layer))
  )

  live("sends a key without the line break of the file that it was read from, and none that no header can carry", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => json(answer))
      yield* ask(yield* ollama(server.url, { key: Redacted.make(`${secret}\n`) }))
      expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${secret}`)
      const error = yield* failing(yield* ollama(server.url, { key: Redacted.make(`${secret}\n${secret}`) }))
      expect(error).toMatchObject({ _tag: "RequestRejected", parameter: "authorization" })
      expect(error.message).not.toContain(secret)
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.provide(layer))
  )
})

const recording = (spans: Array<Tracer.Span>): Tracer.Tracer => {
  const native = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      const attributes = new Map<string, unknown>()
      const events: Array<unknown> = []
      let status: Tracer.SpanStatus = { _tag: "Started", startTime }
      const span: Tracer.Span & { readonly events: ReadonlyArray<unknown> } = {
        _tag: "Span",
        name,
        spanId: String(spans.length).padStart(16, "0"),
        traceId: "0".repeat(32),
        parent,
        context,
        links,
        kind,
        sampled: true,
        attributes,
        events,
        get status() {
          return status
        },
        end: (endTime, exit) => (status = { _tag: "Ended", startTime, endTime, exit }),
        attribute: (name, value) => void attributes.set(name, value),
        event: (name, time, more) => void events.push([name, time, more]),
        addLinks: () => undefined
      }
      spans.push(span)
      return span
    },
    context: (run) => run()
  })
  return native
}

/** What an exporter of spans makes of one. */
const shown = (span: Tracer.Span): string => {
  const { status } = span
  const failure =
    status._tag === "Ended" && Exit.isFailure(status.exit)
      ? Cause.prettyErrors(status.exit.cause).map((error) => `${error.message}\n${error.stack ?? ""}`)
      : []
  return [span.name, ...Array.from(span.attributes, ([name, value]) => `${name}=${String(value)}`), ...failure].join(
    "\n"
  )
}

describe("the address", () => {
  live("may have a path and a query of its own, and one more parameter in each request", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => json({ error: { message: "no" } }, 400))
      const spans: Array<Tracer.Span> = []
      const url = `${server.url}/openai/deployments/mine/?api-version=2024-10-21`
      const model = yield* Model.fromWire(OpenAiChat.format, { model: "m", url, key })
      yield* Effect.withTracer(failing(model), recording(spans))
      expect(server.requests[0]?.path).toBe("/openai/deployments/mine/chat/completions?api-version=2024-10-21")
      expect(spans.filter((span) => span.kind === "client")).toHaveLength(1)

      const withKey = yield* Model.fromWire(Gemini.format, {
        model: "m",
        url: server.url,
        prepareRequest: (request) => Effect.succeed(HttpClientRequest.setUrlParam(request, "key", secret))
      })
      const error = yield* Effect.withTracer(failing(withKey), recording(spans))
      expect(server.requests[1]?.path).toBe(`/models/m:streamGenerateContent?alt=sse&key=${encodeURIComponent(secret)}`)
      // A parameter that may be a key is in no span: there is none.
      expect(spans.filter((span) => span.kind === "client")).toHaveLength(1)
      expect(inspect(error)).not.toContain(secret)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("has to be given where each region has its own, and has to be one", () =>
    Effect.gen(function* () {
      const none = yield* failing(yield* Model.fromWire(BedrockConverse.format, { model: "m" }))
      expect(none.message).toContain("BedrockConverse.regionUrl")
      const wrong = yield* failing(yield* ollama("localhost-and-the-key"))
      expect(wrong._tag).toBe("Unreachable")
      expect(wrong.message).not.toContain("localhost-and-the-key")
      expect(wrong.message).toContain("https://")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

describe("the request", () => {
  live("has the settings of the model, and before them those of the request", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => json({}, 400))
      const model = yield* Model.fromWire(Anthropic.format, {
        model: "m",
        url: server.url,
        headers: { "Anthropic-Version": "2099-01-01", "anthropic-beta": "a" },
        settings: { temperature: 1, max_tokens: 9 }
      })
      yield* failing(model)
      yield* Effect.flip(ask(model, { ...question, settings: { temperature: 0 } }))
      expect(server.requests.map(({ body }) => [body["temperature"], body["max_tokens"], body["stream"]])).toEqual([
        [1, 9, true],
        [0, 9, true]
      ])
      expect(server.requests[0]?.headers).toMatchObject({ "anthropic-version": "2099-01-01", "anthropic-beta": "a" })
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("is prepared anew for each try, and not sent where that fails", () =>
    Effect.gen(function* () {
      const server = yield* loopback((_, index) => (index < 2 ? json({}, 500) : json(answer)))
      let signatures = 0
      const model = yield* ollama(server.url, {
        prepareRequest: (request) =>
          Effect.sync(() => HttpClientRequest.setHeader(request, "x-signed", `signature ${++signatures}`))
      })
      yield* ask(model)
      expect(server.requests.map(({ headers }) => headers["x-signed"])).toEqual([1, 2, 3].map((n) => `signature ${n}`))
      const refused = new ModelError.Unreachable({ format: "ollama", url: "the signer", detail: "no credentials" })
      const unsigned = yield* ollama(server.url, { retry: false, prepareRequest: () => Effect.fail(refused) })
      expect(yield* failing(unsigned)).toBe(refused)
      expect(server.requests).toHaveLength(3)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("tells what its format could not say, once for each request, to whom it is told to or at level DEBUG", () =>
    Effect.gen(function* () {
      const server = yield* loopback((_, index) => (index === 0 ? json({}, 503) : json(answer)))
      const required: Model.ModelRequest = {
        ...question,
        definitions: [ToolDefinition.make({ name: "now" })],
        options: { choice: { _tag: "Required" } }
      }
      const losses: Array<ReadonlyArray<Loss.Loss>> = []
      yield* ask(yield* ollama(server.url, { onLosses: (each) => Effect.sync(() => losses.push(each)) }), required)
      expect(losses.map((each) => each.length)).toEqual([1])
      const logs: Array<readonly [level: string, message: string]> = []
      const logger = Logger.make((entry) => void logs.push([entry.logLevel.label, String(entry.message)]))
      yield* ask(yield* ollama(server.url), required).pipe(
        Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
        Logger.withMinimumLogLevel(LogLevel.All)
      )
      expect(logs.filter(([level]) => level === "DEBUG")).toEqual([
        ["DEBUG", expect.stringContaining(losses[0]?.[0]?.reason ?? "nothing")]
      ])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

describe("the response", () => {
  live("is read to its bound and no further", () =>
    Effect.gen(function* () {
      const piece = line("x".repeat(1000), false)
      const server = yield* loopback(() => Effect.succeed(lines(Stream.forever(Stream.succeed(piece)))))
      const model = yield* ollama(server.url, { maxResponseBytes: 1_000_000 })
      let told = 0
      const error = yield* model.stream(question).pipe(
        Stream.runForEach((event) => Effect.sync(() => (told += event._tag === "TextDelta" ? event.text.length : 0))),
        Effect.flip
      )
      expect(error.message).toContain("maxResponseBytes")
      expect(told).toBeGreaterThan(800_000)
      expect(told).toBeLessThan(1_000_000)
      const whole = yield* loopback(() => json({ ...answer, padding: "x".repeat(2000) }))
      const small = yield* failing(yield* ollama(whole.url, { maxResponseBytes: 1000 }))
      expect(small.message).toContain("maxResponseBytes")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("that is an error of a page without end is read for 64 KB only", () =>
    Effect.gen(function* () {
      let sent = 0
      const page = Stream.forever(Stream.succeed(new TextEncoder().encode("x".repeat(1000)))).pipe(
        Stream.tap((piece) => Effect.sync(() => (sent += piece.length)))
      )
      const server = yield* loopback(() => Effect.succeed(HttpServerResponse.stream(page, { status: 400 })))
      const error = yield* failing(yield* ollama(server.url))
      expect(error._tag).toBe("RequestRejected")
      expect(error.message.length).toBeLessThan(1000)
      // What lies in the buffers of both ends is sent all the same.
      expect(sent).toBeLessThan(20_000_000)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("that is called JSON and is a stream is read as a stream", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() =>
        Effect.succeed(
          HttpServerResponse.stream(Stream.make(line("Hel", false), line("lo", true)), {
            contentType: "application/json"
          })
        )
      )
      const events = yield* ask(yield* ollama(server.url))
      expect(Array.from(events, (event) => event._tag)).toEqual(["TextDelta", "TextDelta", "UsageKnown", "Finished"])
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("that is whole is read as what it is, whatever it is called", () =>
    Effect.gen(function* () {
      const message = { role: "assistant", content: "Hello" }
      const turn = { choices: [{ index: 0, message, finish_reason: "stop" }], usage: { prompt_tokens: 1 } }
      const sent = { answer: JSON.stringify(turn, null, 2), error: JSON.stringify({ error: { message: "no room" } }) }
      for (const contentType of ["text/event-stream", "text/plain", "application/octet-stream"]) {
        const server = yield* loopback((_, index) => {
          const bytes = new TextEncoder().encode(index === 0 ? ` \n${sent.answer}` : sent.error)
          const pieces = Stream.fromIterable(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))
          return Effect.succeed(HttpServerResponse.stream(pieces, { contentType }))
        })
        const model = yield* Model.fromWire(OpenAiChat.format, { model: "m", url: server.url, retry: false })
        const events = Array.from(yield* ask(model))
        expect(events.map((event) => event._tag)).toEqual(["TextDelta", "UsageKnown", "Finished"])
        expect(events.map((event) => (event._tag === "TextDelta" ? event.text : ""))).toContain("Hello")
        expect((yield* failing(model)).message).toContain("no room")
      }
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("leaves its connection for the next request, where it was read to its end", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => Effect.succeed(lines(Stream.make(line("Hello", true)))))
      const model = yield* ollama(server.url)
      for (let times = 0; times < 5; times++) {
        yield* ask(model)
        // An undici connection is free a tick after its response was read.
        yield* Effect.sleep(20)
      }
      expect(server.requests).toHaveLength(5)
      expect(new Set(server.ports).size).toBe(1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
