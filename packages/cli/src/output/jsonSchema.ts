/** The JSON Schema of what `wield … --json` prints. Apart from the reports, since no command but `run` needs an agent. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import type { Json } from "@wield/core"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import * as Reports from "./reports.js"

/** A line of `wield run --json` and `wield runs retry --json`: an event of the run. The last one is Done. */
const RunEvent = Reports.report("run", { event: AgentEvent.Json })

const all = [
  Reports.List,
  Reports.Search,
  Reports.Inspect,
  Reports.Call,
  Reports.Trust,
  Reports.Diff,
  Reports.Replay,
  Reports.Lint,
  Reports.Doctor,
  Reports.Import,
  Reports.New,
  Reports.Runs,
  Reports.Run,
  Reports.Forgotten,
  Reports.Approvals,
  Reports.Answer,
  RunEvent,
  Reports.Failed
] as const

/** The JSON Schema that the package publishes. */
export const jsonSchema = (): Json.JsonSchema => {
  const made = { ...JSONSchema.make(Schema.Union(...all), { target: "jsonSchema2020-12" }), title }
  // Effect names `unknown` and the like by an `$id`, which may stand in a schema once only.
  return JSON.parse(
    JSON.stringify(made, (key, value: unknown) =>
      key === "$id" && typeof value === "string" && value.startsWith("/schemas/") ? undefined : value
    )
  )
}

const title = "What `wield … --json` prints, version 1"
