/** What a runner process of the kill tests is told, as JSON. */
import * as Schema from "effect/Schema"

/** Where a process stands still. */
export const points = [
  "begin: before the journal",
  "begin: after the journal",
  "handler: before the effect",
  "handler: after the effect",
  "finish: before the journal",
  "finish: after the journal",
  "append: before the store",
  "append: after the store",
  "model: in the stream",
  "run: after it has begun",
  "run: before its end is recorded",
  "run: after its end is recorded"
] as const

export type Point = (typeof points)[number]

export const Config = Schema.Struct({
  store: Schema.Union(
    Schema.TaggedStruct("File", { path: Schema.String }),
    Schema.TaggedStruct("Postgres", { url: Schema.String, address: Schema.String, takeover: Schema.Number })
  ),
  /** The file with the table of what the tools did. */
  effects: Schema.String,
  approval: Schema.Literal("inline", "pause"),
  /** How long the model and each tool take, in milliseconds. */
  pace: Schema.Number,
  /** What this process sends itself; it ends when all of it is over, unless it serves others, too. */
  prompts: Schema.Array(Schema.Struct({ conversation: Schema.String, id: Schema.String, prompt: Schema.String })),
  isServing: Schema.optional(Schema.Boolean),
  stop: Schema.optional(
    Schema.Struct({
      point: Schema.Literal(...points),
      time: Schema.Number,
      /**
       * Unless given, the whole process stands still. Otherwise one fiber does: it waits until it is interrupted, or its
       * clean-up then never ends.
       */
      fiber: Schema.optional(Schema.Literal("waits", "never ends"))
    })
  ),
  /** How many milliseconds the clock of the process is ahead. */
  later: Schema.optional(Schema.Number),
  /** The next version of the program: another text for the tools, and one tool less. */
  isNext: Schema.optional(Schema.Boolean)
})

export type Config = typeof Config.Type

export const ConfigText = Schema.parseJson(Config)

/** A line that a process writes. */
export type Line =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Reached" | "Interrupted" }
  | { readonly _tag: "Ended"; readonly results: ReadonlyArray<{ readonly id: string; readonly ending: string }> }
