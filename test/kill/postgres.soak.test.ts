import { expect, layer } from "@effect/vitest"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Effect, Layer } from "effect"
import * as Postgres from "../postgres/Postgres.js"
import { killed } from "./lanes.js"

layer(Postgres.layer, { excludeTestServices: true })("Conversations in Postgres", (it) => {
  it.scoped("lose and repeat nothing when their process is killed, nor when they pause", () =>
    Effect.gen(function* () {
      const server = yield* Postgres.Postgres
      const client = Layer.provide(Postgres.client, Layer.succeed(Postgres.Postgres, server))
      const { moments, uncertain, violations } = yield* killed(
        [
          { seed: "one", kills: 8, approval: "inline" },
          { seed: "two", kills: 8, approval: "pause" }
        ],
        () => ({
          config: { _tag: "Postgres", url: server.url },
          layer: Layer.provide(Layer.merge(SqlConversationStore.layer, SqlJournal.layer), client)
        })
      )
      expect(violations).toEqual([])
      expect(moments).toHaveLength(16)
      expect(uncertain).not.toEqual([])
    })
  )
})
