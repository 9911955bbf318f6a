/**
 * `wield tool-file instructions` prints how a model writes a tool file;
 * `wield tool-file check` accepts or rejects the file it wrote.
 */
import { resolve } from "node:path"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Problem } from "@wield/core"
import { FunctionFolder, ScriptFolder, ToolFileTemplate } from "@wield/scripts"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const kinds = [
  "function-file",
  "python",
  "bash",
  "typescript",
  "javascript"
] as const satisfies ReadonlyArray<ToolFileTemplate.Kind>

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
  Options.withDescription("A name that another tool has already. You can repeat it"),
  Options.repeated
)

/** The limit of a tool file, too. */
const maxBytes = 1_048_576

const readInput: Effect.Effect<string, Refused> = NodeStream.toString(() => process.stdin, {
  maxBytes,
  onFailure: () => new Refused({ message: "Standard input cannot be read, or has more than 1 MiB" })
})

/** The names of the tools in a folder, without those of the file `except`. */
const namesIn = (
  folder: string,
  kind: ToolFileTemplate.Kind,
  except?: string
): Effect.Effect<ReadonlyArray<string>, Refused, FileSystem.FileSystem | Path.Path> => {
  const isOther = ({ file }: { readonly file: string }) => except === undefined || resolve(file) !== resolve(except)
  const nameOf = ({ name }: { readonly name: string }) => name
  const found =
    kind === "function-file"
      ? Effect.map(FunctionFolder.load([folder]), ({ files }) =>
          files.filter(isOther).flatMap(({ tools }) => tools.map(nameOf))
        )
      : Effect.map(ScriptFolder.load(folder), ({ scripts }) =>
          scripts.filter(isOther).flatMap(({ functions }) => functions.map(nameOf))
        )
  return Effect.mapError(found, ({ message }) => new Refused({ message }))
}

/** A failure of the command; its message goes to the user. */
class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

const answer = Args.text({ name: "answer" }).pipe(
  Args.withDescription(
    "The file with the model's answer, or the tool file itself. By default, and for `-`, standard input"
  ),
  Args.optional
)

const isSaved = Options.boolean("save").pipe(
  Options.withDescription("Save the accepted file in the folder. A file of that name stays as it is")
)

export const check = Command.make("check", { kind, name, folder, taken, isSaved, answer }, (given) =>
  Effect.gen(function* () {
    const target = Option.getOrUndefined(given.folder)
    if (given.isSaved && target === undefined) {
      return yield* new Refused({ message: "--save needs --folder: the folder to save the file in" })
    }
    const file = Option.getOrUndefined(Option.filter(given.answer, (path) => path !== "-"))
    const text = file === undefined ? yield* readInput : yield* readFile(file)
    const inFolder = target === undefined ? [] : yield* namesIn(target, given.kind, file)
    const accepted = yield* ToolFileTemplate.check(text, {
      kind: given.kind,
      taken: [...given.taken, ...inFolder],
      name: Option.getOrUndefined(given.name) ?? (yield* stemOf(file, given.kind))
    })
    if (accepted.warnings.length > 0) yield* Console.error(accepted.warnings.map(Problem.report).join("\n"))
    if (target !== undefined && given.isSaved) yield* save(target, accepted)
    const tools = accepted.kind === "script" ? accepted.content.functions : accepted.content.tools
    yield* Console.log(`${accepted.file}: ${tools.map((tool) => tool.name).join(", ")}`)
  })
).pipe(Command.withDescription("Check a model's answer: accept it, or print what is wrong, to hand back to the model"))

const readFile = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.mapError((error) => {
      const isMissing = error._tag === "SystemError" && error.reason === "NotFound"
      return new Refused({ message: isMissing ? `${file} does not exist` : `${file} cannot be read: ${error.message}` })
    })
  )

/** A tool file has a name already. In an answer, the model gives it. */
const stemOf = (file: string | undefined, kind: ToolFileTemplate.Kind) =>
  Effect.map(Path.Path, (path) => {
    const { ext, name: stem } = path.parse(file ?? "")
    return ext !== "" && extensions[kind].includes(ext) ? stem : undefined
  })

const extensions: { readonly [kind in ToolFileTemplate.Kind]: ReadonlyArray<string> } = {
  "function-file": [".py"],
  python: [".py"],
  bash: [".sh", ".bash"],
  typescript: [".ts", ".mts"],
  javascript: [".js", ".mjs", ".cjs"]
}

const save = (
  folder: string,
  { file, text }: Pick<ToolFileTemplate.Accepted, "file" | "text">
): Effect.Effect<void, Refused, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = (yield* Path.Path).join(folder, file)
    yield* files
      .writeFileString(path, text, { flag: "wx" })
      .pipe(
        Effect.mapError((error) =>
          error._tag === "SystemError" && error.reason === "AlreadyExists"
            ? new Refused({ message: `${path} exists already. Remove it, or give the new file another --name` })
            : new Refused({ message: `${path} cannot be written: ${error.message}` })
        )
      )
  })

const wish = Args.text({ name: "wish" }).pipe(
  Args.withDescription("What the tool should do, in your words. `-` reads them from standard input")
)

export const instructions = Command.make("instructions", { kind, name, folder, taken, wish }, (given) =>
  Effect.gen(function* () {
    const text = given.wish === "-" ? yield* readInput : given.wish
    if (text.trim() === "") {
      return yield* new Refused({ message: "The wish is empty. Say what the tool should do" })
    }
    const inFolder = Option.isSome(given.folder) ? yield* namesIn(given.folder.value, given.kind) : []
    const printed = ToolFileTemplate.instructions({
      kind: given.kind,
      wish: text,
      taken: [...given.taken, ...inFolder],
      name: Option.getOrUndefined(given.name)
    })
    yield* Console.log(printed.trimEnd())
  })
).pipe(Command.withDescription("Print instructions for a model that writes a tool file"))
