import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, layer } from "@effect/vitest"
import { Assistant, Memories, Owner } from "@wield/assistant"
import { Effect, Layer, Redacted } from "effect"
import * as Postgres from "../../../../test/postgres/Postgres.js"

/** A client of a role that may read and write, and make nothing. */
const asWriter = Layer.unwrapEffect(
  Effect.map(Postgres.Postgres, ({ url }) =>
    PgClient.layer({ url: Redacted.make(url.replace("postgres:password@", "writer:secret@")) })
  )
)

const allow = Effect.flatMap(SqlClient, (sql) =>
  Effect.all([
    sql`CREATE ROLE writer LOGIN PASSWORD 'secret'`,
    sql`ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO writer`
  ])
)

const user = Owner.UserId.make("ada")

const remember = Effect.gen(function* () {
  const memories = yield* Memories.Memories
  yield* memories.create(user, { name: "Tea", text: "Green" })
  yield* Assistant.forget(user)
  return yield* memories.recent(user, 10)
})

describe("a role that can make no tables", () => {
  layer(Postgres.layer)((it) => {
    it.effect("is told what is missing, and works once another role has made it", () =>
      Effect.gen(function* () {
        yield* Effect.provide(allow, Postgres.client)
        const working = Effect.provide(remember, Assistant.layer().pipe(Layer.provideMerge(asWriter)))

        const failure = yield* Effect.flip(working)
        expect(failure.message).toMatch(/failed to make its tables: .*permission denied/)

        yield* Effect.provide(Assistant.migrate, Postgres.client)
        expect(yield* working).toEqual([])
      })
    )
  })
})
