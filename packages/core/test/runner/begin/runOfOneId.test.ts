/** Runs of one id are one run, and each request has an id of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, type Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"

const make = (options: { readonly hasJournal?: boolean; readonly isIdempotent?: boolean } = {}) =>
  Effect.gen(function* () {
    const paid: Array<unknown> = []
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: { type: "object" as const, properties: { to: { type: "string" as const } } },
        facts: { isIdempotent: options.isIdempotent === true },
        execute: ({ to }) =>
          Effect.zipRight(
            Effect.yieldNow(),
            Effect.sync(() => (paid.push(to), "paid"))
          )
      }
    ])
    const journal = options.hasJournal === true ? yield* Journal.memory : undefined
    const runner = yield* ToolRunner.make(toolset, { approval: () => Approval.ask(), journal })
    return { paid, runner, toolset }
  })

const pay = (id: string, to = "Ada") => ToolCall.make(id, "pay", { to })

const only = (outcomes: ReadonlyArray<Outcome.Outcome>) => {
  const [first] = outcomes
  if (first?._tag !== "Deferred") throw new Error(`no request, but ${first?._tag}`)
  return first
}

for (const hasJournal of [false, true]) {
  describe(`with ${hasJournal ? "a" : "no"} journal`, () => {
    it.effect("an approval that is given to three runs of one id, or to two at once, is carried out once", () =>
      Effect.gen(function* () {
        const { paid, runner } = yield* make({ hasJournal })
        const waiting = only(yield* runner.forRun({ id: "order 7" }).settle([pay("1")]))
        const approve = Effect.suspend(() => runner.forRun({ id: "order 7" }).resume(waiting, Response.approve))
        const both = yield* Effect.all([approve, approve], { concurrency: 2 })
        expect([...both, yield* approve].map(({ _tag }) => _tag)).toEqual(["Success", "Success", "Success"])
        expect(paid).toEqual(["Ada"])
        // A run of the same id finds what has run also where it has no answer.
        expect((yield* runner.forRun({ id: "order 7" }).settle([pay("1")]))[0]?._tag).toBe("Success")
        expect(paid).toEqual(["Ada"])
      })
    )
    it.effect("equal calls of two runs, of two turns, and of two ids have requests of their own", () =>
      Effect.gen(function* () {
        const { paid, runner } = yield* make({ hasJournal })
        const [a, b] = [runner.forRun({ id: "a" }), runner.forRun({ id: "b" })]
        const waiting = [
          ...(yield* a.settle([pay("1"), pay("2")])),
          only(yield* b.settle([pay("1")])),
          only(yield* a.forRun({ turn: "t" }).settle([pay("1")]))
        ].map((one) => only([one]))
        expect(new Set(waiting.map(({ digest }) => digest)).size).toBe(1)
        expect(new Set(waiting.map(({ requestId }) => requestId)).size).toBe(4)
        for (const { requestId } of waiting) expect(requestId).toMatch(/^[0-9a-f]{32}$/)
        // Each is answered in its own run and turn only.
        const [first, , ofB, ofTurn] = waiting
        for (const other of [ofB!, ofTurn!]) {
          expect((yield* Effect.flip(a.resume(other, Response.approve)))._tag).toBe("StaleResponse")
          expect((yield* Effect.flip(a.resume(other, Response.deny("no"))))._tag).toBe("StaleResponse")
        }
        expect((yield* Effect.flip(a.resume({ ...first!, call: pay("2") }, Response.approve)))._tag).toBe(
          "StaleResponse"
        )
        expect(paid).toEqual([])
        expect((yield* a.resume(first!, Response.approve))._tag).toBe("Success")
        expect(paid).toEqual(["Ada"])
      })
    )
  })
}

it.effect("of the runs without a journal, the last 10,000 are remembered", () =>
  Effect.gen(function* () {
    const { paid, runner } = yield* make({})
    const approve = (id: string) =>
      Effect.gen(function* () {
        const run = runner.forRun({ id })
        const [outcome] = yield* run.settle([pay("1", id)])
        return outcome?._tag === "Deferred" ? (yield* run.resume(outcome, Response.approve))._tag : outcome?._tag
      })
    yield* approve("first")
    for (let index = 0; index < 9_998; index++) runner.forRun({ id: `run ${index}` })
    yield* approve("first")
    expect(paid).toEqual(["first"])
    for (let index = 0; index < 10_000; index++) runner.forRun({ id: `next ${index}` })
    yield* approve("first")
    expect(paid).toEqual(["first", "first"])
  })
)

it.effect(
  "a denial needs no digest: it is taken when the tool is another one by now, and the id is checked all the same",
  () =>
    Effect.gen(function* () {
      const { paid, runner, toolset } = yield* make({})
      const waiting = only(yield* runner.forRun({ id: "a" }).settle([pay("1")]))
      yield* toolset.put({ name: "pay", description: "Another one", execute: () => Effect.succeed("paid") })
      const run = runner.forRun({ id: "a" })
      expect((yield* Effect.flip(run.resume(waiting, Response.approve)))._tag).toBe("StaleResponse")
      expect((yield* Effect.flip(runner.forRun({ id: "b" }).resume(waiting, Response.deny("no"))))._tag).toBe(
        "StaleResponse"
      )
      expect((yield* run.resume(waiting, Response.deny("no")))._tag).toBe("Denied")
      // A person's no is the last word.
      expect((yield* run.settle([pay("1")]))[0]?._tag).toBe("Denied")
      expect(paid).toEqual([])
    })
)

const large = "x".repeat(20 * 1024 * 1024)

it.effect.each([
  { of: "results", given: {}, result: large },
  { of: "arguments", given: { text: large }, result: "" }
])("runs without a journal keep no more of their $of than is bounded", ({ given, result }) =>
  Effect.gen(function* () {
    let times = 0
    const execute = () => Effect.sync(() => `${++times} ${result}`)
    const toolset = yield* Toolset.constant([{ name: "read", inputSchema: { type: "object" }, execute }])
    const runner = yield* ToolRunner.make(toolset)
    const read = (id: string) => runner.forRun({ id }).settle([{ id: "1", name: "read", arguments: given }])
    for (const id of ["a", "b", "c", "a", "d"]) yield* read(id)
    // What was used last is kept; of the others, the oldest was forgotten.
    yield* read("a")
    expect(times).toBe(4)
    yield* read("b")
    expect(times).toBe(5)
  })
)
