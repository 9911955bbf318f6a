/** `wield tool-file instructions`: what a model is told. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import { ToolFileTemplate } from "@wield/scripts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namesIn } from "./names.js"
import { folder, kind, name, taken } from "./options.js"
import { Refused } from "./Refused.js"
import { readInput } from "./readInput.js"

const wish = Args.text({ name: "wish" }).pipe(
  Args.withDescription("What the tool shall do, in your words; `-` reads them from standard input")
)

export const instructions = Command.make("instructions", { kind, name, folder, taken, wish }, (given) =>
  Effect.gen(function* () {
    const wished = given.wish === "-" ? yield* readInput : given.wish
    if (wished.trim() === "") {
      return yield* new Refused({ message: "The wish is empty; say what the tool shall do" })
    }
    const inFolder = Option.isSome(given.folder) ? yield* namesIn(given.folder.value, given.kind) : []
    const text = ToolFileTemplate.instructions({
      kind: given.kind,
      wish: wished,
      taken: [...given.taken, ...inFolder],
      name: Option.getOrUndefined(given.name)
    })
    yield* Console.log(text.trimEnd())
  })
).pipe(Command.withDescription("Print the instructions with which a model writes a tool file"))
