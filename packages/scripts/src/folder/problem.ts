/** Problems of files as a whole. */
import { report, type Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import { extensions, nameOf } from "./languages.js"

export const fileError = (file: string, rule: string, message: string): Problem => ({
  severity: "error",
  rule,
  message,
  file,
  place: undefined,
  subject: undefined
})

export const fileWarning = (file: string, rule: string, message: string): Problem => ({
  ...fileError(file, rule, message),
  severity: "warning"
})

export const unsupportedExtension = (file: string): Problem =>
  fileError(
    file,
    "unsupported-extension",
    `Unsupported tool file extension: ${JSON.stringify(nameOf(file))} ends in none of ${extensions.join(", ")}`
  )

/**
 * A file whose reading broke off. Parsers call themselves for each level and
 * have no limit of their own. What they cannot finish is a problem of this file
 * only, and the other files of its folder are read.
 */
export const unfinishedProblem = (file: string, defect: unknown): Problem =>
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

/** For the person who runs the program. A missing tool is no error of the program. */
export const logProblems = (problems: ReadonlyArray<Problem>): Effect.Effect<void> =>
  Effect.forEach(problems, (problem) => Effect.logWarning(report(problem)), { discard: true })
