/**
 * A tool that takes and gives anything, for tests in which only what its
 * handler does matters.
 */
import { Tool, Toolkit } from "@effect/ai"
import { ToolCall, Toolset } from "@wield/core"
import { type Effect, Schema } from "effect"

export const Job = Tool.make("job", {
  parameters: { value: Schema.optional(Schema.Unknown) },
  success: Schema.Unknown,
  failure: Schema.Unknown,
  failureMode: "return"
})

export interface JobParameters {
  readonly value?: unknown
}

export type JobHandler = (parameters: JobParameters) => Effect.Effect<unknown, unknown>

/** The same tool, stated to be idempotent. */
export const IdempotentJob = Job.annotate(Tool.Idempotent, true)

/** The same tool, stated to change nothing. */
export const ReadOnlyJob = Job.annotate(Tool.Readonly, true)

/** A toolset of one job, which does what the handler does. */
export const jobs = (handler: JobHandler, tool: typeof Job = Job) => {
  const toolkit = Toolkit.make(tool)
  return Toolset.fromLayer(toolkit, toolkit.toLayer({ job: handler }))
}

/** A call of the job. */
export const jobCall = (id: string, value?: unknown): ToolCall.ToolCall =>
  ToolCall.make(id, "job", value === undefined ? {} : { value })
