/** `wield tool-file check`: whether what a model wrote is a tool file. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import { Problem, ToolFileTemplate } from "@wield/scripts"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { namesIn } from "./names.js"
import { folder, kind, name, taken } from "./options.js"
import { readInput } from "./readInput.js"
import { Refused } from "./Refused.js"
import { save } from "./save.js"

const answer = Args.text({ name: "answer" }).pipe(
  Args.withDescription(
    "The file that has the model's answer, or the tool file itself; standard input unless given, or `-`"
  ),
  Args.optional
)

const isSaved = Options.boolean("save").pipe(
  Options.withDescription("Save the file that was accepted in the folder; a file of that name stays as it is")
)

export const check = Command.make("check", { kind, name, folder, taken, isSaved, answer }, (given) =>
  Effect.gen(function* () {
    const target = Option.getOrUndefined(given.folder)
    if (given.isSaved && target === undefined) {
      return yield* new Refused({ message: "--save needs --folder: name the folder that the file is saved in" })
    }
    const file = Option.getOrUndefined(Option.filter(given.answer, (path) => path !== "-"))
    const text = file === undefined ? yield* readInput : yield* readFile(file)
    const inFolder = target === undefined ? [] : yield* namesIn(target, given.kind, file)
    const accepted = yield* ToolFileTemplate.check(text, {
      kind: given.kind,
      taken: [...given.taken, ...inFolder],
      name: Option.getOrUndefined(given.name) ?? (yield* stemOf(file, given.kind))
    })
    if (accepted.warnings.length > 0) yield* Console.error(accepted.warnings.map(Problem.toText).join("\n"))
    if (target !== undefined && given.isSaved) yield* save(target, accepted)
    const tools = accepted.kind === "script" ? accepted.content.functions : accepted.content.tools
    yield* Console.log(`${accepted.file}: ${tools.map((tool) => tool.name).join(", ")}`)
  })
).pipe(Command.withDescription("Check what a model wrote: accept it, or say what is wrong in words to hand back"))

const readFile = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.mapError((error) => {
      const isMissing = error._tag === "SystemError" && error.reason === "NotFound"
      return new Refused({ message: isMissing ? `${file} does not exist` : `${file} cannot be read: ${error.message}` })
    })
  )

/** A tool file has its name already; an answer names it. */
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
