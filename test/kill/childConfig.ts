/** What a child process is told, as JSON, and the places at which it can be killed. */
import type { DeferredCall } from "@wield/agent"
import * as Schema from "effect/Schema"

/** Where a process stands still until it is killed. */
export const points = [
  "begin: before the journal",
  "begin: after the journal",
  "handler: before the effect",
  "handler: after the effect",
  "handler: after an effect that may not be repeated",
  "finish: before the journal",
  "finish: after the journal",
  "append: before the store",
  "append: after the store",
  "model: in the stream",
  "approval: before the answer"
] as const

export type Point = (typeof points)[number]

export const ChildConfig = Schema.Struct({
  store: Schema.Union(
    Schema.TaggedStruct("File", { path: Schema.String }),
    Schema.TaggedStruct("Postgres", { url: Schema.String })
  ),
  /** The file with the table of what the tools did. */
  effects: Schema.String,
  /** The file to which each call is added that the journal was asked for. */
  log: Schema.String,
  model: Schema.String,
  approval: Schema.Literal("inline", "pause"),
  conversations: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      /** Answers to a paused run, encoded; where there are none, the prompt is given. */
      answers: Schema.Array(Schema.Unknown)
    })
  ),
  stop: Schema.UndefinedOr(Schema.Struct({ point: Schema.Literal(...points), time: Schema.Number }))
})

export type ChildConfig = typeof ChildConfig.Type

/** The same as JSON text. */
export const ChildConfigText = Schema.parseJson(
  Schema.Struct({ ...ChildConfig.fields, stop: Schema.optional(ChildConfig.fields.stop) })
)

/** A line that a child writes. */
export type Told =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Reached" }
  | { readonly _tag: "Ended"; readonly results: ReadonlyArray<Result> }

/** How a run ended. */
export interface Result {
  readonly id: string
  readonly ending: string
  readonly text: string
  readonly requests: ReadonlyArray<DeferredCall.Encoded>
}
