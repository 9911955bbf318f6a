import { describe, expect, it } from "@effect/vitest"
import { Approval, CallContext, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { recordLogs } from "../recording/Logs.js"
import { expectOutcome } from "../tools/outcomes.js"
import { shop } from "../tools/Shop.js"

describe("select", () => {
  it.scoped("keeps the named tools in the toolset's order; the others do not exist in it", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make((yield* shop).pipe(Toolset.select("cancel", "refund")))
      expect((yield* runner.definitions).map(({ name }) => name)).toEqual(["refund", "cancel"])
      const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "get_orders", {})), "UnknownTool")
      expect(outcome.nearest).not.toContain("get_orders")
    })
  )
  it.scoped("throws a name that no tool has, as do rename and describe, where tools cannot change", () =>
    Effect.gen(function* () {
      const dynamic = yield* Toolset.constant(["read", "delete"].map((name) => ({ name, execute: () => Effect.void })))
      // Of typed tools, the compiler refuses such names: a program without it gives them.
      for (const toolset of [dynamic, Toolset.prefix(yield* shop, "") as unknown as typeof dynamic]) {
        expect(() => toolset.pipe(Toolset.select("delte"))).toThrow(
          "What `Toolset.select` takes must be named as a tool"
        )
        expect(() => toolset.pipe(Toolset.rename({ delte: "x" }))).toThrow("What `Toolset.rename` takes must be named")
        expect(() => toolset.pipe(Toolset.describe({ delte: "x" }))).toThrow("What `Toolset.describe` takes must be")
      }
      expect(() => dynamic.pipe(Toolset.select("delte"))).toThrow('did you mean "delete"?), but is named "delte"')
    })
  )
  it.effect("of dynamic tools says once what does not exist, where it is made again for each request", () =>
    Effect.gen(function* () {
      const source = yield* Toolset.dynamic([])
      const user = () => Toolset.dynamic([{ name: "own", execute: () => Effect.void }])
      const { lines } = yield* recordLogs(
        Effect.gen(function* () {
          for (const _ of [1, 2, 3]) {
            const toolset = source.pipe(
              Toolset.filter(() => true),
              Toolset.prefix("shop_"),
              Toolset.select("later"),
              Toolset.describe({ later: "Late" }),
              Toolset.rename({ later: "now" })
            )
            yield* (yield* ToolRunner.make(toolset)).definitions
            const both = Toolset.combine(source, yield* user()).pipe(Toolset.select("last"))
            yield* (yield* ToolRunner.make(both)).definitions
          }
          const other = yield* user()
          yield* (yield* ToolRunner.make(other.pipe(Toolset.select("last")))).definitions
        })
      )
      expect(lines.map((line) => /(\w+) names "(\w+)"/.exec(line)?.slice(1))).toEqual([
        ["select", "later"],
        ["describe", "later"],
        ["rename", "later"],
        ["select", "last"],
        ["select", "last"]
      ])
    })
  )
  it.effect("of dynamic tools may name what does not exist yet, and says so once", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([])
      const { lines, value: runner } = yield* recordLogs(
        Effect.gen(function* () {
          const made = yield* ToolRunner.make(
            toolset.pipe(Toolset.select("later"), Toolset.describe({ later: "Late" }))
          )
          expect(yield* made.definitions).toEqual([])
          yield* toolset.put({ name: "latter", execute: () => Effect.void })
          expect(yield* made.definitions).toEqual([])
          return made
        })
      )
      expect(lines).toEqual([
        'WARN Toolset.select names "later", but no tool has that name now (there are none) ',
        'WARN Toolset.describe names "later", but no tool has that name now (there are none) '
      ])
      yield* toolset.put({ name: "later", execute: () => Effect.succeed("now") })
      yield* toolset.put({ name: "other", execute: () => Effect.succeed("now") })
      expect((yield* runner.definitions).map(({ name }) => name)).toEqual(["later"])
    })
  )
})

describe("filter", () => {
  const guarded = Effect.map(
    shop,
    Toolset.filter(({ facts }, context) => facts.isReadOnly || context.role === "clerk")
  )
  const clerk = { context: { customerId: "c_1", role: "clerk" } }
  const namesOf = <R, E>(runner: Pick<ToolRunner.Runner<unknown, R, E>, "definitions">) =>
    Effect.map(runner.definitions, (definitions) => definitions.map(({ name }) => name))

  it.scoped("decides per request by definition and call context", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* guarded)
      expect(yield* namesOf(runner)).toEqual(["get_orders"])
      expect(yield* namesOf(runner).pipe(CallContext.provide({ role: "clerk" }))).toHaveLength(4)
      expect(yield* namesOf(runner.forRun(clerk))).toHaveLength(4)
    })
  )
  it.scoped("makes what it does not offer unavailable, for calls of the program and resumed calls too", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* guarded, {
        approval: { refund: () => Approval.ask(), show_chart: () => Approval.allow }
      })
      const call = ToolCall.make("c", "show_chart", { title: "x" })
      const outcome = expectOutcome(yield* runner.run(call), "Unavailable")
      expect(outcome.nearest).toEqual(["get_orders"])
      expect(yield* Effect.flip(runner.call("refund", { amount: 1 }))).toMatchObject({
        outcome: { _tag: "Unavailable" }
      })
      const ofClerk = runner.forRun(clerk)
      const guest = runner.forRun({ context: { customerId: "c_1" } })
      const refund = expectOutcome(yield* ofClerk.run(ToolCall.make("r", "refund", { amount: 1 })), "Deferred")
      expectOutcome(yield* guest.resume(refund, Response.approve), "Unavailable")
      // A no, and what a client was given and has done, are taken.
      expectOutcome(yield* guest.resume(refund, Response.deny("no")), "Denied")
      const deferred = expectOutcome(yield* ofClerk.run(call), "Deferred")
      expectOutcome(yield* guest.resume(deferred, Response.result({ shown: true })), "Success")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("can only tighten another filter", () =>
    Effect.gen(function* () {
      const none = (yield* guarded).pipe(
        Toolset.filter(() => true),
        Toolset.filter(({ name }) => name !== "get_orders")
      )
      const runner = yield* ToolRunner.make(none)
      expect(yield* namesOf(runner)).toEqual([])
      for (const name of ["get_orders", "refund"])
        expectOutcome(yield* runner.run(ToolCall.make("c", name, {})), "Unavailable")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
})
