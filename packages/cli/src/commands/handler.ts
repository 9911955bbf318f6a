/** A command's handler for @effect/cli, which knows no exit codes. */
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { codes, type ExitCode } from "../ExitCode.js"
import { Results } from "../output/Shell.js"
import type { Command } from "./common.js"

/** A command has ended with this exit code, and has said why. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: ExitCode }> {}

/** The module is loaded when the command runs. */
export const run =
  <Given>(load: () => Promise<(given: Given) => Command>) =>
  (given: Given) =>
    Effect.flatMap(Effect.promise(load), (handle) => handle(given)).pipe(
      Effect.flatMap((code) => (code === codes.done ? Effect.void : new Ended({ code }))),
      (command) => Effect.flatMap(Results, (results) => (results === undefined ? command : toError(command, results)))
    )

/** What tools print, and what they are made of, is no result. */
const toError = <A, E, R>(command: Effect.Effect<A, E, R>, console: Console.Console): Effect.Effect<A, E, R> => {
  const { error } = console
  const methods = { log: error, info: error, debug: error, dir: error, dirxml: error, table: error }
  return Console.withConsole(command, { ...console, ...methods })
}
