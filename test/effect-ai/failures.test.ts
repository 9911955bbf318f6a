import { AiError, LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "@wield/agent"
import { ApiError } from "@wield/providers"
import { Data, Effect, Fiber, Stream } from "effect"
import * as Claude from "./anthropicReplies.js"
import { claude, getOrders, gpt, heard, user } from "./models.js"
import * as Gpt from "./openAiReplies.js"
import { type Reply, serve } from "./serve.js"

describe("an error response", () => {
  const openAiError = (type: string, code: string | null, message: string) => ({
    error: { type, code, message, param: null }
  })
  const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } })

  const cases = [
    ["OpenAI", gpt, 401, openAiError("invalid_request_error", "invalid_api_key", "Incorrect API key"), "NotAuthorized"],
    ["OpenAI", gpt, 429, openAiError("requests", "rate_limit_exceeded", "Slow down"), "RateLimited"],
    ["OpenAI", gpt, 429, openAiError("insufficient_quota", "insufficient_quota", "No credit"), "QuotaExceeded"],
    [
      "OpenAI",
      gpt,
      400,
      openAiError("invalid_request_error", "context_length_exceeded", "Too long"),
      "ContextOverflow"
    ],
    ["OpenAI", gpt, 400, openAiError("invalid_request_error", null, "Bad schema"), "RequestRejected"],
    ["OpenAI", gpt, 500, openAiError("server_error", null, "Oops"), "ProviderUnavailable"],
    ["Anthropic", claude, 429, anthropicError("rate_limit_error", "Slow down"), "RateLimited"],
    ["Anthropic", claude, 529, anthropicError("overloaded_error", "Overloaded"), "ProviderUnavailable"],
    [
      "Anthropic",
      claude,
      400,
      anthropicError("invalid_request_error", "prompt is too long: 9 tokens"),
      "ContextOverflow"
    ],
    ["Anthropic", claude, 502, "<html>Bad gateway</html>", "ProviderUnavailable"]
  ] as const

  for (const isStreaming of [true, false]) {
    for (const [provider, model, status, body, tag] of cases) {
      const how = isStreaming ? "streamed" : "not streamed"
      it.scoped(`${status} of ${provider}, ${how}, is ${tag}: ${JSON.stringify(body)}`, () =>
        Effect.gen(function* () {
          const { url } = yield* serve([{ status, body, headers: { "retry-after": "7" } }])
          const { events, failure } = yield* heard(yield* model(url, isStreaming))
          expect(events).toEqual([])
          expect(failure).toMatchObject({ _tag: tag, status })
          if (tag === "RateLimited") expect(failure).toMatchObject({ retryAfter: 7000 })
        })
      )
    }
  }
})

describe("a stream", () => {
  const events = (reply: Reply, count: number): Reply => ({ events: (reply.events ?? []).slice(0, count) })
  const gptReply = Gpt.streamed(Gpt.text("msg_1", "Let me look."), Gpt.call("call_1", "get_orders", '{"limit":3}'))
  const claudeReply = Claude.streamed(Claude.text("Let me look."), Claude.call("toolu_1", "get_orders", { limit: 3 }))

  it.scoped("that ends before its response does gives the turn so far, then fails as WireError", () =>
    Effect.gen(function* () {
      // Up to the first piece of the arguments.
      const { url } = yield* serve([events(gptReply, 7), events(claudeReply, 7)])
      for (const model of [yield* gpt(url), yield* claude(url)]) {
        const { failure, tags, turn } = yield* heard(model)
        expect(tags.slice(-3)).toEqual(["CallStarted", "ArgumentsDelta", "Finished"])
        expect(turn).toMatchObject({ isComplete: false, parts: [{ _tag: "Text", text: "Let me look." }] })
        expect(turn?.parts).toHaveLength(1)
        expect(failure?._tag).toBe("WireError")
      }
    })
  )

  it.scoped("whose connection breaks gives the turn so far, then fails as Unreachable", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([{ ...events(gptReply, 4), isBrokenOff: true }])
      const { failure, turn } = yield* heard(yield* gpt(url))
      expect(turn).toMatchObject({ isComplete: false })
      expect(failure?._tag).toBe("Unreachable")
    })
  )

  it.scoped("that tells an error gives the turn so far, then fails as that error", () =>
    Effect.gen(function* () {
      const openAiError = { type: "error", code: "rate_limit_exceeded", message: "Slow down", param: null }
      const anthropicError = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
      const { url } = yield* serve([
        { events: Gpt.numbered([...Gpt.begun(Gpt.text("m", "Hello")), openAiError]) },
        { events: [...Claude.begun(Claude.text("Hello")), anthropicError] }
      ])
      const ofOpenAi = yield* heard(yield* gpt(url))
      expect(ofOpenAi.tags).toEqual(["TextDelta", "Finished"])
      expect(ofOpenAi.turn?.isComplete).toBe(false)
      expect(ofOpenAi.failure).toMatchObject({ _tag: "RateLimited", detail: "Slow down" })
      const ofAnthropic = yield* heard(yield* claude(url))
      expect(ofAnthropic.tags).toEqual(["TextDelta", "Finished"])
      expect(ofAnthropic.failure).toMatchObject({ _tag: "ProviderUnavailable", detail: "Overloaded" })
    })
  )

  it.scoped("can be cut at every event without dying, and says so each time", () =>
    Effect.gen(function* () {
      for (const [reply, model] of [
        [gptReply, gpt],
        [claudeReply, claude]
      ] as const) {
        const all = reply.events?.length ?? 0
        const { url } = yield* serve(Array.from({ length: all }, (_, count) => events(reply, count)))
        const cut = yield* model(url)
        for (let count = 0; count < all; count++) {
          const { failure, turn } = yield* heard(cut)
          expect(failure?._tag).toBe("WireError")
          expect(turn?.isComplete ?? false).toBe(false)
        }
      }
    })
  )

  it.scoped("is read no further than it is asked for, and can be interrupted", () =>
    Effect.gen(function* () {
      const { url } = yield* serve([gptReply, gptReply])
      const model = yield* gpt(url)
      const request = { messages: [user("-")], definitions: [getOrders] }
      const first = yield* model.stream(request).pipe(Stream.take(1), Stream.runCollect)
      expect(Array.from(first)).toEqual([{ _tag: "TextDelta", text: "Let me " }])
      const fiber = yield* Effect.fork(Stream.runDrain(model.stream(request)))
      yield* Effect.yieldNow()
      expect((yield* Fiber.interrupt(fiber))._tag).toBe("Failure")
    })
  )
})

it.scoped("a server that is not there is Unreachable, and the error has no query in it", () =>
  Effect.gen(function* () {
    const { url } = yield* Effect.scoped(serve([]))
    for (const isStreaming of [true, false]) {
      const { events, failure } = yield* heard(yield* gpt(`${url}/v1?key=secret`, isStreaming))
      expect(events).toEqual([])
      expect(failure?._tag).toBe("Unreachable")
      expect(JSON.stringify(failure)).not.toContain("secret")
    }
  })
)

class Down extends Data.TaggedError("Down")<{ readonly line: number }> {}

it.effect.each([true, false])(
  "A model of one's own that fails with anything is an answer that cannot be read (streaming: %s)",
  (isStreaming) =>
    Effect.gen(function* () {
      const failureOf = (error: unknown) =>
        Effect.gen(function* () {
          // As a program without types has it.
          const failed = Effect.fail(error as AiError.AiError)
          const service = yield* LanguageModel.make({
            generateText: () => failed,
            streamText: () => Stream.fromEffect(failed)
          })
          const model = Model.fromLanguageModel({ id: "m", isStreaming })
          const own = yield* Effect.provideService(model, LanguageModel.LanguageModel, service)
          return (yield* heard(own)).failure
        })
      expect(yield* failureOf(new RangeError("the line is dead"))).toMatchObject({
        _tag: "WireError",
        received: "the line is dead"
      })
      for (const [error, received] of [
        ["down", "down"],
        [undefined, "nothing"],
        [null, "null"],
        [{ _tag: "Down" }, "Down"],
        [new Down({ line: 7 }), "Down"],
        [new Error(""), "an instance of Error"],
        [{ message: "the line is dead" }, "the line is dead"],
        [{ line: 7 }, "an object with line"]
      ] as const) {
        expect(yield* failureOf(error)).toMatchObject({ _tag: "WireError", received })
      }
      const known = { format: "openai-chat", detail: "slow down" }
      const limited = new ApiError.RateLimited(known)
      const within = { module: "M", method: "m", description: "limited", cause: limited }
      for (const error of [limited, new AiError.UnknownError(within)])
        expect(yield* failureOf(error)).toMatchObject({ _tag: "RateLimited", ...known })
    })
)
