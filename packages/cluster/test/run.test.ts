import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { DeferredCall } from "@wield/agent"
import { AgentEntity, Cluster } from "@wield/cluster"
import { Effect, Layer, Redacted, Stream } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { Effects, makeAgent } from "./shop.js"

const Support = AgentEntity.make("support")

layer(Postgres.layer, { excludeTestServices: true })("A conversation of a cluster", (it) => {
  it.scoped("runs a prompt, pauses, and goes on with an answer", () =>
    Effect.gen(function* () {
      const { url } = yield* Postgres.Postgres
      const happened: Array<string> = []
      const effects = Layer.succeed(Effects, {
        happen: (tool, item) => Effect.sync(() => void happened.push(`${tool} ${item}`))
      })
      const services = Cluster.layerPostgres({ address: "127.0.0.1:34599" }).pipe(
        Layer.provideMerge(PgClient.layer({ url: Redacted.make(url) }))
      )
      const program = Effect.gen(function* () {
        const support = yield* Support.client
        const prompt = "Do order 1: pay, look / refund"
        const run = yield* support.prompt("order 1", { prompt, promptId: "p1" })
        const events = yield* Stream.runCollect(run.events)
        const paused = yield* run.result
        if (paused._tag !== "Paused") return expect.unreachable()
        expect([...events].filter(({ _tag }) => _tag === "TurnFinished")).toHaveLength(2)
        const answered = yield* support.answer("order 1", paused.requests.map(DeferredCall.approve))
        expect(yield* answered.result).toMatchObject({ _tag: "Finished", output: `Done: ${prompt}` })
        expect(happened.toSorted()).toEqual(["look order 1/1/2", "pay order 1/1/1", "refund order 1/2/1"])
      })
      yield* program.pipe(
        Effect.provide(Support.toLayer(makeAgent()).pipe(Layer.provide(effects), Layer.provideMerge(services)))
      )
    })
  )
})
