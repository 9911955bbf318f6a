/**
 * The fixtures of function files, and whether this machine can run them.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Problem } from "@wield/core"
import { FunctionFile } from "@wield/scripts"

const root = fileURLToPath(new URL("../fixtures/function-files/", import.meta.url))

export const functions = `${root}functions`

export const userFunctions = `${root}user/functions`

export const broken = `${root}broken`

export const source = (file: string) => ({ file, text: readFileSync(file, "utf8") })

/** Problems without where this machine keeps the fixtures. */
export const told = (problems: ReadonlyArray<Problem.Problem>): ReadonlyArray<string> =>
  problems.map((problem) => Problem.report(problem).replaceAll(root, ""))

export const hasPython = spawnSync("python3", ["--version"]).status === 0

export const withoutPython = hasPython ? "" : " (left out: python3 is not installed)"

/** A file with these declarations, as introspection reads it. */
export const ofText = (text: string) =>
  FunctionFile.introspect({
    file: "one.py",
    text: `${text}\n\ndef execute(function_name, arguments, config):\n    return "", True\n`
  })

/** A declaration that is right. */
export const one = '{"type": "function", "function": {"name": "one", "description": "One"}}'
