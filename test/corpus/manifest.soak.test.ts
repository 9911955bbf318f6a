import { expect, it } from "@effect/vitest"
import { ToolDefinition } from "@wield/core"
import { wires } from "./bfcl/responses.js"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as manifest from "./manifest.js"
import { survival } from "./manifest/survival.js"

it.skipIf(!hasCorpus(manifest.part))(
  "loads Acorn's files and imports real OpenAPI specifications (skipped where the corpus is absent)",
  async () => {
    const report = await manifest.run(corpusFolder, { every: 4 })
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)

it.each(wires)("tells that $format.name changed a definition without saying so", (wire) => {
  const definition = ToolDefinition.make({
    name: "find-orders",
    description: "Finds orders",
    inputSchema: { type: "object", properties: { id: { enum: ["a"] }, count: { type: "integer" } } }
  })
  expect(survival(wire, definition)).toMatchObject({ failure: undefined, losses: 0, isChanged: false })
  const silent = {
    ...wire,
    format: {
      ...wire.format,
      encodeTools: (all: ReadonlyArray<ToolDefinition.ToolDefinition>) =>
        wire.format.encodeTools(all.map((each) => ({ ...each, inputSchema: { type: "object" } })))
    }
  }
  expect(survival(silent, definition).failure).toContain("no loss says so")
})
