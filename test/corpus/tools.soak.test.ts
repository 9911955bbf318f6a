import { expect, it } from "@effect/vitest"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as tools from "./tools.js"

it.skipIf(!hasCorpus(tools.part))(
  "finds the right tools for labelled requests, and more of them with example requests (skipped where they are absent)",
  () => {
    const report = tools.run(corpusFolder, { only: "wield" })
    expect(report.failures).toEqual([])
    const [head = [], ...rows] = report.table
    const of = (ranking: string, column: string): number => {
      const row = rows.find(([name]) => String(name).startsWith(ranking))
      const shares = String(row?.[head.indexOf(column)]).split("/").map(Number)
      return shares[1] ?? Number.NaN
    }
    // Of what was recorded there are two halves, one of them held back: these hold for either.
    expect(of("Wield", "micro R@1/5/10")).toBeGreaterThanOrEqual(0.67)
    expect(of("Wield", "macro R@1/5/10")).toBeGreaterThanOrEqual(0.63)
    expect(of("Wield, 3 examples", "metatool")).toBeGreaterThanOrEqual(0.6)
    // What helps the tools that have examples costs the others little.
    for (const source of head.slice(4).map(String)) {
      expect(of("Wield, 3 examples", source)).toBeGreaterThanOrEqual(of("Wield", source) - 0.04)
    }
  }
)
