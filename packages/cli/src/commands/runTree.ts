/** Runs the tree of commands, and mends what @effect/cli leaves to be wished for. */
import * as Command from "@effect/cli/Command"
import type * as CliApp from "@effect/cli/CliApp"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as ValidationError from "@effect/cli/ValidationError"
import * as NearestNames from "@wield/core/NearestNames"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { codes, type ExitCode } from "../ExitCode.js"
import { Refused } from "../output/Refused.js"
import { Results, Shell } from "../output/Shell.js"
import { withoutStyles } from "../output/print.js"
import { command, leaves, optionsOf, ownOptionsOf } from "./tree.js"

/** The same version as in package.json. */
const version = "0.1.0"

const runCommand = Command.run(command, { name: "wield", version })

export const runTree = (
  argv: ReadonlyArray<string>
): Effect.Effect<ExitCode, Refused | ExitCode, CliApp.CliApp.Environment> =>
  Effect.suspend(() => {
    const wrong = wrongOption(argv)
    return wrong === undefined ? runCommand(withHelp(argv)) : wrong
  }).pipe(
    withConsoles({ isJson: argv.includes("--json"), isHelp: withHelp(argv) !== argv }),
    Effect.as(codes.done),
    Effect.catchAll((error): Effect.Effect<never, Refused | ExitCode> => {
      if (ValidationError.isValidationError(error)) {
        // The library has printed it, but as JSON.
        if (!argv.includes("--json")) return Effect.fail(codes.usage)
        return Effect.fail(Refused.usage(withoutStyles(HelpDoc.toAnsiText(error.error)).trim()))
      }
      if (error._tag === "Ended") return Effect.fail(error.code)
      return error._tag === "Refused" ? Effect.fail(error) : Effect.fail(codes.interrupted)
    })
  )

/** Help of the command that is named, wherever it is asked for: the library takes it only right behind the command. */
const withHelp = (argv: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [node = "", program = "", ...words] = argv
  const end = words.indexOf("--")
  const isAsked = (end < 0 ? words : words.slice(0, end)).some((word) => word === "--help" || word === "-h")
  if (words.length > 0 && !isAsked) return argv
  const length = [2, 1].find((count) => isCommand(words.slice(0, count))) ?? 0
  return [node, program, ...words.slice(0, length), "--help"]
}

/** A command, or a group of commands. */
const isCommand = (words: ReadonlyArray<string>): boolean =>
  [...leaves.keys()].some((path) => `${path} `.startsWith(`${words.join(" ")} `))

/** The library takes an option that it does not know, that is given twice, or that has no value, for an argument where the command has one. */
const wrongOption = (argv: ReadonlyArray<string>): Effect.Effect<never, Refused> | undefined => {
  const all = argv.slice(2)
  const [first = "", second = ""] = all
  const paths = [first, `${first} ${second}`]
  // The library says which commands there are.
  if (!paths.some((path) => leaves.has(path)) && !first.startsWith("-")) return undefined
  const end = all.indexOf("--")
  const words = end < 0 ? all : all.slice(0, end)
  const options = paths.flatMap(optionsOf)
  const unknown = words
    .map((word) => word.split("=")[0] ?? "")
    .find((word) => /^--?[a-z]/i.test(word) && !options.includes(word))
  if (unknown !== undefined) {
    const nearest = NearestNames.nearest(unknown, options)
    const advice = nearest === undefined ? "--help lists all options." : `did you mean ${nearest}?`
    return Refused.usage(
      `There is no option ${unknown}: ${advice} An argument that begins with a dash stands behind --`
    )
  }
  const own = paths.flatMap(ownOptionsOf)
  const bare = own
    .flatMap(({ isValued, names }) => (isValued ? names : []))
    .find((option) =>
      words.some((word, index) => {
        const next = words[index + 1]
        return (
          word === `${option}=` || (word === option && (next === undefined || next === "" || options.includes(next)))
        )
      })
    )
  if (bare !== undefined) return Refused.usage(`${bare} needs a value`)
  for (const { isRepeated, isValued, names } of own) {
    const given = words.filter((word) => names.includes(word.split("=")[0] ?? ""))
    const [first = "", ...others] = given.map((word) => word.split("=")[0] ?? "")
    // It would count as given, and the value as an argument: `--trust=false` would trust.
    if (!isValued && given.some((word) => word.includes("=")))
      return Refused.usage(`${first} takes no value: leave it out where it shall not hold`)
    if (!isRepeated && others.length > 0) return Refused.usage(`${first} is given twice: give it once`)
  }
  // As of a shell's variable that is not set: `wield trust "$folder"` would trust the folder that it runs in.
  return all.includes("") ? Refused.usage("An argument is empty: give its value, or leave it out") : undefined
}

/** Help and usage errors of the library are coloured whatever they are written to, of any width, and never JSON. */
const withConsoles =
  ({ isHelp, isJson }: { readonly isJson: boolean; readonly isHelp: boolean }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Shell, ({ isColored }) =>
      Console.consoleWith((console) => {
        const own: Console.Console = isColored
          ? console
          : {
              ...console,
              log: (...given) => console.log(...given.map(plainValue)),
              error: (...given) => console.error(...given.map(plainValue))
            }
        const ofLibrary: Console.Console = {
          ...own,
          ...(isJson ? { error: () => Effect.void } : {}),
          ...(isHelp ? { log: (text) => own.log(fitHelp(String(text))) } : {})
        }
        return Effect.withConsole(effect, ofLibrary).pipe(Effect.provideService(Results, own))
      })
    )

const plainValue = (value: unknown): unknown => (typeof value === "string" ? withoutStyles(value) : value)

const columns = 80

/** Lines of help within the columns. Of a command in a list, its own help says how it is used. */
const fitHelp = (help: string): string =>
  help
    .split("\n")
    .flatMap((line) => {
      const [, name, words] = /^ {2}- ([a-z-]+(?: [a-z-]+)*).* {2,}(\S.*)$/.exec(withoutStyles(line)) ?? []
      return name === undefined || words === undefined
        ? wrap(line, `${/^ */.exec(line)}${withoutStyles(line).startsWith("$") ? "  " : ""}`)
        : wrap(`  ${name.padEnd(24)}${words}`, " ".repeat(26))
    })
    .join("\n")

/** The styles of a text take no column. */
const wrap = (line: string, margin: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let current = ""
  for (const word of line.split(/(?<=\S) /)) {
    const longer = current === "" ? word : `${current} ${word}`
    if (withoutStyles(longer).length <= columns || current === "") current = longer
    else {
      lines.push(current)
      current = margin + word
    }
  }
  return [...lines, current]
}
