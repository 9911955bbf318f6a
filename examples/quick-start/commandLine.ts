/** What the command line asks for. */
import { parseArgs } from "node:util"
import { Effect, Schema } from "effect"

export type Command =
  | { readonly _tag: "Help" }
  | { readonly _tag: "Show" }
  | { readonly _tag: "Live"; readonly question: string }

export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { problem: Schema.String }) {
  override get message(): string {
    return `${this.problem}\n\n${usage}`
  }
}

export const usage = `Usage: npx -y pnpm@12.21.0 start [--live [question]] [--help]

Without options: runs the tool calls in examples/quick-start/bodies and shows what comes of each.

  --live   lets a model of OpenAI answer the question with the shop's tools. Needs OPENAI_API_KEY;
           OPENAI_MODEL and OPENAI_BASE_URL are used where they are set.
  --help   shows this text.`

const defaultQuestion =
  "Where is my tea kettle? And please refund 20 euros of my linen shirt: a button is missing. " +
  "Then show me a chart of what I paid for my orders."

export const parseCommand = (words: ReadonlyArray<string>): Effect.Effect<Command, UsageError> =>
  Effect.try({
    try: () =>
      parseArgs({
        args: [...words],
        options: { help: { type: "boolean", short: "h" }, live: { type: "boolean" } },
        allowPositionals: true
      }),
    catch: (error) => new UsageError({ problem: error instanceof Error ? error.message : String(error) })
  }).pipe(
    Effect.flatMap(({ positionals, values }): Effect.Effect<Command, UsageError> => {
      if (values.help === true) return Effect.succeed({ _tag: "Help" })
      if (values.live === true) {
        return Effect.succeed({ _tag: "Live", question: positionals.join(" ") || defaultQuestion })
      }
      return positionals.length === 0
        ? Effect.succeed({ _tag: "Show" })
        : Effect.fail(new UsageError({ problem: `Unexpected: ${positionals.join(" ")}` }))
    })
  )
