/** A TypeScript or JavaScript file that is being read. */
import type { Place } from "@wield/core/Problem"
import type TS from "typescript"
import { ts } from "./compiler.js"
import type { At, Report } from "../folder/problem.js"
import type { Source } from "../syntax/Source.js"

export interface Reading {
  readonly source: Source
  readonly language: "typescript" | "javascript"
  readonly sourceFile: TS.SourceFile
  readonly declarations: Declarations
  readonly report: Report
}

/** A syntax tree whose nodes know what they stand in. */
export const parse = (
  text: string,
  language: Reading["language"],
  jsDocParsingMode = ts.JSDocParsingMode.ParseAll
): TS.SourceFile =>
  ts.createSourceFile(
    language === "typescript" ? "script.ts" : "script.js",
    text,
    { languageVersion: ts.ScriptTarget.Latest, jsDocParsingMode },
    true
  )

/** Where a node begins, without the comments before it. */
export const placeOf = (node: TS.Node): Place => placeAt(node.getSourceFile(), node.getStart())

export const placeAt = (sourceFile: TS.SourceFile, position: number): Place => {
  const { character, line } = sourceFile.getLineAndCharacterOfPosition(position)
  return { line: line + 1, column: character + 1 }
}

/** Of what a problem at a node is. */
export const at = (node: TS.Node, subject: string): At => ({ place: placeOf(node), subject })

export type Declaration =
  /** Of one name there may be several: they add up. */
  | { readonly kind: "interface"; readonly nodes: ReadonlyArray<TS.InterfaceDeclaration> }
  | { readonly kind: "enum"; readonly nodes: ReadonlyArray<TS.EnumDeclaration> }
  | { readonly kind: "alias"; readonly node: TS.TypeAliasDeclaration }
  | { readonly kind: "typedef"; readonly node: TS.JSDocTypedefTag }
  | { readonly kind: "class"; readonly node: TS.ClassDeclaration }
  | { readonly kind: "import"; readonly from: string }

export type Declarations = ReturnType<typeof declarationsOf>

export const declarationsOf = (sourceFile: TS.SourceFile) => {
  const types = new Map<string, Declaration>()
  /** `const` only: what may change has no known value. */
  const constants = new Map<string, TS.VariableDeclaration>()
  for (const statement of sourceFile.statements) {
    if (ts.isInterfaceDeclaration(statement)) {
      const known = types.get(statement.name.text)
      const nodes = known?.kind === "interface" ? known.nodes : []
      types.set(statement.name.text, { kind: "interface", nodes: [...nodes, statement] })
    } else if (ts.isEnumDeclaration(statement)) {
      const known = types.get(statement.name.text)
      const nodes = known?.kind === "enum" ? known.nodes : []
      types.set(statement.name.text, { kind: "enum", nodes: [...nodes, statement] })
    } else if (ts.isTypeAliasDeclaration(statement)) {
      types.set(statement.name.text, { kind: "alias", node: statement })
    } else if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
      types.set(statement.name.text, { kind: "class", node: statement })
    } else if (ts.isImportDeclaration(statement)) {
      const from = statement.moduleSpecifier.getText().slice(1, -1)
      for (const name of importedNames(statement)) types.set(name, { kind: "import", from })
    } else if (ts.isVariableStatement(statement)) {
      if ((statement.declarationList.flags & ts.NodeFlags.Const) === 0) continue
      for (const declaration of statement.declarationList.declarations) {
        if (ts.isIdentifier(declaration.name)) constants.set(declaration.name.text, declaration)
      }
    }
  }
  for (const node of typedefs(sourceFile)) {
    const name = node.name?.text
    if (name !== undefined && !types.has(name)) types.set(name, { kind: "typedef", node })
  }
  return { types, constants }
}

const importedNames = ({ importClause }: TS.ImportDeclaration): ReadonlyArray<string> => {
  const { name, namedBindings } = importClause ?? {}
  const several = namedBindings !== undefined && ts.isNamedImports(namedBindings)
  const named = several ? namedBindings.elements.map((element) => element.name) : [namedBindings?.name]
  return [name, ...named].flatMap((one) => one?.text ?? [])
}

/** In JavaScript they may stand in any comment before a statement, and in one after the last. */
const typedefs = ({ endOfFileToken, statements }: TS.SourceFile): ReadonlyArray<TS.JSDocTypedefTag> =>
  [...statements, endOfFileToken]
    .flatMap((node) => node.getChildren().filter(ts.isJSDoc))
    .flatMap(({ tags }) => tags ?? [])
    .filter(ts.isJSDocTypedefTag)
