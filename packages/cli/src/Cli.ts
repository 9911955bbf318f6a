/** The `wield` command as an Effect. `bin/wield.js` runs it. */
import type * as CliApp from "@effect/cli/CliApp"
import * as Command from "@effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { check, instructions } from "./tool-file/commands.js"

const toolFile = Command.make("tool-file").pipe(
  Command.withDescription("Have a model write tool files"),
  Command.withSubcommands([instructions, check])
)

const command = Command.make("wield").pipe(
  Command.withDescription("Declare a tool once; any model, from any provider, can wield it."),
  Command.withSubcommands([toolFile])
)

/** The same version as in package.json. */
const version = "0.1.0"

const runCommand = Command.run(command, { name: "wield", version })

/**
 * Runs the command and returns its exit code: 0 for success, 1 for a failure
 * (a tool file was rejected, a file cannot be read), 2 for a command line that
 * it does not understand. Results go to standard output, errors to standard
 * error.
 *
 * `argv` is `process.argv`, with the two arguments of Node.
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
      // The library has printed a ValidationError, with its help.
      if (error._tag !== "RejectedToolFile" && error._tag !== "Refused") return Effect.succeed(2)
      return Effect.as(Console.error(error.message), 1)
    })
  )
