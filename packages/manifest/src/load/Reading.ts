/**
 * One text on its way to entries, and what was found wrong with it so far.
 */
import type * as Schema from "effect/Schema"
import { decode } from "../file/decode.js"
import type { SourceText } from "../file/read.js"
import type { Source } from "../ManifestEntry.js"
import type { Path, Problem, Severity } from "../Problem.js"

export class Reading {
  readonly problems: Array<Problem> = []

  constructor(readonly source: SourceText) {
    for (const { message, place, rule } of source.faults) {
      this.problems.push({
        severity: "error",
        rule,
        message,
        tool: undefined,
        path: [],
        place: { file: source.file, ...place }
      })
    }
  }

  /** A part of the text by its schema; what is wrong is reported. */
  decoded<A, I>(schema: Schema.Schema<A, I>, value: unknown, path: Path, tool?: string): A | undefined {
    const { faults, value: result } = decode(schema, value)
    for (const { isOfKey, message, path: inner, rule, severity } of faults) {
      const whole = [...path, ...inner]
      const place = isOfKey ? this.source.atKey(whole) : this.source.at(whole)
      this.problems.push({ severity, rule, message, tool, path: whole, place })
    }
    return result
  }

  report(severity: Severity, rule: string, message: string, path: Path): void {
    this.problems.push({ severity, rule, message, tool: undefined, path, place: this.source.at(path) })
  }

  sourceOf(path: Path): Source {
    const { source } = this
    return { file: source.file, path, at: (inner, offset) => source.at([...path, ...inner], offset) }
  }
}
