/** What keeps a command from doing what it was asked to; its message is for whoever gave the command. */
import * as Data from "effect/Data"

export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
