/** `Model.fromWire` against servers on loopback, one API after the other. */
import { HttpServerResponse } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "@wield/agent"
import { Content, ToolDefinition, Turn } from "@wield/core"
import type { ApiError } from "@wield/providers"
import { Effect, Redacted, Stream } from "effect"
import { type Answer, breaking, loopback } from "./loopback.js"
import { bodies } from "./wireBodies.js"

const key = Redacted.make("sk-the-secret-key")
const request: Model.ModelRequest = {
  messages: [
    { _tag: "System", text: "Be brief.", native: undefined },
    { _tag: "User", content: [Content.text("Where is my order?")], native: undefined }
  ],
  definitions: [ToolDefinition.make({ name: "get_orders" })]
}

const streaming =
  (body: Uint8Array, contentType: string): Answer =>
  () =>
    Effect.succeed(
      HttpServerResponse.stream(Stream.rechunk(Stream.fromIterable([body.subarray(0, 40), body.subarray(40)]), 1), {
        contentType
      })
    )

const json = (body: unknown, options: { readonly status?: number; readonly headers?: Record<string, string> } = {}) =>
  HttpServerResponse.unsafeJson(body, options)

/** What the stream told, and how it ended. */
const run = (model: Model.Model, asked: Model.ModelRequest = request) =>
  Effect.suspend(() => {
    const events: Array<Stream.Stream.Success<ReturnType<Model.Model["stream"]>>> = []
    return model.stream(asked).pipe(
      Stream.runForEach((event) => Effect.sync(() => events.push(event))),
      Effect.either,
      Effect.map((end) => ({ events, tags: events.map((event) => event._tag), end }))
    )
  })

const turnOf = (events: ReadonlyArray<{ readonly _tag: string }>): Turn.Turn => {
  const last = events.at(-1)
  if (last === undefined || last._tag !== "Finished" || !("turn" in last)) throw new Error("not finished")
  return last.turn as Turn.Turn
}

/** Cohere's models say what they are about to do as a plan, which is reasoning. */
const saidIn = (turn: Turn.Turn): string =>
  turn.parts.map((part) => (part._tag === "Text" || part._tag === "Reasoning" ? part.text : "")).join("")

const failureOf = (model: Model.Model) =>
  Effect.map(run(model), ({ end, tags }) => {
    expect(tags).toEqual([])
    if (end._tag === "Right") throw new Error("it did not fail")
    return end.left
  })

const make = Model.fromWire

const live = it.scopedLive

describe.each(bodies)("$format.name", ({ contentType, format, streamed, whole }) => {
  live("is asked at its own address with its own header for the key, and streams a turn", () =>
    Effect.gen(function* () {
      const server = yield* loopback(streaming(streamed, contentType))
      const model = yield* make(format, { model: "models/m:1", url: `${server.url}/base/`, key })
      expect([model.id, model.format]).toEqual(["models/m:1", format.name])
      const { end, events, tags } = yield* run(model)
      expect(end._tag).toBe("Right")
      const turn = turnOf(events)
      expect(turn.isComplete).toBe(true)
      expect(saidIn(turn)).toBe("Let me look.")
      expect(Turn.calls(turn).map(({ arguments: sent, name }) => [name, sent])).toEqual([
        ["get_orders", sentAs(format.name)]
      ])
      expect(tags.filter((tag) => tag === "CallComplete" || tag === "Finished")).toEqual(["CallComplete", "Finished"])
      expect(turn.usage).toMatchObject({ input: 1, output: 1 })
      const [received] = server.requests
      expect(received?.method).toBe("POST")
      expect(received?.path).toBe(`/base${format.endpoint.path("models/m:1", true)}`)
      expect(received?.headers[format.endpoint.key.header]).toBe(`${format.endpoint.key.prefix}sk-the-secret-key`)
      expect(received?.headers).toMatchObject({ "content-type": "application/json", ...format.endpoint.headers })
      expect(received?.body).toMatchObject(format.endpoint.body("models/m:1", true))
      expect(JSON.stringify(received?.body)).toContain("Where is my order?")
      expect(JSON.stringify(received?.body)).toContain("get_orders")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("tells the same turn at once where it does not stream, asked for or not", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => Effect.succeed(json(whole)))
      const { url } = server
      const once = yield* run(yield* make(format, { model: "m", url, isStreaming: false }))
      const unasked = yield* run(yield* make(format, { model: "m", url }))
      expect(unasked).toEqual(once)
      expect(once.end._tag).toBe("Right")
      expect(once.tags.filter((tag) => tag.startsWith("Call"))).toEqual(["CallStarted", "CallComplete"])
      expect(once.tags.some((tag) => tag === "TextDelta" || tag === "ReasoningDelta")).toBe(true)
      expect(saidIn(turnOf(once.events))).toContain("Let me look.")
      expect(server.requests.map(({ path }) => path)).toEqual([
        format.endpoint.path("m", false),
        format.endpoint.path("m", true)
      ])
      expect(server.requests[0]?.body["stream"]).toBe(format.name === "ollama" ? false : undefined)
      expect(server.requests[0]?.headers[format.endpoint.key.header]).toBeUndefined()
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("says that a stream is incomplete, and then fails, where the connection breaks", () =>
    Effect.gen(function* () {
      const server = yield* breaking(streamed.subarray(0, Math.floor(streamed.length * 0.6)), contentType)
      const { end, events, tags } = yield* run(yield* make(format, { model: "m", url: server.url }))
      expect(tags.length).toBeGreaterThan(1)
      expect(tags.filter((tag) => tag === "Finished")).toHaveLength(1)
      expect(turnOf(events).isComplete).toBe(false)
      expect(end._tag === "Left" ? end.left._tag : "nothing").toBe("Unreachable")
      // What was told cannot be told again.
      expect(server.count()).toBe(1)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("says that a stream is incomplete, and then fails, where it ends too early", () =>
    Effect.gen(function* () {
      const server = yield* loopback(streaming(streamed.subarray(0, Math.floor(streamed.length * 0.6)), contentType))
      const { end, events } = yield* run(yield* make(format, { model: "m", url: server.url }))
      expect(turnOf(events).isComplete).toBe(false)
      expect(end._tag === "Left" ? end.left._tag : "nothing").toBe("WireError")
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("does not take a connection that broke behind a whole response for a failure of it", () =>
    Effect.gen(function* () {
      const server = yield* breaking(streamed, contentType)
      const { end, events } = yield* run(yield* make(format, { model: "m", url: server.url }))
      expect(turnOf(events).isComplete).toBe(true)
      expect(end._tag).toBe("Right")
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("fails with what an error response means", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => Effect.succeed(json({ error: { message: "No such key" } }, { status: 401 })))
      const error = yield* failureOf(yield* make(format, { model: "m", url: server.url, key }))
      expect(error._tag).toBe("NotAuthorized")
      expect(server.requests).toHaveLength(1)
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("fails with the error that a response with the status of a success is", () =>
    Effect.gen(function* () {
      const body = { error: { message: "Slow down", code: 429 } }
      const server = yield* loopback(() => Effect.succeed(json(body)))
      for (const isStreaming of [true, false]) {
        const error = yield* failureOf(yield* make(format, { model: "m", url: server.url, isStreaming, retry: false }))
        expect((error as ApiError.ApiError).detail).toContain("Slow down")
        expect(["RateLimited", "ProviderUnavailable"]).toContain(error._tag)
      }
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )

  live("says how a response begins that is neither a stream nor JSON", () =>
    Effect.gen(function* () {
      const server = yield* loopback(() => Effect.succeed(HttpServerResponse.html("<html>Log in first</html>")))
      for (const isStreaming of [true, false]) {
        const error = yield* failureOf(yield* make(format, { model: "m", url: server.url, isStreaming, retry: false }))
        expect(error._tag).toBe("WireError")
        if (format.name !== "bedrock-converse" || !isStreaming) expect(error.message).toContain("<html>")
      }
    }).pipe(Effect.provide(NodeHttpClient.layer))
  )
})

/** Those whose arguments are text on the wire are read as they came. */
const sentAs = (format: string): unknown =>
  bodies.flatMap(({ format: each, whole }) => {
    const turn = each.decodeTurn(whole)
    return each.name === format && turn._tag === "Right" ? Turn.calls(turn.right).map((call) => call.arguments) : []
  })[0]
