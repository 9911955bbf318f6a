/** A command's handler for @effect/cli, which knows no exit codes. */
import type * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { codes, type ExitCode } from "../ExitCode.js"
import type { Command } from "./common.js"

/** A command has ended with this exit code, and has said why. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: ExitCode }> {}

/** Where a command prints. @effect/cli may have another console, so that what it says can be said as JSON. */
export class CommandConsole extends Context.Reference<CommandConsole>()("@wield/cli/CommandConsole", {
  defaultValue: (): Console.Console | undefined => undefined
}) {}

/** The module is loaded when the command runs. */
export const run =
  <Given>(load: () => Promise<(given: Given) => Command>) =>
  (given: Given) =>
    Effect.flatMap(Effect.promise(load), (handle) => handle(given)).pipe(
      Effect.flatMap((code) => (code === codes.done ? Effect.void : new Ended({ code }))),
      (command) =>
        Effect.flatMap(CommandConsole, (console) =>
          console === undefined ? command : Effect.withConsole(command, console)
        )
    )
