import { describe, expect, it } from "@effect/vitest"
import type { TurnEvent } from "@wield/core"
import { ApiError, WireError } from "@wield/providers"
import { Clock, Effect, Fiber, Stream, TestClock } from "effect"
import type { ModelError } from "../ModelError.js"
import { ModelTimedOut, Unreachable } from "../ModelError.js"
import { withRetries } from "./wireRetry.js"

const said: TurnEvent.TurnEvent = { _tag: "TextDelta", text: "Hi" }
const format = "openai-chat"

/** When each try began, in milliseconds from the start, and what came of them. The last failure is that of all further tries. */
const tried = (
  failures: ReadonlyArray<ModelError | undefined>,
  options?: Parameters<typeof withRetries>[1],
  before = 0
) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    const start = yield* Clock.currentTimeMillis
    const attempt = Stream.unwrap(
      Effect.map(Clock.currentTimeMillis, (now) => {
        const failure = failures[Math.min(times.length, failures.length - 1)]
        times.push(now - start)
        const events = Stream.fromIterable(Array.from({ length: before }, () => said))
        return failure === undefined ? Stream.make(said) : Stream.concat(events, Stream.fail(failure))
      })
    )
    const fiber = yield* Effect.fork(Effect.either(Stream.runCollect(withRetries(attempt, options))))
    yield* TestClock.adjust("10 minutes")
    const end = yield* Fiber.join(fiber)
    return { times, end: end._tag === "Right" ? end.right.length : end.left._tag }
  })

const limited = (retryAfter?: number) =>
  new ApiError.RateLimited({ format, detail: "slow", ...(retryAfter === undefined ? {} : { retryAfter }) })
const unavailable = new ApiError.ProviderUnavailable({ format, detail: "down" })
const unreachable = new Unreachable({ format, url: "http://127.0.0.1", detail: "ECONNREFUSED" })
const late = (waitedFor: "response" | "piece") => new ModelTimedOut({ format, waitedFor, limit: 1 })

describe("withRetries", () => {
  it.effect("waits exactly as long as the API asks for", () =>
    Effect.gen(function* () {
      const { end, times } = yield* tried([limited(1234), limited(0), limited(60_000), undefined])
      expect(times).toEqual([0, 1234, 1234, 61_234])
      expect(end).toBe(1)
    })
  )

  it.effect("fails at once where the API asks for more than is waited for", () =>
    Effect.gen(function* () {
      expect(yield* tried([limited(60_001)])).toEqual({ times: [0], end: "RateLimited" })
      const few = yield* tried([limited(101)], { maxRetryAfter: 100 })
      expect(few.times).toEqual([0])
    })
  )

  it.effect("waits longer each time, by chance, where the API names no time", () =>
    Effect.gen(function* () {
      const { end, times } = yield* tried([unavailable])
      expect(end).toBe("ProviderUnavailable")
      const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
      expect(waits).toHaveLength(3)
      waits.forEach((wait, index) => {
        expect(wait).toBeGreaterThanOrEqual(375 * 2 ** index)
        expect(wait).toBeLessThanOrEqual(625 * 2 ** index)
      })
      expect((yield* tried([unavailable])).times).not.toEqual(times)
    })
  )

  it.effect.each([limited(), unavailable, unreachable, late("response")])("sends again after $_tag", (error) =>
    Effect.gen(function* () {
      const { end, times } = yield* tried([error, undefined])
      expect(times).toHaveLength(2)
      expect(end).toBe(1)
    })
  )

  it.effect.each([
    late("piece"),
    new ApiError.NotAuthorized({ format, detail: "" }),
    new ApiError.RequestRejected({ format, detail: "" }),
    new ApiError.QuotaExceeded({ format, detail: "" }),
    new ApiError.ContextOverflow({ format, detail: "" }),
    new WireError.WireError({ format, path: [], expected: "", received: "" })
  ])("does not send again after $_tag", (error) =>
    Effect.gen(function* () {
      expect(yield* tried([error])).toEqual({ times: [0], end: error._tag })
    })
  )

  it.effect("does not send again once an event was told", () =>
    Effect.gen(function* () {
      expect(yield* tried([unreachable], {}, 1)).toEqual({ times: [0], end: "Unreachable" })
    })
  )

  it.effect("sends as often as it is told, and never where it is turned off", () =>
    Effect.gen(function* () {
      expect((yield* tried([unreachable], { times: 5, delay: 1 })).times).toHaveLength(6)
      expect((yield* tried([unreachable], { times: 0 })).times).toEqual([0])
      expect((yield* tried([unreachable], false)).times).toEqual([0])
    })
  )
})
