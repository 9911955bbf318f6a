import { expect, it } from "@effect/vitest"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres } from "./server.js"

it("leaves the exit code of the process that started Postgres alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "wield-postgres-"))
  chmodSync(folder, 0o755)
  const listeners = () => ["beforeExit", "exit"].map((event) => process.rawListeners(event))
  const before = listeners()
  const { createDatabase, stop } = await startPostgres(folder)
  try {
    expect(await createDatabase()).toMatch(/^postgres:/)
    expect(listeners()).toEqual(before)
  } finally {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
