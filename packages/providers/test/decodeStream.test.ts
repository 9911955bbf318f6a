import { describe, expect, it } from "@effect/vitest"
import type { TurnEvent } from "@wield/core"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { Anthropic, CohereV2, Ollama, OpenAiChat, OpenAiResponses } from "../src/index.js"
import { decodeStream, type WireFormat } from "../src/WireFormat.js"
import { serverSentEvents } from "./streamBody.js"

const encoder = new TextEncoder()

const delta = (content: string): string =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`

const stop = `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`

const noJson = "data: {no json\n\n"

/** Bodies whose last message says that it is. */
const ends: ReadonlyArray<readonly [name: string, format: WireFormat, body: Uint8Array]> = [
  ["Chat", OpenAiChat.format, encoder.encode(`${stop}data: [DONE]\n\n`)],
  [
    "Responses",
    OpenAiResponses.format,
    serverSentEvents([{ type: "response.completed", response: { id: "r1", status: "completed", output: [] } }])
  ],
  [
    "Messages",
    Anthropic.format,
    serverSentEvents([
      { type: "message_start", message: { id: "m1", role: "assistant", content: [] } },
      { type: "message_delta", delta: { stop_reason: "end_turn" } },
      { type: "message_stop" }
    ])
  ],
  [
    "Cohere",
    CohereV2.format,
    serverSentEvents([
      { type: "message-start", id: "m1" },
      { type: "message-end", delta: { finish_reason: "COMPLETE" } }
    ])
  ],
  ["Ollama", Ollama.format, encoder.encode('{"message":{"role":"assistant","content":"Hi"},"done":true}\n')]
]

/** What is told before the end, and what the stream fails with. */
const read = (bytes: Stream.Stream<Uint8Array>) =>
  Effect.gen(function* () {
    const told: Array<TurnEvent.TurnEvent> = []
    const failure = yield* decodeStream(OpenAiChat.format)(bytes).pipe(
      Stream.runForEach((event) => Effect.sync(() => told.push(event))),
      Effect.match({ onFailure: (error) => error._tag, onSuccess: () => undefined })
    )
    return { told, failure }
  })

const textsOf = (told: ReadonlyArray<TurnEvent.TurnEvent>): ReadonlyArray<string> =>
  told.flatMap((event) => (event._tag === "TextDelta" ? [event.text] : []))

describe("decodeStream", () => {
  it.effect("tells the events of a body in whatever pieces it comes, the finished turn last", () =>
    Effect.gen(function* () {
      const body = encoder.encode(delta("Hello") + delta(" world") + stop + "data: [DONE]\n\n")
      for (const size of [1, 7, 50, body.length]) {
        const pieces = Chunk.toReadonlyArray(Chunk.chunksOf(Chunk.fromIterable(body), size))
        const { failure, told } = yield* read(Stream.fromIterable(pieces.map((piece) => Uint8Array.from(piece))))
        expect(textsOf(told)).toEqual(["Hello", " world"])
        expect(told.at(-1)).toMatchObject({ _tag: "Finished", turn: { isComplete: true } })
        expect(failure).toBeUndefined()
      }
    })
  )

  it.effect("tells all that came before what cannot be read, also in the same piece", () =>
    Effect.gen(function* () {
      const { failure, told } = yield* read(Stream.make(encoder.encode(delta("Hello") + delta(" world") + noJson)))
      expect(textsOf(told)).toEqual(["Hello", " world"])
      expect(told.at(-1)).toMatchObject({ _tag: "Finished", turn: { isComplete: false } })
      expect(failure).toBe("WireError")
    })
  )

  it.effect("tells all that came before what cannot be read, in pieces that come at once", () =>
    Effect.gen(function* () {
      const pieces = [delta("Hello"), delta(" world") + noJson, delta("!")].map((piece) => encoder.encode(piece))
      const { failure, told } = yield* read(Stream.fromChunk(Chunk.fromIterable(pieces)))
      expect(textsOf(told)).toEqual(["Hello", " world"])
      expect(failure).toBe("WireError")
    })
  )

  it.effect.each(ends)(
    "waits no longer than a second for the rest of a %s body that has said its end",
    ([, format, body]) =>
      Effect.gen(function* () {
        const comments = Stream.repeatEffect(Effect.as(Effect.sleep("300 millis"), encoder.encode("\n")))
        for (const rest of [Stream.never, comments]) {
          const told = yield* Effect.fork(Stream.runLast(decodeStream(format)(Stream.concat(Stream.make(body), rest))))
          yield* TestClock.adjust("900 millis")
          expect(told.unsafePoll()).toBeNull()
          yield* TestClock.adjust("100 millis")
          expect(yield* Effect.flatten(Fiber.join(told))).toMatchObject({
            _tag: "Finished",
            turn: { isComplete: true }
          })
        }
      })
  )

  it.live("waits for nothing after a piece that cannot be read", () =>
    Effect.gen(function* () {
      const endless = Stream.concat(Stream.make(encoder.encode(noJson)), Stream.never)
      const { failure, told } = yield* read(endless)
      expect(told.map((event) => event._tag)).toEqual(["Finished"])
      expect(failure).toBe("WireError")
    })
  )
})
