import { describe, expect, it } from "@effect/vitest"
import { Agent, type ContextWindow, Conversation } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as RecordStore from "@wield/agent/RecordStore"
import * as SqlCounts from "@wield/agent/SqlCounts"
import { Quota, Toolset, Turn } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Context, Effect, Layer, TestClock } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Postgres from "../../../test/postgres/Postgres.js"

const tenant: Quota.Quota = {
  name: "tenant",
  by: ({ tenant }) => (typeof tenant === "string" ? tenant : undefined),
  window: "1 day",
  tokens: 100
}
const used = (input: number) => ScriptedModel.usage({ input, output: 10 })

const agentOf = (quotas: ReadonlyArray<Quota.Quota>, ...script: Parameters<typeof ScriptedModel.make>[0]) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "look", execute: () => Effect.succeed("found") }])
    return yield* Agent.make({ model: yield* ScriptedModel.make(script), toolset, policy: { quotas } })
  })

const inMemory = Effect.provideServiceEffect(Quota.CurrentCounts, Effect.sync(Quota.memory))
const { call, text, turn } = ScriptedModel
const as = (tenant: string) => ({ prompt: "Hello?", context: { tenant } })

describe("a budget", () => {
  it.effect("of tokens is one for all runs of a tenant, and says what is used up", () =>
    Effect.gen(function* () {
      const agent = yield* agentOf([tenant], turn(used(90), text("One.")), turn(used(1), text("Two.")), text("Three."))
      expect((yield* Agent.run(agent, as("acme")))._tag).toBe("Finished")
      expect(yield* Agent.run(agent, as("acme"))).toMatchObject({ _tag: "Stopped", by: "100 tokens per 1d (tenant)" })
      expect((yield* Agent.run(agent, as("zenith"))).text).toBe("Two.")
      yield* TestClock.adjust("1 day")
      expect((yield* Agent.run(agent, as("acme"))).text).toBe("Three.")
    }).pipe(inMemory)
  )

  it.effect("stops a run between its steps, whose conversation goes on later", () =>
    Effect.gen(function* () {
      const agent = yield* agentOf([tenant], turn(used(200), call("look")), text("Found."))
      const stopped = yield* Agent.run(agent, as("acme"))
      expect(stopped).toMatchObject({ _tag: "Stopped", steps: 1 })
      yield* TestClock.adjust("1 day")
      const { conversation } = stopped
      expect((yield* Agent.run(agent, { conversation, context: { tenant: "acme" } })).text).toBe("Found.")
    }).pipe(inMemory)
  )

  it.effect("is of one conversation, where its key is the run", () =>
    Effect.gen(function* () {
      const quota: Quota.Quota = { ...tenant, name: "conversation", by: (_, { run }) => run }
      const agent = yield* agentOf([quota], turn(used(200), text("One.")), text("Two."))
      const conversation = yield* Conversation.make()
      yield* Agent.run(agent, { conversation, prompt: "One?" })
      const over = yield* Agent.run(agent, { conversation, prompt: "And two?" })
      expect(over).toMatchObject({ _tag: "Stopped", by: "100 tokens per 1d (conversation)" })
      expect((yield* Agent.run(agent, "Two?")).text).toBe("Two.")
    }).pipe(inMemory)
  )

  it.effect("of money counts by the prices of the model", () =>
    Effect.gen(function* () {
      const cost = { limit: 0.5, prices: { scripted: { input: 5000, output: 0 } } }
      const quota: Quota.Quota = { name: "user", by: () => "ada", window: "1 day", cost }
      const agent = yield* agentOf([quota], turn(used(100), text("One.")), text("Two."))
      yield* Agent.run(agent, "One?")
      expect(yield* Agent.run(agent, "Two?")).toMatchObject({ _tag: "Stopped", by: "0.5 of cost per 1d (user)" })
    }).pipe(inMemory)
  )

  it.effect("counts the summaries that a context window makes", () =>
    Effect.gen(function* () {
      const usage = { ...Turn.unknownUsage, input: 90, output: 10 }
      const window: ContextWindow.ContextWindow = {
        view: (entries) =>
          Effect.map(
            Conversation.entry(Conversation.user("They greet."), {
              summaryOf: entries.at(-1)?.id,
              turn: { model: "small", usage, finish: "stop", isComplete: true }
            }),
            (summary) => ({ messages: Conversation.messages(entries), dropped: 0, summary })
          )
      }
      const model = yield* ScriptedModel.make([turn(used(1), text("One.")), text("Two.")])
      const agent = yield* Agent.make({ model, window, policy: { quotas: [tenant] } })
      expect((yield* Agent.run(agent, as("acme"))).text).toBe("One.")
      expect(yield* Agent.run(agent, as("acme"))).toMatchObject({ _tag: "Stopped", by: "100 tokens per 1d (tenant)" })
    }).pipe(inMemory)
  )

  it.effect("that cannot be measured, or counted, stops the run", () =>
    Effect.gen(function* () {
      const unknown = turn(ScriptedModel.usage({ input: undefined, output: undefined }), call("look"))
      const agent = yield* agentOf([tenant], unknown, text("No."))
      expect((yield* Agent.run(agent, as("acme")))._tag).toBe("Stopped")
      const down: Quota.Counts = { add: () => Effect.fail("down"), sum: () => Effect.succeed(0) }
      const other = yield* agentOf([tenant], turn(used(1), call("look")), text("No.")).pipe(
        Effect.provideService(Quota.CurrentCounts, down)
      )
      expect((yield* Agent.run(other, as("acme")))._tag).toBe("Stopped")
      const odd: Quota.Counts = { add: () => Effect.succeed(true), sum: () => Effect.succeed(Number.NaN) }
      const third = yield* agentOf([tenant], text("No.")).pipe(Effect.provideService(Quota.CurrentCounts, odd))
      expect((yield* Agent.run(third, as("acme")))._tag).toBe("Stopped")
    }).pipe(inMemory)
  )
})

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-counts-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The counts of two processes over one store: each has a connection of its own. */
const two = <E, R>(layer: Layer.Layer<Quota.CurrentCounts, E, R>) =>
  Effect.all([1, 2].map(() => Effect.map(Layer.build(Layer.fresh(layer)), Context.get(Quota.CurrentCounts))))

const obeysLaws = (counts: ReadonlyArray<Quota.Counts>) =>
  Effect.gen(function* () {
    const [one, other] = counts
    if (one === undefined || other === undefined) return yield* Effect.dieMessage("there are two")
    const adds = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).add("acme", 60_000, 1, 5))
    const taken = yield* Effect.all(adds, { concurrency: "unbounded" })
    const sum = yield* one.sum("acme", 60_000)
    expect(taken.filter((isTaken) => isTaken)).toHaveLength(sum)
    expect(sum).toBeLessThanOrEqual(5)
    yield* other.add("acme", 60_000, 5 - sum, 5)
    expect(yield* one.add("acme", 60_000, 1, 5)).toBe(false)
    expect(yield* other.add("acme", 60_000, 0.25, Infinity)).toBe(true)
    expect(yield* one.sum("acme", 60_000)).toBe(5.25)
    // Another key, and another window.
    expect(yield* one.sum("zenith", 60_000)).toBe(0)
    expect(yield* other.add("acme", 3_600_000, 1, 1)).toBe(true)
    yield* TestClock.adjust("1 minute")
    expect(yield* one.sum("acme", 60_000)).toBe(0)
    expect(yield* other.add("acme", 60_000, 1, 1)).toBe(true)
    // A clock that is set back opens no window again.
    yield* TestClock.setTime(59_999)
    expect(yield* one.sum("acme", 60_000)).toBe(1)
    expect(yield* one.add("acme", 60_000, 1, 1)).toBe(false)
    expect(yield* one.add("acme", 60_000, 1, 2)).toBe(true)
    expect(yield* one.add("acme", 60_000, 0.25, Infinity)).toBe(true)
    yield* TestClock.setTime(60_000)
    expect(yield* other.sum("acme", 60_000)).toBe(2.25)
    expect(yield* other.add("acme", 60_000, 1, 3)).toBe(false)
    // The next window has nothing before something is counted in it: until then, those whose clock is behind have the sum.
    yield* TestClock.setTime(120_000)
    expect(yield* other.sum("acme", 60_000)).toBe(0)
    yield* TestClock.setTime(119_999)
    expect(yield* one.sum("acme", 60_000)).toBe(2.25)
  })

describe("counts of two processes add up", () => {
  it.effect("as those of one in memory do", () => {
    const counts = Quota.memory()
    return obeysLaws([counts, counts])
  })
  it.scoped("in a file", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "counts.db")
      yield* obeysLaws(yield* two(Layer.provide(SqlCounts.layer, FileStore.layerClient({ path }))))
    })
  )
  it.scoped("in Postgres", () =>
    Effect.flatMap(two(SqlCounts.layer), obeysLaws).pipe(
      Effect.provide(Layer.provide(Postgres.client, Layer.fresh(Postgres.layer)))
    )
  )
  it.scoped("in records", () =>
    Effect.gen(function* () {
      const records = RecordStore.memory()
      // The layer has them beside what its type says.
      const layer = RecordStore.layer(records) as unknown as Layer.Layer<Quota.CurrentCounts>
      yield* obeysLaws(yield* two(layer))
    })
  )
})
