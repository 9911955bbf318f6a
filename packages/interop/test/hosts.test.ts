import { describe, expect, it } from "vitest"
import { aiSdk6, aiSdk7 } from "./scenarios/aiSdk.js"
import { cellOf, scenarios } from "./scenarios/table.js"

for (const driver of [aiSdk7, aiSdk6]) {
  describe(driver.sdk, () => {
    for (const scenario of scenarios) {
      it(scenario.title, async () => {
        console.log(driver.sdk, "|", scenario.title, "|", await cellOf(driver, scenario))
      })
    }
  })
}
