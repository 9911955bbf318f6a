/** What all tests of a run share, made once and gone after the run. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { close, listen, startPostgres } from "./postgres/server.js"

declare module "vitest" {
  interface ProvidedContext {
    /** A folder for what is made once. */
    readonly runFolder: string
    /** Answers each request with the URL of a new database in Postgres, which it starts when it is first asked. */
    readonly databases: string
  }
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
