import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Either, Stream } from "effect"
import { Anthropic, CohereV2, Gemini, Mistral, Ollama, OpenAiChat, OpenAiResponses, WireFormat } from "@wield/providers"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

const failureOf = (format: WireFormat.WireFormat, body: string) => {
  const decoder = format.streamDecoder()
  const events = [...decoder.push(encode(body)), ...decoder.end()]
  const last = events.at(-1)
  return { failure: decoder.failure(), isComplete: last?._tag === "Finished" && last.turn.isComplete }
}

const begun = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n'

describe("a streamed body that ends early", () => {
  it("is a failure, though every message in it was whole", () => {
    const { failure, isComplete } = failureOf(OpenAiChat.format, begun)
    expect(isComplete).toBe(false)
    expect(failure?._tag).toBe("WireError")
    expect(failure?.message).toContain("before the response was complete")
  })

  it("is no failure when the response was complete", () => {
    const end = 'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    expect(failureOf(OpenAiChat.format, begun + end)).toEqual({ failure: undefined, isComplete: true })
  })

  it("is no failure when it ended within a message behind the turn, such as that of the usage", () => {
    const finished = `${begun}data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n`
    const end = 'data: {"id":"c","choices":[],"usage":{"prompt_tokens":1}}\n\ndata: [DONE]\n\n'
    for (let length = 0; length <= end.length; length++) {
      const read = failureOf(OpenAiChat.format, finished + end.slice(0, length))
      expect([length, read]).toEqual([length, { failure: undefined, isComplete: true }])
    }
    expect(failureOf(OpenAiChat.format, begun + "data: {").failure?.message).toContain(
      "before the response was complete"
    )
  })

  it("shows how a body begins that is no stream", () => {
    expect(failureOf(Anthropic.format, "<html>502 Bad Gateway</html>").failure?.message).toContain("502 Bad Gateway")
    expect(
      failureOf(Anthropic.format, '{"type":"error","error":{"type":"overloaded_error"}}').failure?.message
    ).toContain("overloaded_error")
    expect(failureOf(Anthropic.format, "").failure?.message).toContain("nothing")
  })

  it.effect("fails the stream of events after the turn as far as it came", () =>
    Effect.gen(function* () {
      const events = WireFormat.decodeStream(OpenAiChat.format)(Stream.make(encode(begun)))
      const collected = yield* Stream.runCollect(Stream.either(events))
      expect(
        Chunk.toReadonlyArray(collected).map((either) => (Either.isRight(either) ? either.right._tag : "failed"))
      ).toEqual(["TextDelta", "Finished", "failed"])
    })
  )
})

const event = (message: object): string => `data: ${JSON.stringify(message)}\n\n`
const chatEnd = `${event({ choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] })}data: [DONE]\n\n`
const error = { message: "died", type: "overloaded_error", code: 529 }

describe.each([
  [OpenAiChat.format, chatEnd, event({ error })],
  [Mistral.format, chatEnd, event({ error })],
  [
    OpenAiResponses.format,
    event({ type: "response.completed", response: { id: "r" } }),
    event({ type: "error", error })
  ],
  [
    Anthropic.format,
    event({ type: "message_start", message: { content: [] } }) + event({ type: "message_stop" }),
    event({ type: "error", error })
  ],
  [
    Gemini.format,
    event({ candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }] }),
    event({ error })
  ],
  [CohereV2.format, event({ type: "message-end", delta: { finish_reason: "COMPLETE" } }), event({ error })],
  [Ollama.format, `{"message":{"content":"Hi"},"done":true}\n`, '{"error":"died"}\n']
] as const)("what follows the end of a stream", (format, whole, said) => {
  it(`is told where it is an error, or can not be read (${format.name})`, () => {
    expect(failureOf(format, whole)).toEqual({ failure: undefined, isComplete: true })
    const failed = failureOf(format, whole + said)
    expect(failed).toMatchObject({ failure: { _tag: "ProviderUnavailable" }, isComplete: false })
    expect(failed.failure?.message).toContain("died")
    const garbled = format === Ollama.format ? "{died}\n" : "data: {died}\n\n"
    expect(failureOf(format, whole + garbled)).toMatchObject({ failure: { _tag: "WireError" }, isComplete: false })
  })
})
