/** The names of functions that a module exports. */
import ts from "typescript"

const isFunction = (node: ts.Expression | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))

const isExported = (node: ts.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

const functionsOf = (node: ts.Statement): ReadonlyArray<string> => {
  if (!isExported(node)) return []
  if (ts.isFunctionDeclaration(node)) return node.name === undefined ? [] : [node.name.text]
  if (!ts.isVariableStatement(node)) return []
  return node.declarationList.declarations.flatMap(({ initializer, name }) =>
    ts.isIdentifier(name) && isFunction(initializer) ? [name.text] : []
  )
}

export const exportedFunctions = (file: ts.SourceFile): ReadonlyArray<string> => file.statements.flatMap(functionsOf)
