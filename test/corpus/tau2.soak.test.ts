import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { wires } from "./bfcl/responses.js"
import { corpusFolder, hasCorpus } from "./folder.js"
import * as tau2 from "./tau2.js"
import { desk } from "./tau2/desk.js"
import { runTask } from "./tau2/runTask.js"

it.skipIf(!hasCorpus(tau2.part))(
  "runs the expected calls of tau2-bench from every format (skipped where it is absent)",
  async () => {
    const report = await tau2.run(corpusFolder)
    expect(report.failures).toEqual([])
    expect(report.passed).toBeGreaterThan(0)
  }
)

const tools = ["freeze_card", "get_card"].map((name) => ({
  name,
  description: "",
  parameters: { type: "object", properties: { card: { type: "string" } }, required: ["card"] },
  decorators: [name === "get_card" ? "is_tool(ToolType.READ)" : "is_tool(ToolType.WRITE)"]
}))

it.effect.each(wires)("$format.name: each call of a task ends as its arguments say", (wire) =>
  Effect.gen(function* () {
    const { endings, problems } = yield* runTask(
      yield* desk(tools),
      [
        { name: "get_card", arguments: { card: "1" }, requestor: "assistant" },
        { name: "freeze_card", arguments: { card: 1 }, requestor: "assistant" },
        { name: "freeze_card", arguments: { card: "2" }, requestor: "user" }
      ],
      wire
    )
    expect(problems).toEqual([])
    expect(endings).toMatchObject([
      { ended: "Success", encoded: { name: "get_card", arguments: { card: "1" } } },
      { ended: "InvalidArguments", issues: [{ path: ["card"] }] },
      { ended: "Success", encoded: { name: "freeze_card", arguments: { card: "2" } } }
    ])
  })
)

it.effect("a task that calls a tool that is not there has a problem", () =>
  Effect.gen(function* () {
    const [wire] = wires
    if (wire === undefined) return expect.unreachable()
    const { endings } = yield* runTask(
      yield* desk(tools),
      [{ name: "melt_card", arguments: {}, requestor: "user" }],
      wire
    )
    expect(endings).toMatchObject([{ ended: "UnknownTool" }])
  })
)
