/** What a file declares that a type or a default may name. */
import ts from "typescript"

export type Declaration =
  /** Of one name there may be several: they add up. */
  | { readonly kind: "interface"; readonly nodes: ReadonlyArray<ts.InterfaceDeclaration> }
  | { readonly kind: "enum"; readonly nodes: ReadonlyArray<ts.EnumDeclaration> }
  | { readonly kind: "alias"; readonly node: ts.TypeAliasDeclaration }
  | { readonly kind: "typedef"; readonly node: ts.JSDocTypedefTag }
  | { readonly kind: "class"; readonly node: ts.ClassDeclaration }
  | { readonly kind: "import"; readonly from: string }

export type Declarations = ReturnType<typeof declarationsOf>

export const declarationsOf = (sourceFile: ts.SourceFile) => {
  const types = new Map<string, Declaration>()
  /** `const` only: what may change has no known value. */
  const constants = new Map<string, ts.VariableDeclaration>()
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

const importedNames = ({ importClause }: ts.ImportDeclaration): ReadonlyArray<string> => {
  const { name, namedBindings } = importClause ?? {}
  const several = namedBindings !== undefined && ts.isNamedImports(namedBindings)
  const named = several ? namedBindings.elements.map((element) => element.name) : [namedBindings?.name]
  return [name, ...named].flatMap((one) => one?.text ?? [])
}

/** In JavaScript they may stand in any comment before a statement, and in one after the last. */
const typedefs = ({ endOfFileToken, statements }: ts.SourceFile): ReadonlyArray<ts.JSDocTypedefTag> =>
  [...statements, endOfFileToken]
    .flatMap((node) => node.getChildren().filter(ts.isJSDoc))
    .flatMap(({ tags }) => tags ?? [])
    .filter(ts.isJSDocTypedefTag)
