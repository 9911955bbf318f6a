import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  CallLost,
  CurrentCall,
  type Facts,
  InvalidReply,
  Journal,
  type Json,
  NeedsInput,
  NotWaiting,
  Outcome,
  type Policy,
  Response,
  StaleResponse,
  ToolCall,
  ToolRunner,
  Toolset,
  WrongKindOfResponse
} from "@wield/core"
import { Deferred, Effect, Fiber, Schedule, Schema } from "effect"
import { recordSpans } from "../../recording/Spans.js"

const accepts = {
  type: "object",
  properties: { seat: { enum: ["aisle", "window"] }, bags: { type: "integer", minimum: 0 } },
  required: ["seat"]
}

type Handler = (input: CurrentCall.Call["input"]) => Effect.Effect<unknown, unknown>

const askSeat = new NeedsInput({ asks: "Aisle or window?", accepts, state: { held: "seat 7" } })

const book: Handler = (input) => (input === undefined ? askSeat : Effect.succeed({ booked: input.reply }))

interface Setting {
  readonly policy?: Policy.Policy<Toolset.DynamicTools>
  readonly facts?: Partial<Facts.Facts>
  readonly description?: string
}

/** As another process would: the same tool, a runner of its own. */
const runnerOf = (handler: Handler, { description, facts, policy }: Setting = {}) =>
  Effect.flatMap(
    Toolset.dynamic([
      {
        name: "book",
        inputSchema: { type: "object", properties: { to: { type: "string" } } },
        description,
        facts,
        execute: () => Effect.flatMap(CurrentCall.CurrentCall, ({ input }) => handler(input))
      }
    ]),
    (toolset) => ToolRunner.make(toolset, policy)
  )

const call = ToolCall.make("call_1", "book", { to: "Vienna" })

const asJson = <A>(value: A): A => JSON.parse(JSON.stringify(value))

const deferred = (outcome: Outcome.Outcome): Outcome.Deferred =>
  Outcome.isDeferred(outcome) ? outcome : expect.unreachable(`it ended as ${outcome._tag}`)

const aisle = Response.reply({ seat: "aisle" })

const counted = (handler: Handler) => {
  const inputs: Array<Json.Json> = []
  const count: Handler = (input) =>
    Effect.suspend(() => {
      inputs.push(input?.reply ?? null)
      return handler(input)
    })
  return { inputs, handler: count }
}

describe("A call that asks for input", () => {
  it.effect("may be a tool of a toolkit, which declares NeedsInput among its failures", () =>
    Effect.gen(function* () {
      class Full extends Schema.TaggedError<Full>()("Full", {}) {}
      const parameters = { to: Schema.String }
      const Book = Tool.make("book", { parameters, success: Schema.String, failure: NeedsInput })
      const Wait = Tool.make("wait", { failure: Schema.Union(NeedsInput, Full), failureMode: "return" })
      class Trips extends Toolkit.make(Book, Wait) {}
      const ask = Effect.flatMap(CurrentCall.CurrentCall, ({ input }) =>
        input === undefined ? askSeat : Effect.succeed(JSON.stringify(input.reply))
      )
      const TripsLive = Trips.toLayer({ book: () => ask, wait: () => Effect.zipRight(ask, new Full()) })
      const toolset = yield* Effect.provide(Toolset.fromToolkit(Trips), TripsLive)
      const run = (yield* ToolRunner.make(toolset)).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      expect(Outcome.text(yield* run.resume(waiting, aisle))).toBe('{"seat":"aisle"}')
      const full = yield* run.resume(deferred(yield* run.run(ToolCall.make("call_2", "wait", {}))), aisle)
      expect(Outcome.text(full)).toBe('{"_tag":"Full"}')
    })
  )

  it.effect("waits with its question as JSON, and goes on with the reply", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf(book)).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      expect(waiting).toMatchObject({
        waitsFor: "input",
        arguments: { to: "Vienna" },
        input: { round: 1, asks: "Aisle or window?", accepts, state: { held: "seat 7" } }
      })
      const outcome = yield* run.resume(asJson({ ...waiting, call }), aisle)
      expect(Outcome.text(outcome)).toBe('{"booked":{"seat":"aisle"}}')
    })
  )

  it.effect("goes on in another process, without a journal, by the request alone", () =>
    Effect.gen(function* () {
      const waiting = asJson(deferred(yield* (yield* runnerOf(book)).forRun({ id: "r" }).run(call)))
      const other = (yield* runnerOf(book)).forRun({ id: "r" })
      expect(Outcome.text(yield* other.resume(waiting, aisle))).toBe('{"booked":{"seat":"aisle"}}')
    })
  )

  it.effect("refuses a reply that does not fit, with each issue, and waits on", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf(book)).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      const refused = yield* Effect.flip(run.resume(waiting, Response.reply({ seat: "roof", bags: -1 })))
      expect(refused).toBeInstanceOf(InvalidReply)
      expect(refused).toMatchObject({ issues: [{ path: ["seat"] }, { path: ["bags"], received: "-1" }] })
      expect(String(refused)).toContain("reply.seat: expected")
      expect(Outcome.isError(yield* run.resume(waiting, aisle))).toBe(false)
    })
  )

  it.effect("takes nothing but a reply or a denial, and no other call takes a reply", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf(book)).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      for (const response of [Response.approve, Response.result(1), Response.failure(1)]) {
        expect(yield* Effect.flip(run.check(waiting, response))).toMatchObject({
          _tag: "WrongKindOfResponse",
          expected: ["Reply", "Deny"],
          message: expect.stringContaining("Reply with a value that fits input.accepts")
        })
      }
      const asking = (yield* runnerOf(book, { policy: { approval: () => Approval.ask() } })).forRun({ id: "s" })
      const unapproved = deferred(yield* asking.run(call))
      expect(yield* Effect.flip(asking.resume(unapproved, aisle))).toBeInstanceOf(WrongKindOfResponse)
      const empty: unknown = { _tag: "Reply" }
      expect(yield* Effect.flip(run.resume(waiting, empty as typeof aisle))).toBeInstanceOf(WrongKindOfResponse)
    })
  )

  it.effect("never goes on when it is denied", () =>
    Effect.gen(function* () {
      const { handler, inputs } = counted(book)
      const journal = yield* Journal.memory
      const run = (yield* runnerOf(handler, { policy: { journal } })).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      const denied = yield* run.resume(waiting, Response.deny("not today"))
      expect(denied).toMatchObject({ _tag: "Denied" })
      expect(Outcome.text(denied)).toContain("was denied when it asked for input, and did not go on: not today")
      const again = { _tag: "Denied", reason: "not today", hasBegun: true }
      expect(yield* run.resume(waiting, aisle)).toMatchObject(again)
      expect(yield* run.run(call)).toMatchObject(again)
      expect(inputs).toEqual([null])
    })
  )

  it.effect("has begun, though its rule denies it by now", () =>
    Effect.gen(function* () {
      let isDenied = false
      const approval = () => (isDenied ? Approval.deny("no") : Approval.allow)
      const runner = yield* runnerOf(book, { policy: { approval, journal: yield* Journal.memory } })
      const waiting = deferred(yield* runner.forRun({ id: "r" }).run(call))
      isDenied = true
      for (const again of [runner.forRun({ id: "r" }).run(call), runner.forRun({ id: "r" }).resume(waiting, aisle)])
        expect(yield* again).toMatchObject({ _tag: "Denied", reason: "no", hasBegun: true })
    })
  )

  it.effect("refuses a request that was changed, or is of another tool, call or argument", () =>
    Effect.gen(function* () {
      for (const journal of [undefined, yield* Journal.memory]) {
        const setting = { policy: { journal } }
        const waiting = deferred(yield* (yield* runnerOf(book, setting)).forRun({ id: "r" }).run(call))
        const { input } = waiting
        const other = (yield* runnerOf(book, setting)).forRun({ id: "r" })
        const others = [
          { ...waiting, input: { ...input, state: { held: "seat 8" } } },
          { ...waiting, input: { ...input, accepts: {} } },
          { ...waiting, arguments: { to: "Rome" } },
          { ...waiting, call: ToolCall.make("call_1", "book", { to: "Rome" }) },
          { ...waiting, digest: "0".repeat(64) }
        ].filter((one) => journal === undefined || one.digest !== waiting.digest || one.call !== call)
        for (const changed of others) {
          // A journal says what was asked, whatever the request says.
          const isUsed = journal === undefined || changed.digest !== waiting.digest || changed.call !== waiting.call
          if (isUsed) expect(yield* Effect.flip(other.resume(changed, aisle))).toBeInstanceOf(StaleResponse)
        }
        const altered = (yield* runnerOf(book, { ...setting, description: "Books and pays" })).forRun({ id: "r" })
        expect(yield* Effect.flip(altered.resume(waiting, aisle))).toBeInstanceOf(StaleResponse)
      }
    })
  )

  it.effect("goes by its journal, not by what a request says was asked", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const setting = { policy: { journal } }
      const run = (yield* runnerOf(
        (input) => (input === undefined ? askSeat : Effect.succeed(input.state)),
        setting
      )).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      const forged = { ...waiting, input: { round: 1, asks: 1, accepts: {}, state: "made up" } }
      expect(yield* Effect.flip(run.resume(forged, Response.reply("roof")))).toBeInstanceOf(InvalidReply)
      expect(yield* run.resume(forged, aisle)).toMatchObject({ _tag: "Success", result: { held: "seat 7" } })
    })
  )

  it.effect("may ask again, and the reply to an earlier question comes too late", () =>
    Effect.gen(function* () {
      const again = new NeedsInput({ asks: "Aisle or window?", accepts, state: { held: "seat 7" } })
      const { handler, inputs } = counted((input) =>
        input === undefined || input.round === 1 ? again : Effect.succeed([input.round, input.reply])
      )
      for (const journal of [undefined, yield* Journal.memory]) {
        inputs.length = 0
        const runner = yield* runnerOf(handler, { policy: { journal } })
        const first = deferred(yield* runner.forRun({ id: "r" }).run(call))
        const second = deferred(yield* runner.forRun({ id: "r" }).resume(first, aisle))
        expect(second.input?.round).toBe(2)
        expect(second.digest).not.toBe(first.digest)
        const window = Response.reply({ seat: "window" })
        expect(yield* Effect.flip(runner.forRun({ id: "r" }).resume(first, window))).toBeInstanceOf(StaleResponse)
        expect(yield* runner.forRun({ id: "r" }).resume(second, window)).toMatchObject({
          _tag: "Success",
          result: [2, { seat: "window" }]
        })
        expect(inputs).toEqual([null, { seat: "aisle" }, { seat: "window" }])
      }
    })
  )

  it.effect("goes on once: a reply that is delivered again, and another one, get what the first came to", () =>
    Effect.gen(function* () {
      const { handler, inputs } = counted((input) =>
        input?.round === 1 ? new NeedsInput({ asks: "Sure?", accepts: { type: "boolean" } }) : book(input)
      )
      const journal = yield* Journal.memory
      const process = () =>
        Effect.map(runnerOf(handler, { policy: { journal } }), (runner) => runner.forRun({ id: "r" }))
      const first = deferred(yield* (yield* process()).run(call))
      const second = deferred(yield* (yield* process()).resume(first, aisle))
      expect(yield* (yield* process()).resume(first, aisle)).toMatchObject({ digest: second.digest })
      const ended = yield* (yield* process()).resume(second, Response.reply(true))
      expect(yield* (yield* process()).resume(second, Response.reply(false))).toMatchObject({
        _tag: "Success",
        encoded: { booked: true },
        notes: [{ _tag: "Replayed" }]
      })
      expect(ended).toMatchObject({ encoded: { booked: true } })
      expect(yield* (yield* process()).run(call)).toMatchObject({ encoded: { booked: true } })
      expect(inputs).toEqual([null, { seat: "aisle" }, true])
    })
  )

  it.effect("does not run again when its process takes up the call without a reply", () =>
    Effect.gen(function* () {
      for (const facts of [{}, { isReadOnly: true }, { isIdempotent: true }]) {
        for (const journal of [undefined, yield* Journal.memory]) {
          const { handler, inputs } = counted(book)
          const runner = yield* runnerOf(handler, { facts, policy: { journal } })
          const waiting = deferred(yield* runner.forRun({ id: "r" }).run(call))
          const recovered = deferred(yield* runner.forRun({ id: "r", isRecovered: true }).run(call))
          expect(recovered).toMatchObject({
            digest: waiting.digest,
            input: waiting.input,
            arguments: waiting.arguments
          })
          expect(inputs).toEqual([null])
        }
      }
    })
  )

  it.effect("is uncertain where the process ended between the reply and the end", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const begun = yield* Deferred.make<void>()
      const hanging: Handler = (input) =>
        input === undefined ? askSeat : Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
      // What a process does not live to write is not written.
      const dying: Journal.Service = { ...journal, interrupt: () => Effect.void }
      const run = (yield* runnerOf(hanging, { policy: { journal: dying } })).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      const fiber = yield* Effect.fork(run.resume(waiting, aisle))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      const { handler, inputs } = counted(book)
      const next = (yield* runnerOf(handler, { policy: { journal } })).forRun({ id: "r" })
      expect(yield* next.resume(waiting, aisle)).toMatchObject({ _tag: "Uncertain", reason: "begun" })
      const recovered = yield* next.forRun({ isRecovered: true }).run(call)
      expect(recovered).toMatchObject({ _tag: "Uncertain", reason: "begun" })
      expect(inputs).toEqual([])
      const repeatable = yield* runnerOf(handler, { facts: { isIdempotent: true }, policy: { journal } })
      // Another fact is another tool: the request of before is stale, and the new one goes on.
      const current = deferred(yield* repeatable.forRun({ id: "r", isRecovered: true }).run(call))
      expect(yield* repeatable.forRun({ id: "r" }).resume(current, aisle)).toMatchObject({ _tag: "Success" })
    })
  )

  it.effect("is uncertain where its end was lost after the reply", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const lost: Handler = (input) => (input === undefined ? askSeat : new CallLost({ reason: "gone" }))
      const run = (yield* runnerOf(lost, { policy: { journal } })).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      expect(yield* run.resume(waiting, aisle)).toMatchObject({ _tag: "Uncertain", reason: "lost" })
    })
  )

  it.effect("goes on after an approval, with what was approved, where there is a record of it", () =>
    Effect.gen(function* () {
      const policy = { approval: () => Approval.ask("it costs", { subject: "12 EUR" }) }
      const handler: Handler = (input) =>
        input === undefined
          ? askSeat
          : Effect.map(CurrentCall.CurrentCall, ({ subject }) => ({ subject, seat: input.reply }))
      for (const journal of [undefined, yield* Journal.memory]) {
        const runner = yield* runnerOf(handler, { policy: { ...policy, journal } })
        const asked = deferred(yield* runner.forRun({ id: "r" }).run(call))
        expect(asked.waitsFor).toBe("approval")
        const approved = Response.approveWith({ to: "Graz" })
        const waiting = deferred(yield* runner.forRun({ id: "r" }).resume(asked, approved))
        expect(waiting).toMatchObject({ waitsFor: "input", arguments: { to: "Graz" } })
        const again = deferred(yield* runner.forRun({ id: "r", isRecovered: true }).run(call))
        expect(again).toMatchObject({ waitsFor: "input", digest: waiting.digest, arguments: { to: "Graz" } })
        expect(yield* runner.forRun({ id: "r" }).resume(waiting, aisle)).toMatchObject({
          _tag: "Success",
          encoded: { subject: "12 EUR", seat: { seat: "aisle" } },
          notes: [{ _tag: "Edited", arguments: { to: "Graz" } }]
        })
      }
    })
  )

  it.effect("does not pass an approval rule by a made-up question", () =>
    Effect.gen(function* () {
      const { handler, inputs } = counted(book)
      const waiting = deferred(yield* (yield* runnerOf(book)).forRun({ id: "r" }).run(call))
      const asking = (yield* runnerOf(handler, { policy: { approval: () => Approval.ask() } })).forRun({ id: "r" })
      const refused = yield* Effect.flip(asking.resume(waiting, aisle))
      expect(refused).toBeInstanceOf(NotWaiting)
      expect(String(refused)).toContain("one journal")
      const denying = (yield* runnerOf(handler, { policy: { approval: () => Approval.deny("no") } })).forRun({
        id: "r"
      })
      expect(yield* denying.resume(waiting, aisle)).toMatchObject({ _tag: "Denied", reason: "no" })
      expect(inputs).toEqual([])
    })
  )

  it.effect("is denied where the rule asks by now, and no one has approved it", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      let asks = false
      const policy = { journal, approval: () => (asks ? Approval.ask() : Approval.allow) }
      const run = (yield* runnerOf(book, { policy })).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      asks = true
      expect(yield* run.resume(waiting, aisle)).toMatchObject({
        _tag: "Denied",
        reason: expect.stringContaining("no one has approved it")
      })
    })
  )

  it.effect("counts once, and is neither retried nor cached while it asks", () =>
    Effect.gen(function* () {
      const { handler, inputs } = counted(book)
      const limits = {
        default: { rate: { calls: 1, window: "1 hour" }, cache: { timeToLive: "1 hour" }, retry: Schedule.recurs(3) }
      } as const
      const run = (yield* runnerOf(handler, { facts: { isReadOnly: true }, policy: { limits } })).forRun({ id: "r" })
      const waiting = deferred(yield* run.run(call))
      expect(yield* run.resume(waiting, aisle)).toMatchObject({ _tag: "Success", notes: [] })
      expect(inputs).toEqual([null, { seat: "aisle" }])
      const other = ToolCall.make("call_2", "book", { to: "Vienna" })
      expect(yield* run.run(other)).toMatchObject({ _tag: "Limited" })
    })
  )

  it.effect("is a mistake of the program where the question is no JSON", () =>
    Effect.gen(function* () {
      const unsayable: unknown = 10n
      const run = (yield* runnerOf(() => new NeedsInput({ asks: unsayable as string, accepts: {} }))).forRun({})
      expect(yield* run.run(call)).toMatchObject({ _tag: "InvalidResult" })
    })
  )

  it.effect("keeps the handler's state from spans and from the model", () =>
    Effect.gen(function* () {
      const handler: Handler = (input) =>
        input === undefined
          ? new NeedsInput({ asks: "Seat?", accepts: {}, state: "sealed-state-of-the-handler" })
          : Effect.fail(`no seat ${JSON.stringify(input.reply)}`)
      const { spans, value: outcomes } = yield* recordSpans(
        Effect.gen(function* () {
          const policy = { observe: { arguments: true, results: true, causes: true } }
          const run = (yield* runnerOf(handler, { policy })).forRun({ id: "r" })
          const waiting = deferred(yield* run.run(call))
          return [waiting, yield* run.resume(waiting, aisle)]
        })
      )
      expect(outcomes.map(Outcome.text)).toEqual([undefined, expect.stringContaining("no seat")])
      expect(spans).toHaveLength(2)
      const texts = spans.map(({ attributes, events, failure }) => [...attributes, events, failure])
      expect(JSON.stringify(texts)).not.toContain("sealed-state")
    })
  )
})
