import { describe, expect, it } from "vitest"
import { aiSdk6, aiSdk7 } from "./scenarios/aiSdk.js"
import { langGraph } from "./scenarios/langchain.js"
import { cellOf, documentedCell, scenarios } from "./scenarios/table.js"

describe.each([aiSdk7, aiSdk6, langGraph])("$sdk", (driver) => {
  it.each(scenarios)("$title: as the guide says", async (scenario) => {
    expect(await cellOf(driver, scenario)).toBe(documentedCell(driver, scenario))
  })
})
