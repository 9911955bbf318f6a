import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Hidden, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { expectOutcome } from "./tools/outcomes.js"

const Report = Tool.make("report", {
  parameters: { tenant: Schema.String, user: Schema.String, text: Schema.String },
  success: Schema.Unknown
}).pipe(Hidden.fields("tenant"), Hidden.fields("user"))
const Reports = Toolkit.make(Report)

it.scoped("fields that are hidden one after the other are all hidden", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.fromLayer(Reports, Reports.toLayer({ report: Effect.succeed }))
    const run = (yield* ToolRunner.make(toolset)).forRun({ context: { tenant: "acme", user: "ada" } })
    const [definition] = yield* run.definitions
    expect(Object.keys(definition?.inputSchema.properties ?? {})).toEqual(["text"])
    const outcome = yield* run.run(ToolCall.make("c", "report", { text: "x", tenant: "other", user: "eve" }))
    expect(expectOutcome(outcome, "Success").encoded).toEqual({ text: "x", tenant: "acme", user: "ada" })
  })
)
