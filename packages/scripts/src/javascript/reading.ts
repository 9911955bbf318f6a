/** A TypeScript or JavaScript file that is being read. */
import type { Place } from "@wield/core/Problem"
import ts from "typescript"
import type { At, Report } from "../folder/problem.js"
import type { Source } from "../syntax/Source.js"
import type { Declarations } from "./declarations.js"

export interface Reading {
  readonly source: Source
  readonly language: "typescript" | "javascript"
  readonly sourceFile: ts.SourceFile
  readonly declarations: Declarations
  readonly report: Report
}

/** A syntax tree whose nodes know what they stand in. */
export const parse = (
  text: string,
  language: Reading["language"],
  jsDocParsingMode = ts.JSDocParsingMode.ParseAll
): ts.SourceFile =>
  ts.createSourceFile(
    language === "typescript" ? "script.ts" : "script.js",
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode },
    true
  )

/** Where a node begins, without the comments before it. */
export const placeOf = (node: ts.Node): Place => placeAt(node.getSourceFile(), node.getStart())

export const placeAt = (sourceFile: ts.SourceFile, position: number): Place => {
  const { character, line } = sourceFile.getLineAndCharacterOfPosition(position)
  return { line: line + 1, column: character + 1 }
}

/** Of what a problem at a node is. */
export const at = (node: ts.Node, subject: string): At => ({ place: placeOf(node), subject })
