import {
  Agent,
  Approval,
  CurrentCall,
  DeferredCall,
  Facts,
  Journal,
  NeedsInput,
  Outcome,
  Response,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/effect4"
import { Cause, Effect, Exit, Logger, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { describe, expect, it } from "vitest"
import { call, finish, modelOf, text } from "./script.js"
import { only } from "./shop.js"

class Full extends Schema.TaggedError<Full>()("Full", { flight: Schema.String }) {}

const Book = Tool.make("book", {
  parameters: Schema.Struct({ flight: Schema.String }),
  success: Schema.Struct({ seat: Schema.String, asked: Schema.Int }),
  failure: Schema.Union([Full, NeedsInput])
})
const Sign = Facts.state(
  Tool.make("sign", {
    success: Schema.Struct({ on: Schema.DateFromString }),
    failure: Schema.String,
    failureMode: "return"
  }),
  { kind: "client" }
)
const Desk = Toolkit.make(Book, Sign)

const accepts = { type: "string", enum: ["aisle", "window"] }

const DeskLive = Desk.toLayer({
  book: ({ flight }) =>
    Effect.gen(function* () {
      if (flight === "W0") return yield* new Full({ flight })
      const { input } = yield* CurrentCall.CurrentCall
      if (input === undefined) return yield* new NeedsInput({ asks: "Where?", accepts, state: { asked: 1 } })
      return {
        seat: String(input.reply),
        asked: Schema.decodeUnknownSync(Schema.Struct({ asked: Schema.Int }))(input.state).asked
      }
    }),
  sign: () => Effect.die(new Error("A client signs"))
})

const atDesk = <A, E>(
  use: (toolset: Toolset.Toolset<Toolset.ToolsOf<typeof Desk>>) => Effect.Effect<A, E>
): Promise<A> => Effect.runPromise(Effect.provide(Effect.flatMap(Toolset.fromToolkit(Desk), use), DeskLive))

const flight = { flight: "W1" }

describe("a call that waits, in effects of 4", () => {
  it("asks for input and goes on with the reply, after a restart too; another reply is refused", () =>
    atDesk((toolset) =>
      Effect.gen(function* () {
        const journal = yield* Journal.memory
        // Each time as in a process of its own.
        const begin = Effect.map(ToolRunner.make(toolset, { journal }), (runner) => runner.forRun({ id: "trip" }))
        const waiting = only(yield* (yield* begin).run(ToolCall.make("1", "book", flight)), "Deferred")
        expect([waiting.waitsFor, waiting.input?.asks, waiting.input?.accepts]).toEqual(["input", "Where?", accepts])
        const run = yield* begin
        expect((yield* Effect.flip(run.resume(waiting, Response.reply("wing"))))._tag).toBe("InvalidReply")
        const booked = only(yield* run.resume(waiting, Response.reply("aisle")), "Success")
        expect(booked.result).toEqual({ seat: "aisle", asked: 1 })
        const full = yield* Effect.flip(run.run(ToolCall.make("2", "book", { flight: "W0" })))
        expect(full).toBeInstanceOf(Full)
      })
    ))

  it("takes no argument that its tool has not: of an edit never, of a model where the policy rejects them", () =>
    atDesk((toolset) =>
      Effect.gen(function* () {
        const approval = { book: () => Approval.ask("it costs") }
        const sent = ToolCall.make("1", "book", { ...flight, seat: "aisle" })
        const asking = (yield* ToolRunner.make(toolset, { approval })).forRun({ id: "trip" })
        const waiting = only(yield* asking.run(ToolCall.make("2", "book", flight)), "Deferred")
        const refused = yield* Effect.flip(asking.resume(waiting, Response.approveWith({ ...flight, flihgt: "W2" })))
        expect([refused._tag, String(refused)]).toEqual(["InvalidEdit", expect.stringContaining("flihgt")])
        expect((yield* asking.run(sent))._tag).toBe("Deferred")
        const strict = (yield* ToolRunner.make(toolset, { approval, unknownArguments: "reject" })).forRun({
          id: "trip"
        })
        expect((yield* strict.run(sent))._tag).toBe("InvalidArguments")
      })
    ))

  it("is answered in an agent by a reply, by what a client came to, and by other arguments", () =>
    atDesk((toolset) =>
      Effect.gen(function* () {
        const model = yield* modelOf([
          [call("1", "book", flight), call("2", "sign", {}), call("3", "sign", {}), finish],
          [text("Done."), finish]
        ])
        const agent = yield* Agent.make({ model, toolset })
        const { conversation, requests } = only(yield* Agent.run(agent, "Book it"), "Paused")
        const [book, first, second] = requests
        if (book === undefined || first === undefined || second === undefined) throw new Error("three calls wait")
        const answers = [
          DeferredCall.reply(book, "window"),
          DeferredCall.result(first, { on: "2026-01-01T00:00:00.000Z" }),
          DeferredCall.failure(second, "no pen")
        ]
        const stale = [DeferredCall.reply({ ...book, digest: "0" }, "window")]
        expect((yield* Effect.flip(Agent.check(agent, { conversation, answers: stale })))._tag).toBe("StaleResponse")
        const wrong = [DeferredCall.approveWith(first, {})]
        expect((yield* Effect.flip(Agent.check(agent, { conversation, answers: wrong })))._tag).toBe(
          "WrongKindOfResponse"
        )
        yield* Agent.check(agent, { conversation, answers })
        const result = yield* Agent.run(agent, { conversation, answers })
        expect(result.text).toBe("Done.")
        yield* Agent.check(agent, { conversation, answers })
      })
    ))

  it("takes what a user says meanwhile", () =>
    atDesk((toolset) =>
      Effect.gen(function* () {
        const asked: Array<{ readonly prompt: unknown }> = []
        const model = yield* modelOf(
          [
            [call("1", "book", { flight: 5 }), finish],
            [text("Done."), finish]
          ],
          asked as never
        )
        const inbox = Effect.sync(() => (asked.length === 0 ? [] : [{ id: "m_1", content: "And hurry" }]))
        const agent = yield* Agent.make({ model, toolset })
        yield* Agent.run(agent, { prompt: "Book it", inbox })
        expect(asked.map(({ prompt }) => JSON.stringify(prompt).split("And hurry").length - 1)).toEqual([0, 1])
      })
    ))
})

it("a handler that gives no effect, in plain JavaScript, is told so", async () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ cause }) => void lines.push(Cause.pretty(cause)))
  const outcomes = await Effect.runPromise(
    Effect.gen(function* () {
      // As a program without types may write them.
      const tools = [
        { name: "promise", execute: async () => 5 },
        { name: "value", execute: () => 5 }
      ] as unknown as ReadonlyArray<Toolset.DynamicTool>
      const runner = yield* ToolRunner.make(yield* Toolset.dynamic(tools), { observe: { causes: true } })
      return yield* runner.settle(tools.map(({ name }) => ToolCall.make(name, name, {})))
    }).pipe(Effect.provide(Logger.layer([logger])))
  )
  expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Defect", "Defect"])
  expect(lines.filter((line) => line.includes("Effect.promise"))).toHaveLength(2)
  expect(outcomes.map(Outcome.text).join()).not.toContain("Effect.promise")
})

it.each<readonly [unknown, string]>([
  [null, "must be an array of tools, but is null"],
  [[null], "must be an object, but is null"],
  [[{ name: "pay" }], "execute must be a function, but is nothing"],
  [[{ name: "pay", execute: "paid" }], 'execute must be a function, but is "paid"']
])("no toolset is made of %j", async (tools, problem) => {
  // As plain JavaScript gives it.
  const exit = await Effect.runPromiseExit(Toolset.dynamic(tools as ReadonlyArray<Toolset.DynamicTool>))
  expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain(problem)
})

it("no toolset is made of what is no toolkit, nor of a tool whose handler is no function", async () => {
  // As above.
  const nothing = Toolset.fromToolkit(null as never)
  const exit = await Effect.runPromiseExit(nothing)
  expect(Exit.isFailure(exit) && Cause.pretty(exit.cause)).toContain("It is no toolkit of effect/ai")
  const Kit = Toolkit.make(Book)
  const KitLive = Kit.toLayer({ book: null as never })
  const error = await Effect.runPromise(Effect.flip(Effect.provide(Toolset.fromToolkit(Kit), KitLive)))
  expect(error).toMatchObject({ _tag: "InvalidTool", tool: "book" })
})

it("an edit without arguments is refused, so that what a person has changed does not run as it was", () => {
  // As plain JavaScript gives it.
  const missing = undefined as never
  expect(() => Response.approveWith(missing)).toThrow("The arguments of an approval must be an object")
})
