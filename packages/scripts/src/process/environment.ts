/** The environment of scripts: an allow-list of the program's own, the `.env` of their folder, and what is set. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import * as Environment from "@wield/process/Environment"
import type * as Options from "../ExecutionOptions.js"

/** Bytes. The system takes some 2 MB for arguments and environment together. */
const largest = 1_048_576

/** The text of a file; nothing if it is not a file. Opening a pipe, or reading a device, would keep the whole program waiting. */
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

const readEnvFile = (folder: string): Environment.Variables => {
  const text = readText(join(folder, ".env")) ?? ""
  // Editors on Windows begin a file with a byte order mark.
  const lines = (text.startsWith("\uFEFF") ? text.slice(1) : text).match(assignment) ?? []
  // No variable can hold a NUL character.
  return Object.fromEntries(
    Object.entries(parseEnv(lines.join("\n"))).flatMap(([name, value]) =>
      value === undefined || value.includes("\0") ? [] : [[name, value]]
    )
  )
}

/**
 * The variables of the scripts of a folder. Of a variable that the program and
 * `.env` both have, the program's value wins where scripts may see it; where
 * they may not, naming it in a file does not let them.
 */
export const scriptVariables = (
  options: Options.Environment,
  program: { readonly [name: string]: string | undefined },
  folder: string
): Environment.Variables => ({
  ...(options.isEnvFileRead === false ? {} : readEnvFile(folder)),
  ...Environment.inherit(program, options.pass),
  ...options.set
})

/** Whether programs can be started with it: one variable of 128 KiB or more, and Linux starts none. */
export const isExportable = (name: string, value: string): boolean =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + 2 <= 128 * 1024
