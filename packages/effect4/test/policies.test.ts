import { Approval, Guard, Journal, type Policy, Response, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import { Duration, Effect, Layer, Logger, Schedule, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { describe, expect, it } from "vitest"
import { only } from "./shop.js"

const Read = Tool.make("read", { parameters: Schema.Struct({ page: Schema.Finite }), success: Schema.String })
const Pay = Tool.make("pay", { success: Schema.String, needsApproval: true })
const Kit = Toolkit.make(Read, Pay)

type Tools = Toolset.ToolsOf<typeof Kit>

const KitLive = Kit.toLayer({
  read: ({ page }) => Effect.succeed(`page ${page}: card 4111111111111111`),
  pay: () => Effect.succeed("paid")
}).pipe(Layer.merge(Logger.layer([])))

const withKit = <A, E>(use: (toolset: Toolset.Toolset<Tools>) => Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(Toolset.fromToolkit(Kit), use), KitLive))

const read = (page: number) => ToolCall.make(`read ${page}`, "read", { page })

describe("a guard that is an effect of 4", () => {
  const cards: Guard.Guard = {
    name: "cards",
    on: ["result"],
    check: (text) => Effect.succeed(/\b\d{16}\b/.test(text) ? Guard.block("it has the number of a card") : Guard.pass)
  }

  it("keeps a result from the model, and gives it to the program", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const withheld = only(yield* (yield* ToolRunner.make(toolset, { guards: [cards] })).run(read(1)), "Withheld")
        expect([withheld.guard, withheld.reason, withheld.of._tag]).toEqual([
          "cards",
          "it has the number of a card",
          "Success"
        ])
        const reporting = yield* ToolRunner.make(toolset, { guards: [{ ...cards, mode: "report" }] })
        expect((yield* reporting.run(read(1)))._tag).toBe("Success")
      })
    ))

  it("blocks where it fails, dies or takes too long, also as a class", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        class Failing implements Guard.Guard {
          readonly name = "failing"
          readonly #why = "no"
          readonly #on = ["result"] as const
          get on() {
            return this.#on
          }
          check() {
            return Effect.fail(this.#why)
          }
        }
        Object.freeze(Failing.prototype)
        const guards: ReadonlyArray<Guard.Guard> = [
          new Failing(),
          { name: "dying", check: () => Effect.die("no") },
          { name: "slow", check: () => Effect.never, timeout: { milliseconds: 1 } }
        ]
        for (const guard of guards) {
          const runner = yield* ToolRunner.make(toolset, { guards: [guard] })
          expect(only(yield* runner.run(read(1)), "Withheld").guard).toBe(guard.name)
        }
      })
    ))
})

describe("a policy of an application on Effect 4", () => {
  it("counts what one tenant calls", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const by = ({ tenant }: { readonly tenant?: unknown }) => String(tenant)
        const runner = yield* ToolRunner.make(toolset, {
          quotas: [{ name: "tenant", by, window: Duration.days(1), calls: 1 }]
        })
        const tagsOf = (tenant: string) =>
          Effect.map(runner.forRun({ context: { tenant } }).settle([read(1), read(2)]), (outcomes) =>
            outcomes.map(({ _tag }) => _tag)
          )
        expect(yield* tagsOf("a")).toEqual(["Success", "Limited"])
        expect(yield* tagsOf("b")).toEqual(["Success", "Limited"])
      })
    ))

  it("does not wait for a rule without end", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const approvalTimeout = { milliseconds: 1 }
        for (const rule of [() => Effect.never, () => Effect.uninterruptible(Effect.never)]) {
          const runner = yield* ToolRunner.make(toolset, { approval: rule, approvalTimeout })
          expect((yield* runner.run(read(1)))._tag).toBe("Defect")
        }
      })
    ))

  it("never loosens what a tool of Effect 4 says of itself", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const tagOf = (approval: unknown) =>
          Effect.gen(function* () {
            // As a program without types may give it.
            const runner = yield* ToolRunner.make(toolset, { approval } as Policy.Policy<Tools>)
            return (yield* runner.run(ToolCall.make("1", "pay", {})))._tag
          })
        const allow = () => Effect.succeed(Approval.allow)
        const deny = () => Approval.deny("no")
        for (const approval of [undefined, {}, { pay: undefined }, { pay: allow }, { "*": allow }, allow]) {
          expect(yield* tagOf(approval)).toBe("Deferred")
        }
        for (const approval of [
          { pay: deny },
          { "*": deny },
          { "*": { pay: deny } },
          { pay: undefined, "*": deny },
          deny
        ]) {
          expect(yield* tagOf(approval)).toBe("Denied")
        }
      })
    ))

  it("holds under another name of the tool, and two tools of one name are refused", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const swapped = yield* ToolRunner.make(Toolset.rename(toolset, { pay: "read", read: "pay" }))
        const outcomes = yield* swapped.settle([ToolCall.make("1", "read", {}), ToolCall.make("2", "pay", { page: 1 })])
        expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Deferred", "Success"])
        expect((yield* Effect.flip(ToolRunner.make(Toolset.rename(toolset, { pay: "read" }))))._tag).toBe(
          "ToolNameCollision"
        )
      })
    ))

  it("is refused where it says what no call could keep to, at any place", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const pathOf = (policy: unknown) =>
          Effect.gen(function* () {
            // As above.
            const error = yield* Effect.flip(ToolRunner.make(toolset, policy as Policy.Policy<Tools>))
            expect(error._tag).toBe("InvalidPolicy")
            return error._tag === "InvalidPolicy" ? error.path.join(".") : error._tag
          })
        const wrong: ReadonlyArray<readonly [unknown, string]> = [
          [{ limit: {} }, "limit"],
          [{ limits: 5 }, "limits"],
          [{ limits: { default: { timeOut: "1 second" } } }, "limits.default.timeOut"],
          [{ limits: { default: { timeout: "soon" } } }, "limits.default.timeout"],
          [{ limits: { default: { timeout: "-Infinity" } } }, "limits.default.timeout"],
          [{ limits: { tools: { reed: { timeout: "1 second" } } } }, "limits.tools.reed"],
          [{ limits: { tools: { read: 5 } } }, "limits.tools.read"],
          [
            { limits: { tools: { read: { rate: { calls: 1, window: "Infinity" } } } } },
            "limits.tools.read.rate.window"
          ],
          [{ limits: { tools: { read: { retry: 3 } } } }, "limits.tools.read.retry"],
          [{ limits: { dynamic: { read: { cache: { timeToLive: 0 } } } } }, "limits.dynamic.read.cache.timeToLive"],
          [{ approval: { read: "ask" } }, "approval.read"],
          [{ approval: { pay: "ask" } }, "approval.pay"],
          [{ approval: { reed: () => Approval.ask() } }, "approval.reed"],
          [{ approval: [() => Approval.ask()] }, "approval"],
          [{ approval: new Map([["read", () => Approval.ask()]]) }, "approval"],
          [{ approval: { "*": new Map([["read", () => Approval.ask()]]) } }, "approval.*"],
          [{ limits: { tools: new Map([["read", { timeout: 1 }]]) } }, "limits.tools"],
          [new Map([["approval", () => Approval.ask()]]), ""],
          [Promise.resolve({}), ""],
          [{ limits: Promise.resolve({}) }, "limits"],
          [{ guards: [{ name: "cards" }] }, "guards.0.check"],
          [{ guards: [undefined] }, "guards.0"],
          [{ guards: { name: "cards" } }, "guards"],
          [{ quotas: [{ name: "tenant", by: String, window: "a day", calls: 1 }] }, "quotas.0.window"],
          [{ journal: {} }, "journal"],
          [{ approvalTimeout: "soon" }, "approvalTimeout"],
          [{ resultBound: { maxBytes: 1, timeToLive: "never" } }, "resultBound.timeToLive"]
        ]
        for (const [policy, path] of wrong) expect(yield* pathOf(policy)).toBe(path)
      })
    ))

  it("takes durations as Effect 4 has them, and its schedules", () =>
    withKit((toolset) =>
      Effect.gen(function* () {
        const journal = yield* Journal.memory
        const limits = { timeout: "Infinity", cache: { timeToLive: { days: 1 } }, retry: Schedule.recurs(2) } as const
        const rate = { calls: 1, window: [60, 0] } as const
        const runner = yield* ToolRunner.make(toolset, { journal, limits: { tools: { read: { ...limits, rate } } } })
        const run = runner.forRun({ id: "run" })
        const outcomes = yield* run.settle([read(1), read(2)])
        expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success", "Limited"])
        const [again] = yield* runner.forRun({ id: "another" }).settle([ToolCall.make("3", "read", { page: 1 })])
        expect([again?._tag, again?.notes]).toEqual(["Success", [{ _tag: "Cached" }]])
        const [paid] = yield* run.resumeAll(yield* run.settle([ToolCall.make("4", "pay", {})]), () => Response.approve)
        expect(paid?._tag).toBe("Success")
      })
    ))
})
