/** The environment of scripts: an allow-list of the program's own, the `.env` of their folder, and what is set. */
import { join } from "node:path"
import * as Environment from "@wield/process/Environment"
import type * as Options from "../ExecutionOptions.js"

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
  ...(options.isEnvFileRead === false ? {} : Environment.fromFile(join(folder, ".env"))),
  ...Environment.inherit(program, options.pass),
  ...options.set
})

/** Whether programs can be started with it: one variable of 128 KiB or more, and Linux starts none. */
export const isExportable = (name: string, value: string): boolean =>
  Buffer.byteLength(name) + Buffer.byteLength(value) + 2 <= 128 * 1024
