import { expect, it } from "@effect/vitest"
import * as bfcl from "./bfcl.js"
import { corpusFolder, hasCorpus } from "./folder.js"

it.skipIf(!hasCorpus(bfcl.part))(
  "carries the calls of a function calling leaderboard through every format (skipped where it is absent)",
  async () => {
    const report = await bfcl.run(corpusFolder, { every: 3 })
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)
