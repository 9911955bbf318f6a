/**
 * Which version of a file is used: the one that was read, or, where this one is
 * broken, the last good one.
 */
import { fileWarning } from "../folder/problem.js"
import { isError } from "@wield/core/Problem"
import type { Reading } from "./readFolders.js"

export interface Kept {
  /** What the file is now. */
  readonly now: Reading
  /** What is used. */
  readonly used: Reading
}

export const keep = (now: Reading, before: Kept | undefined): Kept => {
  const good = before?.used.found
  if (good === undefined || !isWorse(now, before?.used)) return { now, used: now }
  const kept = fileWarning(now.file, "kept-version", "The last version that could be read stays in use")
  return { now, used: { ...now, found: good, problems: [...now.problems, kept] } }
}

/** An error costs a tool that the version before had; a file that was turned off is none. */
const isWorse = ({ found, problems }: Reading, used: Reading | undefined): boolean => {
  if (found?.isEnabled === false) return false
  const names = new Set(found?.tools.map(({ name }) => name))
  return problems.some(isError) && (used?.found?.tools ?? []).some(({ name }) => !names.has(name))
}
