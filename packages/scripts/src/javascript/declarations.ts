/** What a file declares that a type or a default may name. */
import type ts from "typescript"
import type { Reading } from "./reading.js"

export type Declaration =
  /** Of one name there may be several: they add up. */
  | { readonly kind: "interface"; readonly nodes: ReadonlyArray<ts.InterfaceDeclaration> }
  | { readonly kind: "enum"; readonly nodes: ReadonlyArray<ts.EnumDeclaration> }
  | { readonly kind: "alias"; readonly node: ts.TypeAliasDeclaration }
  | { readonly kind: "typedef"; readonly node: ts.JSDocTypedefTag }
  | { readonly kind: "class"; readonly node: ts.ClassDeclaration }
  | { readonly kind: "import"; readonly from: string }

export interface Declarations {
  readonly types: ReadonlyMap<string, Declaration>
  /** `const` only: what may change has no known value. */
  readonly constants: ReadonlyMap<string, ts.VariableDeclaration>
}

export const declarationsOf = (reading: Reading): Declarations => {
  const { sourceFile, typescript } = reading
  const types = new Map<string, Declaration>()
  const constants = new Map<string, ts.VariableDeclaration>()
  for (const statement of sourceFile.statements) {
    if (typescript.isInterfaceDeclaration(statement)) {
      const known = types.get(statement.name.text)
      const nodes = known?.kind === "interface" ? known.nodes : []
      types.set(statement.name.text, { kind: "interface", nodes: [...nodes, statement] })
    } else if (typescript.isEnumDeclaration(statement)) {
      const known = types.get(statement.name.text)
      const nodes = known?.kind === "enum" ? known.nodes : []
      types.set(statement.name.text, { kind: "enum", nodes: [...nodes, statement] })
    } else if (typescript.isTypeAliasDeclaration(statement)) {
      types.set(statement.name.text, { kind: "alias", node: statement })
    } else if (typescript.isClassDeclaration(statement) && statement.name !== undefined) {
      types.set(statement.name.text, { kind: "class", node: statement })
    } else if (typescript.isImportDeclaration(statement)) {
      for (const name of importedNames(reading, statement)) {
        types.set(name, { kind: "import", from: statement.moduleSpecifier.getText(sourceFile).slice(1, -1) })
      }
    } else if (typescript.isVariableStatement(statement)) {
      if ((statement.declarationList.flags & typescript.NodeFlags.Const) === 0) continue
      for (const declaration of statement.declarationList.declarations) {
        if (typescript.isIdentifier(declaration.name)) constants.set(declaration.name.text, declaration)
      }
    }
  }
  for (const [name, node] of typedefs(reading)) {
    if (!types.has(name)) types.set(name, { kind: "typedef", node })
  }
  return { types, constants }
}

const importedNames = ({ typescript }: Reading, { importClause }: ts.ImportDeclaration): ReadonlyArray<string> => {
  if (importClause === undefined) return []
  const { name, namedBindings } = importClause
  return [
    ...(name === undefined ? [] : [name.text]),
    ...(namedBindings === undefined
      ? []
      : typescript.isNamespaceImport(namedBindings)
        ? [namedBindings.name.text]
        : namedBindings.elements.map((element) => element.name.text))
  ]
}

/** In JavaScript they may stand in any comment before a statement, and in one after the last. */
const typedefs = ({ sourceFile, typescript }: Reading): ReadonlyArray<readonly [string, ts.JSDocTypedefTag]> =>
  [...sourceFile.statements, sourceFile.endOfFileToken]
    .flatMap((node) => node.getChildren(sourceFile).filter(typescript.isJSDoc))
    .flatMap(({ tags }) => tags ?? [])
    .filter(typescript.isJSDocTypedefTag)
    .flatMap((tag) => (tag.name === undefined ? [] : [[tag.name.text, tag] as const]))
