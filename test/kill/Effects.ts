/** What the tools did, in the table of a database that is none of Wield's: a doubled effect shows as two rows. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlOperation from "@wield/agent/SqlOperation"
import { Context, Effect, Layer } from "effect"

/** One effect. */
export interface Row {
  readonly tool: string
  readonly item: string
}

export class Effects extends Context.Tag("test/kill/Effects")<
  Effects,
  {
    /** Happens as often as it is called. */
    readonly add: (tool: string, item: string) => Effect.Effect<void>
    /** Happens once for a key. */
    readonly addOnce: (tool: string, item: string, key: string) => Effect.Effect<void>
    readonly all: Effect.Effect<ReadonlyArray<Row>>
  }
>() {
  static readonly layer = (path: string) =>
    Layer.effect(
      Effects,
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const write = <A>(statement: Effect.Effect<A, SqlError>) => Effect.orDie(SqlOperation.attempt(statement))
        yield* write(sql`CREATE TABLE IF NOT EXISTS effects (tool TEXT NOT NULL, item TEXT NOT NULL, key TEXT UNIQUE)`)
        return {
          add: (tool, item) => write(sql`INSERT INTO effects ${sql.insert({ tool, item })}`),
          addOnce: (tool, item, key) =>
            write(sql`INSERT INTO effects ${sql.insert({ tool, item, key })} ON CONFLICT (key) DO NOTHING`),
          all: Effect.orDie(sql<Row>`SELECT tool, item FROM effects ORDER BY item`)
        }
      })
    ).pipe(Layer.provide(FileStore.layerClient({ path, synchronous: "normal" })))
}
