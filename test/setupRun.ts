/** A folder that all tests of a run share, for what is made once: gone after the run. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    readonly runFolder: string
  }
}

export default ({ provide }: TestProject): (() => void) => {
  const folder = mkdtempSync(join(tmpdir(), "wield-tests-"))
  // Some tests start their programs as another user.
  chmodSync(folder, 0o755)
  provide("runFolder", folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
