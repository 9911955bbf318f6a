/** The part of this process's environment that a child may see, and where its programs are. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import * as paths from "node:path"
import { parseEnv } from "node:util"
import { check, texts } from "./internal/check.js"

/** @category models */
export type Variables = { readonly [name: string]: string }

/**
 * The variables that programs need to find themselves, each other, and the
 * user's language. No secret is among them.
 *
 * @category models
 */
export const basic: ReadonlyArray<string> = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "USER",
  "SHELL",
  "TERM",
  // Windows starts no program without this one.
  "SystemRoot"
]

/** What stands there for some of these, and what programs end with. */
const basicOnWindows: ReadonlyArray<string> = ["PATHEXT", "USERPROFILE", "TEMP", "TMP"]

/**
 * The `basic` variables and those that `pass` names; `AWS_*` stands for all
 * that begin with `AWS_`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment } from "@wield/process"
 *
 * const environment = { PATH: "/bin", GIT_DIR: ".git", API_KEY: "secret" }
 *
 * assert.deepStrictEqual(Environment.inherit(environment, ["GIT_*"]), { PATH: "/bin", GIT_DIR: ".git" })
 * ```
 *
 * @category constructors
 */
export const inherit = (
  environment: { readonly [name: string]: string | undefined },
  pass: ReadonlyArray<string> = [],
  platform: NodeJS.Platform = process.platform
): Variables => {
  // Of a text each letter would be a name, and a star at its end would stand for all variables.
  check("What Environment.inherit passes", texts, pass)
  // On Windows `Path` is `PATH`, and the result has the name that was asked for.
  const alike = (name: string): string => (platform === "win32" ? name.toUpperCase() : name)
  const patterns = [...basic, ...(platform === "win32" ? basicOnWindows : []), ...pass]
  const nameOf = (name: string): string | undefined => {
    const pattern = patterns.find((one) =>
      one.endsWith("*") ? alike(name).startsWith(alike(one.slice(0, -1))) : alike(name) === alike(one)
    )
    return pattern?.endsWith("*") === true ? name : pattern
  }
  return Object.fromEntries(
    Object.entries(environment).flatMap(([given, value]): ReadonlyArray<readonly [string, string]> => {
      const name = value === undefined ? undefined : nameOf(given)
      return value === undefined || name === undefined ? [] : [[name, value]]
    })
  )
}

/**
 * The variables of a `.env` file; `undefined` where it is no file that can be
 * read, or has more than 1 MiB.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment } from "@wield/process"
 *
 * assert.strictEqual(Environment.fromFile("no/such/.env"), undefined)
 * ```
 *
 * @category constructors
 */
export const fromFile = (path: string): Variables | undefined => {
  const text = readText(path)
  if (text === undefined) return undefined
  // Editors on Windows begin a file with a byte order mark.
  const lines = (text.startsWith("\uFEFF") ? text.slice(1) : text).match(assignment) ?? []
  // No variable can hold a NUL character.
  return Object.fromEntries(
    Object.entries(parseEnv(lines.join("\n"))).flatMap(([name, value]) =>
      value === undefined || value.includes("\0") ? [] : [[name, value]]
    )
  )
}

/** Bytes. The system takes some 2 MB for arguments and environment together. */
const largest = 1_048_576

/** Opening a pipe, or reading a device, would keep the whole program waiting. */
const readText = (path: string): string | undefined => {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = fstatSync(descriptor)
    return found.isFile() && found.size <= largest ? readFileSync(descriptor, "utf8") : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/**
 * The lines that set something, with all lines of what is quoted. A line
 * without `=` takes the next variable with it in `parseEnv` of Node 20, and one
 * that begins with it all that follow.
 */
const assignment = /^[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\r\n]*/gm

/**
 * The files that a program's name may stand for, in the order of the path.
 * Windows' endings are those of `PATHEXT`. A folder that is not absolute is
 * taken from `from`, or left out: what lies in the working folder is not the
 * user's program. Does not look whether they exist.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Environment } from "@wield/process"
 *
 * const environment = { Path: "C:\\Python;relative", PATHEXT: ".EXE" }
 *
 * assert.deepStrictEqual(Environment.filesOf("python3", environment, { platform: "win32" }), [
 *   "C:\\Python\\python3.EXE"
 * ])
 * ```
 *
 * @category getters
 */
export const filesOf = (
  program: string,
  environment: { readonly [name: string]: string | undefined },
  options: { readonly from?: string; readonly platform?: NodeJS.Platform } = {}
): ReadonlyArray<string> => {
  const { from, platform = process.platform } = options
  const isWindows = platform === "win32"
  const { delimiter, join, isAbsolute, resolve } = isWindows ? paths.win32 : paths.posix
  const valueOf = (name: string): string =>
    environment[name] ??
    (isWindows ? Object.entries(environment).find(([key]) => key.toUpperCase() === name)?.[1] : undefined) ??
    ""
  // Windows quotes a folder that has the separator in its name.
  const folders = isWindows
    ? Array.from(valueOf("PATH").matchAll(/(?:"[^"]*"|[^;"])+/g), ([folder]) => folder.replaceAll('"', ""))
    : valueOf("PATH").split(delimiter)
  const endings = isWindows ? (valueOf("PATHEXT") || ".COM;.EXE;.BAT;.CMD").split(delimiter).filter(Boolean) : [""]
  const hasEnding = endings.some((ending) => program.toUpperCase().endsWith(ending.toUpperCase()))
  return (
    folders
      .map((folder) => (from === undefined ? folder : resolve(from, folder)))
      // Windows takes `\tools` from whatever drive is the current one.
      .filter((folder) => isAbsolute(folder) && !(isWindows && /^[\\/](?![\\/])/.test(folder)))
      .flatMap((folder) => (hasEnding ? [""] : endings).map((ending) => join(folder, program + ending)))
  )
}
