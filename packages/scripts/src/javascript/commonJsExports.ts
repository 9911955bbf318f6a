/** What a CommonJS module exports: any function that is assigned to a name of `exports`. */
import * as Option from "effect/Option"
import type ts from "typescript"
import { classOf, type Export, type FunctionNode } from "./exported.js"
import { nameOf, unwrap } from "./literals.js"
import type { Reading } from "./reading.js"

/** CommonJS: `exports.run = …`, `module.exports.run = …`, `module.exports = { run }`. */
export const fromAssignment = (
  reading: Reading,
  statement: ts.Statement,
  isReplaced: boolean
): ReadonlyArray<Export> => {
  const { typescript } = reading
  const expression = assignmentOf(reading, statement)
  if (expression === undefined) return []
  const value = unwrap(typescript, expression.right)
  if (isModuleExports(reading, expression.left)) {
    return typescript.isObjectLiteralExpression(value)
      ? value.properties.flatMap((property) => fromMember(reading, property))
      : []
  }
  const name = exportedName(reading, expression.left, isReplaced)
  return name === undefined ? [] : assigned(reading, name, value, [statement])
}

const assignmentOf = ({ typescript }: Reading, statement: ts.Statement): ts.BinaryExpression | undefined => {
  if (!typescript.isExpressionStatement(statement)) return undefined
  const { expression } = statement
  return typescript.isBinaryExpression(expression) &&
    expression.operatorToken.kind === typescript.SyntaxKind.EqualsToken
    ? expression
    : undefined
}

/** After `module.exports = …` nothing counts that `exports` was given. */
export const replacesExports = (reading: Reading, statement: ts.Statement): boolean => {
  const assignment = assignmentOf(reading, statement)
  return assignment !== undefined && isModuleExports(reading, assignment.left)
}

const fromMember = (reading: Reading, member: ts.ObjectLiteralElementLike): ReadonlyArray<Export> => {
  const { typescript } = reading
  const name = member.name === undefined ? Option.none() : nameOf(typescript, member.name)
  if (Option.isNone(name)) return []
  if (typescript.isMethodDeclaration(member)) {
    return [{ kind: "function", name: name.value, node: member, documented: [member], isCommonJs: true }]
  }
  if (typescript.isPropertyAssignment(member)) {
    return assigned(reading, name.value, unwrap(typescript, member.initializer), [member])
  }
  return typescript.isShorthandPropertyAssignment(member) ? assigned(reading, name.value, member.name, [member]) : []
}

const assigned = (
  reading: Reading,
  name: string,
  value: ts.Expression,
  documented: ReadonlyArray<ts.Node>
): ReadonlyArray<Export> => {
  const { sourceFile, typescript } = reading
  const found = (node: FunctionNode, more: ReadonlyArray<ts.Node> = []): ReadonlyArray<Export> => [
    { kind: "function", name, node, documented: [...more, ...documented], isCommonJs: true }
  ]
  if (typescript.isFunctionExpression(value) || typescript.isArrowFunction(value)) return found(value)
  if (typescript.isClassExpression(value)) return [classOf(name, value)]
  if (!typescript.isIdentifier(value)) return []
  for (const statement of sourceFile.statements) {
    if (typescript.isFunctionDeclaration(statement) && statement.name?.text === value.text) {
      return found(statement, [statement])
    }
    if (!typescript.isVariableStatement(statement)) continue
    for (const declaration of statement.declarationList.declarations) {
      if (!typescript.isIdentifier(declaration.name) || declaration.name.text !== value.text) continue
      const initial = declaration.initializer === undefined ? undefined : unwrap(typescript, declaration.initializer)
      if (initial !== undefined && (typescript.isArrowFunction(initial) || typescript.isFunctionExpression(initial))) {
        return found(initial, [statement])
      }
    }
  }
  return []
}

const isModuleExports = ({ typescript }: Reading, node: ts.Expression): boolean =>
  typescript.isPropertyAccessExpression(node) &&
  typescript.isIdentifier(node.expression) &&
  node.expression.text === "module" &&
  node.name.text === "exports"

const exportedName = (reading: Reading, node: ts.Expression, isReplaced: boolean): string | undefined => {
  const { typescript } = reading
  const isMember = typescript.isPropertyAccessExpression(node) || typescript.isElementAccessExpression(node)
  if (!isMember) return undefined
  const of = node.expression
  const isExports = typescript.isIdentifier(of) && of.text === "exports" && !isReplaced
  if (!isModuleExports(reading, of) && !isExports) return undefined
  if (typescript.isPropertyAccessExpression(node)) return node.name.text
  return typescript.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined
}
