import { LibsqlClient } from "@effect/sql-libsql"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { entryOf, folder, hostile, run } from "./run.js"

const clients = [
  ["FileStore.layerClient", (path: string) => Layer.orDie(FileStore.layerClient({ path }))],
  ["@effect/sql-libsql", (path: string) => LibsqlClient.layer({ url: `file:${path}`, intMode: "bigint" })]
] as const

for (const [name, layer] of clients) {
  const withClient = <A, E>(use: Effect.Effect<A, E, SqlClient>) =>
    Effect.flatMap(folder, (path) => Effect.provide(use, layer(join(path, "a.db"))))
  const query = (...parts: Parameters<ReturnType<typeof run>>) =>
    Effect.flatMap(SqlExecutor.make(), (executor) => run(executor)(...parts))
  const prepared = Effect.flatMap(SqlClient, (sql) =>
    Effect.zipRight(
      sql`CREATE TABLE victims (name TEXT, length INT)`,
      sql`INSERT INTO victims VALUES ('Ada', 3), ('Grace', 5)`
    )
  )

  it.scoped(`rows come over ${name}, whatever their columns are called`, () =>
    withClient(
      Effect.gen(function* () {
        yield* prepared
        expect(
          yield* query("SELECT *, 1.5 AS f, x'00ff10' AS b, NULL AS n FROM victims ORDER BY name LIMIT :n;", { n: 1 })
        ).toEqual({
          rows: [{ name: "Ada", length: 3, f: 1.5, b: "AP8Q", n: null }]
        })
        expect(yield* query("SELECT :t AS t, typeof(:i) AS i", { t: true, i: 5 })).toEqual({
          rows: [{ t: 1, i: "integer" }]
        })
        expect(yield* query("SELECT name FROM victims WHERE name IN (:l)", { l: [] })).toEqual({ rows: [] })
        const limits = { timeout: undefined, maxRows: 1, maxBytes: undefined }
        expect(yield* query("SELECT name FROM victims ORDER BY name DESC", {}, { limits })).toMatchObject({
          rows: [{ name: "Grace" }],
          truncated: { limit: "maxRows" }
        })
      })
    )
  )

  it.scoped(`no text changes a statement over ${name}`, () =>
    withClient(
      Effect.gen(function* () {
        yield* prepared
        for (const value of hostile) {
          expect(yield* query("SELECT :a AS a", { a: value })).toEqual({ rows: [{ a: value }] })
          expect(yield* query("SELECT name FROM victims WHERE name = :a", { a: value })).toEqual({ rows: [] })
        }
        expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
      })
    )
  )

  it.scoped(`an entry that writes tells how many rows it changed over ${name}, and one that does not is refused`, () =>
    withClient(
      Effect.gen(function* () {
        yield* prepared
        expect(yield* query("UPDATE victims SET name = :a", { a: "x" }, { isWriting: true })).toEqual({
          rowsAffected: 2
        })
        expect(yield* query("INSERT INTO victims VALUES ('y', 1) RETURNING name", {}, { isWriting: true })).toEqual({
          rowsAffected: 1,
          rows: [{ name: "y" }]
        })
        const executor = yield* SqlExecutor.make()
        expect(executor.check(entryOf("DELETE FROM victims")).map(({ rule }) => rule)).toEqual(["writes-read-only"])
        const error = yield* Effect.flip(query("SELECT name FROM absent"))
        expect(error).toMatchObject({ reason: "refused", detail: expect.stringContaining("no such table: absent") })
      })
    )
  )
}
