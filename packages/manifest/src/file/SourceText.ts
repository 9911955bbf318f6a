/**
 * A text that was read as JSON or YAML: its value, and where in the text each
 * part of it stands.
 */
import type { Place } from "../ManifestEntry.js"
import type { Path } from "../Problem.js"

export interface SourceText {
  readonly file: string | undefined
  /** `undefined` where the text is broken: `faults` says how. */
  readonly value: unknown
  readonly faults: ReadonlyArray<SyntaxFault>
  /** The place of the value at a path, or of the nearest value around it that exists. */
  readonly at: (path: Path, offset?: number) => Place
  /** The place of the key that a path ends with. */
  readonly atKey: (path: Path) => Place
}

export interface SyntaxFault {
  readonly rule: "syntax" | "duplicate-key" | "nesting"
  readonly message: string
  readonly place: Place
}

/** How deep a manifest may nest: what reads it calls itself for each level. */
export const maxDepth = 200

export const tooDeep = (place: Place): SyntaxFault => ({
  rule: "nesting",
  message: `Values nest deeper than ${maxDepth} levels here; a manifest is read to that depth only`,
  place
})
