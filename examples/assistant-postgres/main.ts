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
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres } from "../../test/postgres/server.js"
import { demonstrate } from "../assistant/demonstration.js"

const url = process.env["DATABASE_URL"]

const own = Effect.acquireRelease(
  Effect.promise(async () => {
    const folder = mkdtempSync(join(tmpdir(), "wield-postgres-"))
    chmodSync(folder, 0o755) // Postgres runs as another user than root.
    return { folder, ...(await startPostgres(folder)) }
  }),
  ({ folder, stop }) => Effect.promise(() => stop().then(() => rmSync(folder, { recursive: true, force: true })))
)

const program =
  url === undefined
    ? Effect.flatMap(own, ({ createDatabase }) =>
        Effect.flatMap(Effect.promise(createDatabase), (url) =>
          demonstrate(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 }))
        )
      )
    : demonstrate(PgClient.layer({ url: Redacted.make(url) }))

await Effect.runPromise(Effect.scoped(program))
