/** Problems of files. */
import { isError, report, type Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import { extensions, nameOf } from "./languages.js"

/** Where in a file, and of what; of the file as a whole where absent. */
export type At = Partial<Pick<Problem, "place" | "subject">>

export const fileError = (file: string, rule: string, message: string, { place, subject }: At = {}): Problem => ({
  severity: "error",
  rule,
  message,
  file,
  place,
  subject
})

export const fileWarning = (file: string, rule: string, message: string, at?: At): Problem => ({
  ...fileError(file, rule, message, at),
  severity: "warning"
})

/** Collects what is wrong with one file: each problem once, however many of its functions meet it. */
export class Report {
  readonly problems: Array<Problem> = []

  constructor(readonly file: string) {}

  error(rule: string, message: string, at?: At, subject = at?.subject): undefined {
    this.add(fileError(this.file, rule, message, { place: at?.place, subject }))
  }

  warning(rule: string, message: string, at?: At, subject = at?.subject): undefined {
    this.add(fileWarning(this.file, rule, message, { place: at?.place, subject }))
  }

  add(...problems: ReadonlyArray<Problem>): void {
    for (const one of problems) if (!this.problems.some((other) => isSame(one, other))) this.problems.push(one)
  }

  get errorCount(): number {
    return this.problems.filter(isError).length
  }

  get hasError(): boolean {
    return this.errorCount > 0
  }

  /** In the order of the file. */
  get inOrder(): ReadonlyArray<Problem> {
    return this.problems.toSorted(
      ({ place: left }, { place: right }) =>
        (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0)
    )
  }
}

const isSame = (one: Problem, other: Problem): boolean =>
  one.message === other.message && one.place?.line === other.place?.line && one.place?.column === other.place?.column

export const unsupportedExtension = (file: string): Problem => {
  const name = JSON.stringify(nameOf(file))
  const message = `Unsupported tool file extension: ${name} ends in none of ${extensions.join(", ")}`
  return fileError(file, "unsupported-extension", message)
}

/**
 * A file whose reading broke off. Parsers call themselves for each level and
 * have no limit of their own. What they cannot finish is a problem of this file
 * only, and the other files of its folder are read.
 */
export const unfinishedProblem = (file: string, defect: unknown): Problem => {
  const isTooComplex = defect instanceof RangeError
  const why = isTooComplex
    ? "something in it nests deeper, or grows larger, than can be followed; make it flatter or smaller"
    : `through a mistake of the reader and not of its author: ${String(defect)}`
  const comma = isTooComplex ? ":" : ","
  return fileError(file, isTooComplex ? "too-complex" : "unreadable", `The file cannot be read${comma} ${why}`)
}

/** For the person who runs the program. A missing tool is no error of the program. */
export const logProblems = (problems: ReadonlyArray<Problem>): Effect.Effect<void> =>
  Effect.forEach(problems, (problem) => Effect.logWarning(report(problem)), { discard: true })
