/** The `wield` command, as a program of Effect: what `bin/wield.js` runs. */
import type * as CliApp from "@effect/cli/CliApp"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { check } from "./tool-file/check.js"
import { instructions } from "./tool-file/instructions.js"
import { version } from "./version.js"

const toolFile = Command.make("tool-file").pipe(
  Command.withDescription("Have a model write tool files"),
  Command.withSubcommands([instructions, check])
)

const command = Command.make("wield").pipe(
  Command.withDescription("Declare a tool once; any model, from any provider, can wield it."),
  Command.withSubcommands([toolFile])
)

const runCommand = Command.run(command, { name: "wield", version })

/**
 * Runs the command and gives its exit code: 0 where it has done what it was
 * asked to, 1 where it has not (a tool file was rejected, a file cannot be
 * read), 2 where it was asked in a way that it does not understand. What is
 * wrong stands on standard error, results on standard output.
 *
 * The arguments are those of the process, the two of Node included.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { NodeContext } from "@effect/platform-node"
 * import { Cli } from "@wield/cli"
 * import { Effect } from "effect"
 *
 * const program = Cli.run(["node", "wield", "tool-file", "instructions", "--kind", "bash", "Prints the date"])
 * Effect.runPromise(program.pipe(Effect.provide(NodeContext.layer))).then((code) => assert.strictEqual(code, 0))
 * ```
 *
 * @category running
 */
export const run = (argv: ReadonlyArray<string>): Effect.Effect<number, never, CliApp.CliApp.Environment> =>
  runCommand(argv).pipe(
    Effect.as(0),
    Effect.catchAll((error) => {
      // A ValidationError has been told, with the help it belongs to.
      if (error._tag !== "RejectedToolFile" && error._tag !== "Refused") return Effect.succeed(2)
      return Effect.as(Console.error(error.message), 1)
    })
  )
