/**
 * A function file as it was read.
 */
import type { Facts, Json } from "@wield/core"
import type { Place, Problem } from "@wield/core/Problem"

export interface FunctionTool {
  readonly name: string
  /** Absent where the file has none: the model then has the name alone. */
  readonly description: string | undefined
  readonly inputSchema: Json.JsonSchema
  /** What the file states: `network` is the fact `isOpenWorld`, `is_local` the fact `disclosure`. */
  readonly facts: Partial<Facts.Facts>
  /** The entry of `TOOLS` as the file has it, `strict` and further keys included. */
  readonly entry: Json.JsonObject
  /** Absent where the file had to be run to know the tool, and where it came from nowhere. */
  readonly place: Place | undefined
}

export interface FunctionFile {
  /** The path it was read from. */
  readonly file: string
  /** The name of its module: the file's stem. */
  readonly module: string
  /** The source, as it was read: it is what runs. */
  readonly text: string
  /** `ENABLED`. A file that is off has no tools, and nothing more was looked at. */
  readonly isEnabled: boolean
  /** What the file makes available, in the order of its `TOOLS`. */
  readonly tools: ReadonlyArray<FunctionTool>
  /** Warnings, and errors of tools that were left out for them. */
  readonly problems: ReadonlyArray<Problem>
  /** Whether the file had to be run to know its tools. */
  readonly isRun: boolean
}

export interface FunctionFolder {
  /** As they were named when they were read. */
  readonly folders: ReadonlyArray<string>
  /** Those that are on and have tools; no two modules and no two tools have the same name. */
  readonly files: ReadonlyArray<FunctionFile>
  /** What is wrong with any file, those that are left out included. */
  readonly problems: ReadonlyArray<Problem>
}
