/**
 * The assistant of ../assistant/main.ts over Postgres: the same layers, with
 * another client below them. With `DATABASE_URL` it is that database; otherwise
 * one that is started for it and goes with it. To copy is what stands after the
 * colon, `PgClient.layer({ url })`: `test/postgres` is scaffolding of this
 * repository's tests, and no part of a package.
 *
 *     npx tsx examples/assistant-postgres/main.ts
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Postgres from "../../test/postgres/Postgres.js"
import { demonstrate } from "../assistant/demonstration.js"

const url = process.env["DATABASE_URL"]

const program =
  url === undefined
    ? Effect.flatMap(Postgres.Postgres, ({ url }) =>
        demonstrate(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
      ).pipe(Effect.provide(Postgres.layer))
    : demonstrate(PgClient.layer({ url: Redacted.make(url) }))

await Effect.runPromise(program)
