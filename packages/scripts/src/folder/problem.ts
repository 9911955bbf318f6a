/**
 * Problems of files as a whole.
 */
import type { Problem } from "@wield/core/Problem"

export const fileError = (file: string, rule: string, message: string): Problem => ({
  severity: "error",
  rule,
  message,
  file,
  place: undefined,
  subject: undefined
})

/**
 * A file whose reading broke off. Parsers call themselves for each level and
 * have no bound of their own: what they cannot finish is a problem of this file
 * only, and the other files of its folder are read.
 */
export const unfinished = (file: string, defect: unknown): Problem =>
  defect instanceof RangeError
    ? fileError(
        file,
        "too-complex",
        "The file cannot be read: something in it nests deeper, or grows larger, than can be followed; make it flatter or smaller"
      )
    : fileError(
        file,
        "unreadable",
        `The file cannot be read, through a mistake of the reader and not of its author: ${String(defect)}`
      )

export const fileWarning = (file: string, rule: string, message: string): Problem => ({
  ...fileError(file, rule, message),
  severity: "warning"
})
