/** What the commands about tool files are told. */
import * as Options from "@effect/cli/Options"
import type { ToolFileTemplate } from "@wield/scripts"

const kinds = [
  "function-file",
  "python",
  "bash",
  "typescript",
  "javascript"
] as const satisfies ReadonlyArray<ToolFileTemplate.Kind>

export const kind = Options.choice("kind", kinds).pipe(
  Options.withAlias("k"),
  Options.withDescription("What the file is: a Python file of functions, or a script in one of the languages")
)

export const name = Options.text("name").pipe(
  Options.withAlias("n"),
  Options.withDescription("The file's name without its extension; unless given, the model's choice"),
  Options.optional
)

export const folder = Options.directory("folder", { exists: "yes" }).pipe(
  Options.withAlias("f"),
  Options.withDescription("The folder that the file is for: the names of the tools in it are taken"),
  Options.optional
)

export const taken = Options.text("taken").pipe(
  Options.withAlias("t"),
  Options.withDescription("A name that another tool has already; may be given more than once"),
  Options.repeated
)
