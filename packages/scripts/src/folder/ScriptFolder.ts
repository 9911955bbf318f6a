/**
 * A folder of scripts as it was read, and how it is read.
 */
import type { Introspector, Kind } from "../Introspection.js"
import type { Problem } from "@wield/core/Problem"
import type { Script } from "../Script.js"
import type { Selection } from "./Selection.js"

export interface ScriptFolder {
  /** As it was named when it was read. */
  readonly folder: string
  /** In the order of their files' names; each function's name is its own in the folder. */
  readonly scripts: ReadonlyArray<Script>
  /** What is wrong with any file, those that are no tools included. */
  readonly problems: ReadonlyArray<Problem>
}

export interface LoadOptions {
  /** Which files are read and which of their tools are taken, as configurations say it. Unless stated: all. */
  readonly selection?: Selection | undefined
  /** Which functions are tools. Unless stated: as each file's name says. */
  readonly kind?: Kind | undefined
  /** Folders in which linked files may lie, besides the folder itself. */
  readonly linkRoots?: ReadonlyArray<string> | undefined
  /** One that is used elsewhere, too. Unless given, the folder makes its own. */
  readonly introspector?: Introspector | undefined
}

/** One file of a folder: the script, unless it is broken, and what is wrong. */
export interface FileReading {
  readonly file: string
  /** Absent where the file could not be read. */
  readonly text: string | undefined
  readonly script: Script | undefined
  readonly problems: ReadonlyArray<Problem>
}
