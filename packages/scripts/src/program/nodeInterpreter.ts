/** What is started for the interpreter that a script names. */
import { basename } from "node:path"

export interface Interpreter {
  readonly command: string
  readonly arguments: ReadonlyArray<string>
  /** Whether it evaluates what was compiled here; Bun and Deno compile themselves. */
  readonly isNode: boolean
}

export const interpreterOf = (command: string, flags: ReadonlyArray<string>): Interpreter => {
  switch (
    basename(command)
      .replace(/\.exe$/i, "")
      .toLowerCase()
  ) {
    // What starts Node with a loader of its own takes descriptor 3 for itself:
    // Node and the compiler here do the same work.
    case "tsx":
    case "ts-node":
      return { command: process.execPath, arguments: [], isNode: true }
    case "npx":
      return { command: process.execPath, arguments: [], isNode: true }
    case "bun":
      return { command, arguments: flags.length === 0 ? ["run"] : flags, isNode: false }
    case "deno":
      return { command, arguments: flags.length === 0 ? ["run", "--allow-all"] : flags, isNode: false }
    default:
      return { command, arguments: flags, isNode: true }
  }
}
