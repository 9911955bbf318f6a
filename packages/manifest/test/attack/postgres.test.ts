/** Statements of a manifest that try to write under a read-only entry, on a real Postgres. */
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Context, Effect, Layer, Redacted } from "effect"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { run } from "../sql/run.js"

const client = Layer.unwrapEffect(
  Effect.map(Postgres.Postgres, ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections: 2 }))
).pipe(
  Layer.tap((context) => Context.get(context, SqlClient).unsafe("CREATE TABLE victims (name text)")),
  Layer.tap((context) => Context.get(context, SqlClient).unsafe("INSERT INTO victims VALUES ('Ada')")),
  Layer.orDie,
  Layer.provideMerge(Postgres.layer)
)

const tail = "; COMMIT; DELETE FROM victims; --'"
const statements: ReadonlyArray<string> = [
  "SELECT 1; COMMIT; DELETE FROM victims",
  `SELECT $€$ ' $€$${tail}`,
  `SELECT $😀$ ' $😀$${tail}`,
  `SELECT $\uFEFF$ ' $\uFEFF$${tail}`,
  `SELECT '' 😀e'\\'${tail}`,
  `SELECT text \uFEFFe'\\'${tail}`,
  `SELECT U&'\\' ${tail}`,
  `SELECT e'\\''${tail}`,
  "COMMIT",
  "EXPLAIN ANALYZE DELETE FROM victims",
  "WITH gone AS (DELETE FROM victims RETURNING *) SELECT * FROM gone",
  "SELECT * INTO copies FROM victims",
  "SELECT query_to_xml('DELETE FROM victims', true, true, '')"
]

it.layer(client)("Postgres", (it) => {
  for (const text of statements) {
    it.effect(`keeps its rows for ${JSON.stringify(text)}, though nobody has looked at it`, () =>
      Effect.gen(function* () {
        const executor = yield* SqlExecutor.make({ timeout: 5_000 })
        // Some are cut at their first semicolon, and read; the others are refused.
        yield* Effect.exit(run(executor)(text))
        expect(yield* run(executor)("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 1 }] })
      })
    )
  }
})
