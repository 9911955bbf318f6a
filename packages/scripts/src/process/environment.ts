/**
 * The environment of scripts: an allow-list of the program's own, the `.env` of
 * their folder, and what is set.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import type { Environment } from "../ExecutionOptions.js"

export type Variables = { readonly [name: string]: string }

/** What programs need to find themselves, and each other, and the user's language. */
const always = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "USER", "SHELL", "TERM"]

const isPassed = (patterns: ReadonlyArray<string>, name: string): boolean =>
  patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern))

const readEnvFile = (folder: string): Variables => {
  let text: string
  try {
    text = readFileSync(join(folder, ".env"), "utf8")
  } catch {
    return {}
  }
  return Object.fromEntries(
    Object.entries(parseEnv(text)).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
}

/**
 * The variables of the scripts of a folder. Of a variable that the program and
 * `.env` both have, the program's value wins where scripts may see it; where
 * they may not, naming it in a file does not let them.
 */
export const scriptVariables = (
  options: Environment,
  program: { readonly [name: string]: string | undefined },
  folder: string
): Variables => {
  const patterns = [...always, ...(options.pass ?? [])]
  const passed = Object.entries(program).flatMap(([name, value]): ReadonlyArray<readonly [string, string]> =>
    value !== undefined && isPassed(patterns, name) ? [[name, value]] : []
  )
  return {
    ...(options.isEnvFileRead === false ? {} : readEnvFile(folder)),
    ...Object.fromEntries(passed),
    ...options.set
  }
}
