/** A real Postgres for tests. */
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"

/** Where the server is reached; each client that is made from it has connections of its own. */
export class Postgres extends Context.Tag("test/Postgres")<Postgres, { readonly url: string }>() {}

/** A database of its own, on the server that all tests of the run share. */
export const layer: Layer.Layer<Postgres> = Layer.effect(
  Postgres,
  Effect.promise(async () => {
    const answer = await fetch(new URL("/database", inject("shared")), { method: "POST" })
    if (!answer.ok) throw new Error(`Postgres made no database: ${await answer.text()}`)
    return { url: await answer.text() }
  })
)

/** A client with its own connections. */
export const client: Layer.Layer<SqlClient, SqlError, Postgres> = Layer.unwrapEffect(
  Effect.map(Postgres, ({ url }) => PgClient.layer({ url: Redacted.make(url) }))
).pipe(Layer.orDie)
