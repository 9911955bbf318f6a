/** `wield tool-file instructions` and `wield tool-file check`, as @effect/cli has them. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { run } from "../commands/handler.js"

const kinds = ["function-file", "python", "bash", "typescript", "javascript"] as const

const kind = Options.choice("kind", kinds).pipe(
  Options.withAlias("k"),
  Options.withDescription("The kind of file: a Python file of functions, or a script in one of the languages")
)

const name = Options.text("name").pipe(
  Options.withAlias("n"),
  Options.withDescription("The file's name without its extension. By default the model chooses it"),
  Options.optional
)

const folder = Options.directory("folder", { exists: "yes" }).pipe(
  Options.withAlias("f"),
  Options.withDescription("The folder of the file. The names of its tools are taken"),
  Options.optional
)

const taken = Options.text("taken").pipe(
  Options.withAlias("t"),
  Options.withDescription("A name that another tool has already"),
  Options.repeated
)

const answer = Args.text({ name: "answer" }).pipe(
  Args.withDescription(
    "The file with the model's answer, or the tool file itself. By default, and for `-`, standard input"
  ),
  Args.optional
)

const isSaved = Options.boolean("save").pipe(
  Options.withDescription("Save the accepted file in the folder. A file of that name stays as it is")
)

const wish = Args.text({ name: "wish" }).pipe(
  Args.withDescription("What the tool should do, in your words. `-` reads them from standard input")
)

const handlers = () => import("./commands.js")

const check = Command.make(
  "check",
  { kind, name, folder, taken, isSaved, answer },
  run(() => handlers().then((module) => module.check))
).pipe(Command.withDescription("Check a model's answer: accept it, or print what is wrong, to hand back to the model"))

const instructions = Command.make(
  "instructions",
  { kind, name, folder, taken, wish },
  run(() => handlers().then((module) => module.instructions))
).pipe(Command.withDescription("Print instructions for a model that writes a tool file"))

export const toolFileCommands = [instructions, check] as const

export const toolFile = Command.make("tool-file").pipe(
  Command.withDescription("Have a model write tool files"),
  Command.withSubcommands(toolFileCommands)
)
