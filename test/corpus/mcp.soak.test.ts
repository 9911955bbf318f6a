import { expect, it } from "@effect/vitest"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as mcp from "./mcp.js"

it.skipIf(!hasCorpus(mcp.part))(
  "serves the recorded tools of MCP servers as they were recorded (skipped where they are absent)",
  async () => {
    const report = await mcp.run(corpusFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)
