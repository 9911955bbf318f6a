/**
 * The quick start: a small shop whose tools are called in the formats of four
 * APIs. `--live` lets a real model call them.
 */
import process from "node:process"
import { Console, Effect } from "effect"
import { parseCommand, usage } from "./commandLine.js"
import { converse } from "./live/conversation.js"
import { show } from "./show.js"

const program = Effect.gen(function* () {
  const command = yield* parseCommand(process.argv.slice(2))
  switch (command._tag) {
    case "Help":
      return yield* Console.log(usage)
    case "Show":
      return yield* show
    case "Live":
      return yield* converse(command.question)
  }
})

// A command that cannot be understood ends with 2, as POSIX has it; one that could not be done with 1.
const exitCode = program.pipe(
  Effect.as(0),
  Effect.catchTag("UsageError", (error) => Effect.as(Console.error(error.message), 2)),
  Effect.catchAll((error) => Effect.as(Console.error(error.message), 1))
)

process.exitCode = await Effect.runPromise(exitCode)
