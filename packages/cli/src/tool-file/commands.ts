/**
 * `wield tool-file instructions` prints how a model writes a tool file;
 * `wield tool-file check` accepts or rejects the file it wrote.
 */
import { resolve } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Problem from "@wield/core/Problem"
import * as FunctionFolder from "@wield/scripts/FunctionFolder"
import * as ScriptFolder from "@wield/scripts/ScriptFolder"
import * as ToolFileTemplate from "@wield/scripts/ToolFileTemplate"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Command } from "../commands/common.js"
import { codes } from "../ExitCode.js"
import { print } from "../output/print.js"
import { Refused } from "../output/Refused.js"
import { Shell } from "../output/Shell.js"

interface Options {
  readonly kind: ToolFileTemplate.Kind
  readonly name: Option.Option<string>
  readonly folder: Option.Option<string>
  readonly taken: ReadonlyArray<string>
}

const readInput = Effect.flatMap(Shell, (shell) => shell.readInput)

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
  return Effect.mapError(found, ({ message }) => Refused.failed(message))
}

export const check = (
  given: Options & { readonly isSaved: boolean; readonly answer: Option.Option<string> }
): Command =>
  Effect.gen(function* () {
    const target = Option.getOrUndefined(given.folder)
    if (given.isSaved && target === undefined) {
      return yield* Refused.failed("--save needs --folder: the folder to save the file in")
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
    yield* print(`${accepted.file}: ${tools.map((tool) => tool.name).join(", ")}`)
    return codes.done
  }).pipe(Effect.catchTag("RejectedToolFile", ({ message }) => Refused.failed(message)))

const readFile = (file: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(file)).pipe(
    Effect.mapError((error) => {
      const isMissing = error._tag === "SystemError" && error.reason === "NotFound"
      return Refused.failed(isMissing ? `${file} does not exist` : `${file} cannot be read: ${error.message}`)
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
            ? Refused.failed(`${path} exists already. Remove it, or give the new file another --name`)
            : Refused.failed(`${path} cannot be written: ${error.message}`)
        )
      )
  })

export const instructions = (given: Options & { readonly wish: string }): Command =>
  Effect.gen(function* () {
    const text = given.wish === "-" ? yield* readInput : given.wish
    if (text.trim() === "") {
      return yield* Refused.failed("The wish is empty. Say what the tool should do")
    }
    const inFolder = Option.isSome(given.folder) ? yield* namesIn(given.folder.value, given.kind) : []
    const printed = ToolFileTemplate.instructions({
      kind: given.kind,
      wish: text,
      taken: [...given.taken, ...inFolder],
      name: Option.getOrUndefined(given.name)
    })
    yield* print(printed.trimEnd())
    return codes.done
  })
