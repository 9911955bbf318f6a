import { expect, it } from "@effect/vitest"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as schema from "./schema.js"

it.skipIf(!hasCorpus(schema.part))(
  "imports the schemas of the JSON-Schema-Test-Suite without losing meaning (skipped where it is absent)",
  async () => {
    const report = await schema.run(corpusFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)
