/**
 * Which version of a file is used: the one that was read, or, where this one is
 * broken, the last good one.
 */
import { isError } from "@wield/core/Problem"
import { fileWarning } from "./problem.js"
import type { FileReading } from "./ScriptFolder.js"

export interface Kept {
  /** What the file is now. */
  readonly now: FileReading
  /** What is used. */
  readonly used: FileReading
}

export const keep = (now: FileReading, before: Kept | undefined): Kept => {
  const good = before?.used.script
  if (good === undefined || !isWorse(now, before?.used)) return { now, used: now }
  const kept = fileWarning(now.file, "kept-version", "The last version that could be read stays in use")
  return { now, used: { ...now, script: good, problems: [...now.problems, kept] } }
}

/** An error costs a tool that the version before had. */
const isWorse = (now: FileReading, used: FileReading | undefined): boolean => {
  const names = new Set(now.script?.functions.map(({ name }) => name))
  return now.problems.some(isError) && (used?.script?.functions ?? []).some(({ name }) => !names.has(name))
}
