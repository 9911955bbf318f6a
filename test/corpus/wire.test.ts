import { expect, it } from "@effect/vitest"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as wire from "./wire.js"

it.skipIf(!hasCorpus(wire.part))(
  "reads every recorded response, stream, request and error (skipped where there are no recordings)",
  () => {
    const report = wire.run(corpusFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)
