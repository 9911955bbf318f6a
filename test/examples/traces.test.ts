import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spanBreaches } from "../conventions/breaches.js"
import { startCollector } from "../conventions/collector.js"
import { talk } from "./processes.js"

const collector = Effect.acquireRelease(Effect.promise(startCollector), ({ close }) => Effect.promise(close))

describe("the traces", () => {
  it.scopedLive("of the example reach a viewer as one tree, by the conventions", () =>
    Effect.gen(function* () {
      const { spans, text, url } = yield* collector
      const { code, output } = yield* talk("examples/traces/main.ts", url, [], [])
      expect([code, output]).toEqual([0, expect.stringContaining("      invoke_agent courier")])
      const ours = spans.filter(({ attributes }) => "gen_ai.operation.name" in attributes)
      expect(ours).toHaveLength(11)
      expect(ours.flatMap(spanBreaches)).toEqual([])
      expect(spans.filter(({ parent }) => parent === undefined).map(({ name }) => name)).toEqual(["POST /chat"])
      expect(text()).not.toContain("customer-4711")
    })
  )
})
