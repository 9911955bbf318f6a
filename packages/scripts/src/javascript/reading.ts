/** A TypeScript or JavaScript file that is being read, and what is found wrong in it. */
import type ts from "typescript"
import type { Place, Problem, Severity } from "@wield/core/Problem"
import type { Source } from "../syntax/Source.js"

/** The compiler's module, loaded when a file is read: importing it takes some 200 ms. */
export type TypeScript = typeof ts

export interface Reading {
  readonly typescript: TypeScript
  readonly source: Source
  readonly language: "typescript" | "javascript"
  readonly sourceFile: ts.SourceFile
  /** Added to while the file is read. */
  readonly problems: Array<Problem>
}

/** Where a node begins, without the comments before it. */
export const placeOf = ({ sourceFile }: Reading, node: ts.Node): Place =>
  placeAt(sourceFile, node.getStart(sourceFile, false))

export const placeAt = (sourceFile: ts.SourceFile, position: number): Place => {
  const { character, line } = sourceFile.getLineAndCharacterOfPosition(position)
  return { line: line + 1, column: character + 1 }
}

export const report = (
  reading: Reading,
  severity: Severity,
  rule: string,
  node: ts.Node | undefined,
  subject: string | undefined,
  message: string
): void => {
  const place = node === undefined ? undefined : placeOf(reading, node)
  const isKnown = reading.problems.some(
    (known) => known.message === message && known.place?.line === place?.line && known.place?.column === place?.column
  )
  if (!isKnown) {
    reading.problems.push({ severity, rule, message, file: reading.source.file, place, subject })
  }
}
