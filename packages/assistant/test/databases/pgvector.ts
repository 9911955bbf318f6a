/**
 * A Postgres with pgvector: PGlite, which is Postgres compiled to WebAssembly,
 * behind a socket that speaks its protocol.
 */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { PGLiteSocketServer } from "@electric-sql/pglite-socket"
import { PgClient } from "@effect/sql-pg"
import type { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted } from "effect"
import { createServer } from "node:net"

const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(typeof address === "object" && address !== null ? Effect.succeed(address.port) : Effect.die(address))
    )
  })
})

/** It does not have the extension yet: `CREATE EXTENSION vector` is for the test. */
export const pgvector: Layer.Layer<SqlClient> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const port = yield* freePort
    const database = yield* Effect.acquireRelease(
      Effect.promise(() => PGlite.create({ extensions: { vector } })),
      (database) => Effect.promise(() => database.close())
    )
    yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = new PGLiteSocketServer({ db: database, port, host: "127.0.0.1", maxConnections: 10 })
        await server.start()
        return server
      }),
      (server) => Effect.promise(() => server.stop())
    )
    // One backend serves all connections: transactions of two of them would be one.
    return PgClient.layer({
      url: Redacted.make(`postgres://postgres:postgres@127.0.0.1:${port}/postgres`),
      maxConnections: 3
    })
  })
).pipe(Layer.orDie)
