/** Collects what is wrong with one file. */
import type { Place, Problem } from "@wield/core/Problem"

/** Something that stands somewhere. */
interface Standing {
  readonly place: Place | undefined
}

export class Report {
  readonly problems: Array<Problem> = []

  constructor(readonly file: string) {}

  error(rule: string, message: string, at?: Standing, subject?: string): void {
    this.#add("error", rule, message, at, subject)
  }

  warning(rule: string, message: string, at?: Standing, subject?: string): void {
    this.#add("warning", rule, message, at, subject)
  }

  /** In the order of the file. */
  get inOrder(): ReadonlyArray<Problem> {
    return this.problems.toSorted(
      ({ place: left }, { place: right }) =>
        (left?.line ?? 0) - (right?.line ?? 0) || (left?.column ?? 0) - (right?.column ?? 0)
    )
  }

  #add(severity: Problem["severity"], rule: string, message: string, at: Standing | undefined, subject?: string): void {
    this.problems.push({ severity, rule, message, file: this.file, place: at?.place, subject })
  }
}
