import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

it.each(["server", "client"])("A %s passes the conformance suite", async (role) => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "scripts/conformance/main.ts", role],
    {
      cwd: root,
      maxBuffer: 10_000_000
    }
  )
  expect(stdout.trim().split("\n").at(-1)).toMatch(/^\d+ passed, 0 failed$/u)
})
