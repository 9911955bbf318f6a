/** A command's handler for @effect/cli, which knows no exit codes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { codes, type ExitCode } from "../ExitCode.js"
import type { Command } from "./common.js"

/** A command has ended with this exit code, and has said why. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: ExitCode }> {}

/** The module is loaded when the command runs. */
export const run =
  <Given>(load: () => Promise<(given: Given) => Command>) =>
  (given: Given) =>
    Effect.flatMap(Effect.promise(load), (handle) => handle(given)).pipe(
      Effect.flatMap((code) => (code === codes.done ? Effect.void : new Ended({ code })))
    )
