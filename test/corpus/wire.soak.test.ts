import { expect, it } from "@effect/vitest"
import { freshFolder, hasCorpus } from "./folder.js"
import * as wire from "./wire.js"

it.skipIf(!hasCorpus(wire.part, freshFolder))(
  "reads every newer response, stream, request and error (skipped where there are no newer recordings)",
  () => {
    const report = wire.run(freshFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)
