/** The databases that everything is tested over, each with a client of its own. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as FileStore from "@wield/agent/FileStore"
import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { sized } from "../../../../test/sizes.js"

const file: Layer.Layer<SqlClient> = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-assistant-"))),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
    ),
    (folder) => FileStore.layerClient({ path: join(folder, "assistant.db"), synchronous: "normal" })
  )
).pipe(Layer.orDie)

export interface Database {
  readonly name: string
  readonly client: Layer.Layer<SqlClient>
}

const libsql: Database = { name: "a libsql file", client: file }
export const postgres: Database = {
  name: "Postgres",
  client: Layer.orDie(Postgres.client).pipe(Layer.provide(Postgres.layer))
}

export const databases: ReadonlyArray<Database> = [libsql, postgres]

/** Of tests that take long, and whose statements other tests send to both: Postgres before a release only. */
export const slowDatabases: ReadonlyArray<Database> = sized([libsql], databases)
