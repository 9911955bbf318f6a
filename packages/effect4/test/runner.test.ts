import * as assert from "node:assert"
import {
  Approval,
  CallContext,
  Hidden,
  Journal,
  Metrics,
  Outcome,
  Response,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/effect4"
import { Cause, Context, Effect, Exit, Fiber, Layer, Logger, Metric, Schema, Tracer } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { happened, inShop, NotFound, only, Shop, type Who } from "./shop.js"

const call = ToolCall.make

const runOf = (policy: Parameters<typeof ToolRunner.make<Toolset.ToolsOf<typeof Shop>, Who>>[1] = {}) =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop), policy)
    return runner.forRun({ id: "run 1", context: { customerId: "c_42" } })
  })

describe("a toolkit of Effect 4", () => {
  it("is shown without its hidden fields", () =>
    inShop(
      Effect.gen(function* () {
        const [refund] = yield* (yield* runOf()).definitions
        expect(refund?.name).toBe("refund")
        expect(refund?.description).toBe("Refunds an order")
        expect(Object.keys(Object(refund?.inputSchema["properties"]))).toEqual(["orderId", "amount", "on"])
      })
    ))

  it("has its arguments decoded, and its results typed and encoded, by its own schemas", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf()
        const outcome = only(
          yield* run.run(call("1", "refund", '{"orderId":"o_1","amount":5,"on":"2026-01-01T00:00:00Z"}')),
          "Success"
        )
        assert.ok(outcome.name === "refund")
        expect(outcome.result.at).toEqual(new Date(0))
        expect(outcome.encoded).toEqual({
          text: "5 for order o_1 of c_42 by Bob on 2026",
          at: "1970-01-01T00:00:00.000Z"
        })
      })
    ))

  it("tells the model what is wrong with its arguments, each at its place", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf()
        const wrong = yield* run.run(call("2", "refund", '{"orderId":7,"amount":"x"}'))
        const refined = yield* run.run(call("3", "refund", '{"orderId":"o_1","amount":-1}'))
        expect(only(wrong, "InvalidArguments").issues.map(({ path }) => path)).toEqual([["orderId"], ["amount"]])
        expect(only(refined, "InvalidArguments").issues.map(({ path }) => path)).toEqual([["amount"]])
      })
    ))

  it("fails with its typed failures, which stay what they are", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf()
        const outcome = only(yield* run.run(call("4", "refund", '{"orderId":"o_9","amount":5}')), "Failure")
        assert.ok(outcome.name === "refund")
        expect(outcome.failure).toBeInstanceOf(NotFound)
        expect(outcome.encoded).toEqual({ _tag: "NotFound", id: "o_9" })
      })
    ))

  it("asks by rules that are effects of 4, and runs what was approved once", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf({
          approval: {
            refund: ({ parameters }) => Effect.succeed(parameters.amount > 100 ? Approval.ask("a lot") : Approval.allow)
          }
        })
        const before = happened.refunds
        const asked = only(yield* run.run(call("5", "refund", '{"orderId":"o_1","amount":500}')), "Deferred")
        expect([asked.waitsFor, asked.why, happened.refunds - before]).toEqual(["approval", "a lot", 0])
        const resumed = yield* run.resume(asked, Response.approve)
        expect(resumed._tag).toBe("Success")
        expect((yield* run.resume(asked, Response.approve))._tag).toBe("Success")
        expect(happened.refunds - before).toBe(1)
        const small = yield* run.run(call("6", "refund", '{"orderId":"o_1","amount":5}'))
        expect(small._tag).toBe("Success")
        const stale = yield* Effect.flip(run.resume({ ...asked, digest: "0" }, Response.approve))
        expect(stale._tag).toBe("StaleResponse")
      })
    ))

  it("waits where a tool of Effect 4 itself needs approval, whatever the policy allows", () =>
    inShop(
      Effect.gen(function* () {
        for (const policy of [{}, { approval: () => Approval.allow }, { approval: { "*": () => Approval.allow } }]) {
          const run = yield* runOf(policy)
          expect((yield* run.run(call("7", "pay", '{"to":"Ada"}')))._tag).toBe("Deferred")
        }
        const denied = yield* (yield* runOf({ approval: { pay: () => Approval.deny("no") } })).run(
          call("7", "pay", '{"to":"Ada"}')
        )
        expect(denied._tag).toBe("Denied")
      })
    ))

  it("shows a model nothing of a defect", () =>
    inShop(
      Effect.gen(function* () {
        const outcome = only(yield* (yield* runOf()).run(call("8", "broken", "{}")), "Defect")
        expect(Cause.pretty(outcome.cause)).toContain("hunter2")
        expect(Outcome.text(outcome)).not.toContain("hunter2")
        expect(JSON.stringify(Outcome.toJson(outcome))).not.toContain("hunter2")
      }).pipe(Effect.provide(Logger.layer([])))
    ))

  it("is interrupted with the fiber that runs it, which waits for its finalizers", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf()
        const before = { ...happened }
        const fiber = yield* Effect.forkChild(run.run(call("9", "slow", "{}")))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
        expect([happened.interruptions - before.interruptions, happened.finalizers - before.finalizers]).toEqual([1, 1])
      })
    ))

  it("runs no call twice that a journal knows, and gives its result back with its types", () =>
    inShop(
      Effect.gen(function* () {
        const journal = yield* Journal.memory
        const one = call("10", "refund", '{"orderId":"o_1","amount":5}')
        yield* (yield* runOf({ journal })).run(one)
        const before = happened.refunds
        const again = only(yield* (yield* runOf({ journal })).run(one), "Success")
        assert.ok(again.name === "refund")
        expect(happened.refunds).toBe(before)
        expect(again.result.at).toEqual(new Date(0))
        expect(again.notes).toEqual([{ _tag: "Replayed" }])
        yield* journal.forget("run 1")
        yield* (yield* runOf({ journal })).run(one)
        expect(happened.refunds).toBe(before + 1)
      })
    ))

  it("has its spans within those of Wield, within those of the application", () =>
    inShop(
      Effect.gen(function* () {
        const spans: Array<Tracer.Span> = []
        const tracer = Tracer.make({
          span(options) {
            const span = new Tracer.NativeSpan(options)
            spans.push(span)
            return span
          }
        })
        const run = yield* runOf()
        yield* run
          .run(call("11", "refund", '{"orderId":"o_1","amount":5}'))
          .pipe(Effect.withSpan("app"), Effect.provideService(Tracer.Tracer, tracer))
        const parentOf = ({ parent }: Tracer.Span): string | undefined =>
          parent._tag === "Some" && parent.value._tag === "Span" ? parent.value.name : undefined
        expect(spans.map((span) => [span.name, parentOf(span), span.status._tag])).toEqual([
          ["app", undefined, "Ended"],
          ["execute_tool refund", "app", "Ended"],
          ["orders.find", "execute_tool refund", "Ended"]
        ])
      })
    ))

  it("is timed by the clock of Effect 4", () =>
    inShop(
      Effect.gen(function* () {
        const run = yield* runOf({ limits: { default: { timeout: "5 seconds" } } })
        const fiber = yield* Effect.forkChild(run.run(call("12", "slow", "{}")))
        yield* TestClock.adjust("4 seconds")
        yield* Effect.yieldNow
        expect(fiber.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust("1 second")
        expect((yield* Fiber.join(fiber))._tag).toBe("TimedOut")
      }).pipe(Effect.provide(TestClock.layer()))
    ))

  it("logs to the loggers of Effect 4, and counts in its registry", () =>
    inShop(
      Effect.gen(function* () {
        const lines: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel, String(message)]))
        const count = Metric.withAttributes(Metrics.calls, { tool: "broken", outcome: "Defect" })
        const before = (yield* Metric.value(count)).count
        yield* Effect.gen(function* () {
          const run = yield* runOf()
          yield* run.run(call("13", "refund", '{"orderId":"o_1","amount":5}'))
          yield* run.run(call("14", "broken", "{}"))
        }).pipe(Effect.provide(Logger.layer([logger])))
        expect(lines[0]).toEqual(["Info", "refund"])
        expect(lines[1]).toEqual(["Error", expect.stringContaining("broken")])
        expect((yield* Metric.value(count)).count).toBe(before + 1)
      })
    ))

  it("answers a name that nothing has with an outcome", () =>
    inShop(
      Effect.gen(function* () {
        const [unknown] = yield* (yield* runOf()).settle([call("15", "refunds", "{}")])
        assert.ok(unknown?._tag === "UnknownTool")
        expect(unknown.nearest[0]).toBe("refund")
      })
    ))
})

describe("the call context of the request that builds a Layer", () => {
  const Mine = Hidden.fields(
    Tool.make("mine", { parameters: Schema.Struct({ customer: Schema.String }), success: Schema.String }),
    "customer"
  )
  const Whose = Tool.make("whose", { success: Schema.Unknown })
  const Kit = Toolkit.make(Mine, Whose)
  const live = ToolRunner.layer(Toolset.fromToolkit(Kit)).pipe(
    Layer.provide(
      Kit.toLayer({
        mine: ({ customer }) => Effect.succeed(customer),
        whose: () => Effect.map(CallContext.CallContext, ({ customer }) => customer ?? "no one's")
      })
    )
  )
  const open = Effect.map(CallContext.provide(Layer.build(live), { customer: "ada" }), (built) =>
    Context.get(built, ToolRunner.ToolRunner)
  )

  it("is not that of the others, for hidden fields", () =>
    Effect.gen(function* () {
      const runner = yield* open
      const ask = runner.run(call("1", "mine", {}))
      only(yield* ask, "MissingContext")
      expect(only(yield* CallContext.provide(ask, { customer: "bob" }), "Success").encoded).toBe("bob")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("is not that of the others, for handlers that read it", () =>
    Effect.gen(function* () {
      const runner = yield* open
      const ask = runner.run(call("1", "whose", {}))
      expect(only(yield* ask, "Success").encoded).toBe("no one's")
      expect(only(yield* CallContext.provide(ask, { customer: "bob" }), "Success").encoded).toBe("bob")
    }).pipe(Effect.scoped, Effect.runPromise))
})
