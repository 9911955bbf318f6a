/** The `wield` command as an Effect. `bin/wield.js` runs it. */
import type * as CliApp from "@effect/cli/CliApp"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { codes, type ExitCode } from "./ExitCode.js"
import { Refused } from "./output/Refused.js"
import { type Settings, Shell, showsColours } from "./output/Shell.js"

/**
 * What surrounds the command: its folder, environment, terminal and standard
 * input. The process's own unless given.
 *
 * @category models
 */
export type Surroundings = Settings

/**
 * Runs the command and returns its exit code; `ExitCode.codes` has the meanings.
 * Results go to standard output, everything else to standard error.
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
export const run = (
  argv: ReadonlyArray<string>,
  surroundings: Partial<Surroundings> = {}
): Effect.Effect<ExitCode, never, CliApp.CliApp.Environment> =>
  Effect.gen(function* () {
    const { output } = surroundings
    const colours = output === undefined ? {} : { isColored: showsColours(output) }
    const shell = { ...(yield* Shell), ...colours, ...surroundings }
    const { runTree } = yield* Effect.promise(() => import("./commands/runTree.js"))
    return yield* runTree(argv).pipe(
      Effect.catchAll((error) => end(error, argv)),
      Effect.catchAllCause((cause) =>
        Cause.isInterruptedOnly(cause)
          ? Effect.succeed(codes.interrupted)
          : Effect.as(Console.error(`The command has failed: ${Cause.pretty(cause)}`), codes.defect)
      ),
      Effect.provideService(Shell, shell)
    )
  }).pipe(Effect.provide(logToError))

const end = (error: Refused | ExitCode, argv: ReadonlyArray<string>): Effect.Effect<ExitCode> => {
  if (!(error instanceof Refused)) return Effect.succeed(error)
  const { code, message } = error
  const isJson = argv.includes("--json")
  return Effect.as(Console.error(isJson ? JSON.stringify({ wield: 1, error: message, exitCode: code }) : message), code)
}

/** Standard output has results only. */
const logToError = Logger.replace(Logger.defaultLogger, Logger.withConsoleError(Logger.logfmtLogger))
