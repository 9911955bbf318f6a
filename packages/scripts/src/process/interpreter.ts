/** Finds a script's interpreter: of its first line, of its folder's `.venv`, or of the options. */
import * as Environment from "@wield/process/Environment"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import type { ExecutionOptions } from "../ExecutionOptions.js"
import type { Language } from "../Script.js"
import { parseShebang } from "./shebang.js"

export interface Interpreter {
  /** Absolute path. */
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  readonly environment: Environment.Variables
}

export class InterpreterMissing extends Data.TaggedError("InterpreterMissing")<{ readonly detail: string }> {}

export type Kind = "python" | "bash" | "node"

export const kindOf = (language: Language): Kind => (language === "python" || language === "bash" ? language : "node")

/** What to do where an interpreter is missing. */
export const advice: { readonly [kind in Kind]: string } = {
  python: "install Python 3, or name one in interpreters.python",
  bash: "install Bash 4.4 or newer, or name one in interpreters.bash",
  node: "install Node 20 or newer, or name one in interpreters.node"
}

/** What to do where the one that a script itself names is missing. */
const chosenByScript = "install it, or change the first line of the script"

/** Says where the interpreter itself is, where what was found is a script that only chooses one (pyenv, asdf). */
const questions: { readonly [kind in Kind]: ReadonlyArray<string> | undefined } = {
  python: ["-c", "import sys; print(sys.executable)"],
  bash: undefined,
  node: ["-p", "process.execPath"]
}

/** Other commands of a script of this kind are not the interpreter, but run or compile for it. */
const isInterpreter: { readonly [kind in Kind]: (name: string) => boolean } = {
  python: () => true,
  bash: (name) => name === "bash",
  // TypeScript is compiled by Wield; tsx and the like would start Node once more.
  node: (name) => name === "node" || name === "nodejs" || name === "bun" || name === "deno"
}

/** A script for sh runs in Bash, which takes the same flags. */
const isStandIn = (kind: Kind, name: string): boolean => kind === "bash" && name === "sh"

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

const isScript = (path: string): boolean => {
  const start = Buffer.alloc(2)
  try {
    const descriptor = openSync(path, "r")
    readSync(descriptor, start, 0, 2, 0)
    closeSync(descriptor)
  } catch {
    return false
  }
  return start.toString("latin1") === "#!"
}

/** A command that says where it is; others are looked for on the path. */
const isPath = (command: string): boolean => command !== basename(command)

/** A command on the path of scripts, as an absolute path. */
export const findCommand = (
  command: string,
  variables: Environment.Variables,
  workingDirectory: string
): string | undefined => {
  if (isPath(command)) {
    const path = isAbsolute(command) ? command : resolve(workingDirectory, command)
    return isExecutable(path) ? path : undefined
  }
  return Environment.filesOf(command, variables, { from: workingDirectory }).find(isExecutable)
}

export interface Sought {
  readonly kind: Kind
  /** The script's. */
  readonly file: string
  readonly shebang: ReadonlyArray<string> | undefined
  readonly variables: Environment.Variables
}

/** Gives what finds interpreters. What a shim stands for is asked once. */
export const makeInterpreters = (
  chosen: NonNullable<ExecutionOptions["interpreters"]>,
  workingDirectory: string
): ((sought: Sought) => Effect.Effect<Interpreter, InterpreterMissing>) => {
  const behind = new Map<string, string>()

  const unwrap = (kind: Kind, command: string, variables: Environment.Variables): Effect.Effect<string> =>
    Effect.async((resume) => {
      const question = questions[kind]
      const known = behind.get(command)
      if (known !== undefined || question === undefined || !isScript(command)) {
        return resume(Effect.succeed(known ?? command))
      }
      const options = { env: variables, cwd: workingDirectory, timeout: 20_000 }
      try {
        execFile(command, [...question], options, (error, output) => {
          const path = error === null ? output.trim() : ""
          const found = isAbsolute(path) && isExecutable(path) ? path : command
          behind.set(command, found)
          resume(Effect.succeed(found))
        })
      } catch {
        // Node raises where the environment is too large: so it will when the script is started, and there it is reported.
        resume(Effect.succeed(command))
      }
    })

  const candidates = ({ file, kind }: Sought): ReadonlyArray<string> => {
    const own = chosen[kind]
    if (kind === "python") {
      const environment = join(dirname(file), ".venv", "bin", "python")
      return isExecutable(environment) ? [environment] : own === undefined ? ["python3", "python"] : [own]
    }
    return [own ?? (kind === "bash" ? "bash" : process.execPath)]
  }

  return (sought) =>
    Effect.suspend(() => {
      const { kind, shebang, variables } = sought
      const named = parseShebang(shebang)
      const isNamed = named !== undefined && isInterpreter[kind](basename(named.command))
      // `env python3` asks for the Python of the environment, and that is the folder's.
      const isAnyPython = kind === "python" && named !== undefined && /^python3?$/.test(named.command)
      const commands =
        isNamed && !(isAnyPython && (chosen.python !== undefined || isPath(candidates(sought)[0] ?? "")))
          ? [named.command]
          : candidates(sought)
      const found = commands.map((command) => findCommand(command, variables, workingDirectory)).find(Boolean)
      if (found === undefined) {
        const where = commands.some(isPath) ? "does not exist or may not be executed" : "is not on the path"
        return new InterpreterMissing({
          detail: `${commands.join(" or ")}, which runs it, ${where}; ${isNamed ? chosenByScript : advice[kind]}`
        })
      }
      const isFlagged = isNamed || (named !== undefined && isStandIn(kind, basename(named.command)))
      return Effect.map(unwrap(kind, found, variables), (command) => ({
        command,
        arguments: isFlagged ? named.arguments : [],
        environment: named?.environment ?? {}
      }))
    })
}
