/** What a file exports: its functions, and what looks like one and cannot be a tool. */
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { nameOf, unwrap } from "./literals.js"

export type FunctionNode = TS.FunctionDeclaration | TS.FunctionExpression | TS.ArrowFunction | TS.MethodDeclaration

export interface ExportedFunction {
  readonly kind: "function"
  readonly name: string
  readonly node: FunctionNode
  /** Where its documentation may stand: the first that has one counts. */
  readonly documented: ReadonlyArray<TS.Node>
  readonly isCommonJs: boolean
}

/** Something of a name that a tool could have, and why it is not a tool. */
export interface Refused {
  readonly kind: "refused"
  readonly name: string
  readonly node: TS.Node
  readonly rule: string
  readonly message: string
}

export type Export = ExportedFunction | Refused

/** In the order of the file; of each name the last one. */
export const exportsOf = (file: TS.SourceFile, language: "typescript" | "javascript"): ReadonlyArray<Export> => {
  const replaced = file.statements.findLastIndex((statement) => {
    const assignment = assignmentOf(statement)
    return assignment !== undefined && isModuleExports(assignment.left)
  })
  const found = file.statements.flatMap((statement, index) => [
    ...fromDeclaration(file, statement),
    ...fromExportList(file, statement),
    // After `module.exports = …` nothing counts that `exports` was given.
    ...(language === "javascript" && index >= replaced ? fromAssignment(file, statement, replaced >= 0) : [])
  ])
  return [...new Map(found.map((one) => [one.name, one])).values()]
}

const refuse = (name: string, node: TS.Node, rule: string, message: string): Refused => ({
  kind: "refused",
  name,
  node,
  rule,
  message
})

const classOf = (name: string, node: TS.Node): Refused =>
  refuse(name, node, "not-a-function", `${name} is a class, which cannot be called as a tool: write a function`)

const isExported = (node: TS.Statement): boolean =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** `export function run`, `export default function run`, `export const run = …`, `export class run`. */
const fromDeclaration = (file: TS.SourceFile, statement: TS.Statement): ReadonlyArray<Export> => {
  if (ts.isExportAssignment(statement)) return fromDefault(file, statement)
  if (!isExported(statement)) return []
  if (ts.isFunctionDeclaration(statement)) {
    const name = statement.name?.text
    return name === undefined
      ? [refuse("default", statement, "not-a-declaration", "a function without a name is not supported: name it")]
      : [functionOrOverloads(file, name, statement)]
  }
  if (ts.isClassDeclaration(statement) && statement.name !== undefined) {
    return [classOf(statement.name.text, statement)]
  }
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap((declaration) =>
    ts.isIdentifier(declaration.name)
      ? refuseExpression(declaration.name.text, declaration, declaration.initializer)
      : []
  )
}

/** Only declarations of functions can be tools of an ES module. */
const refuseExpression = (name: string, node: TS.Node, written: TS.Expression | undefined): ReadonlyArray<Refused> => {
  const value = written && unwrap(written)
  if (value === undefined || !(ts.isArrowFunction(value) || ts.isFunctionExpression(value))) return []
  const what = ts.isArrowFunction(value) ? "arrow functions" : "function expressions"
  const message = `${what} are not supported: write \`export function ${name}(…)\``
  return [refuse(name, node, "not-a-declaration", message)]
}

/** The model can be shown one signature, and which of several it should be is the author's to say. */
const functionOrOverloads = (file: TS.SourceFile, name: string, node: TS.FunctionDeclaration): Export => {
  const all = file.statements.filter(
    (other): other is TS.FunctionDeclaration => ts.isFunctionDeclaration(other) && other.name?.text === node.name?.text
  )
  const [first = node] = all
  if (all.every(({ body }) => body === undefined)) {
    return refuse(name, first, "no-body", `${name} is only declared, and has no body that could run: write one`)
  }
  if (all.some(({ body }) => body === undefined)) {
    const message = "overloads are not supported: write one signature, with unions for what may differ"
    return refuse(name, first, "overloads", message)
  }
  return { kind: "function", name, node, documented: [node], isCommonJs: false }
}

/** `export default run`, `export default () => …`. */
const fromDefault = (file: TS.SourceFile, statement: TS.ExportAssignment): ReadonlyArray<Export> => {
  const value = unwrap(statement.expression)
  return ts.isIdentifier(value)
    ? local(file, value.text, value.text, statement)
    : refuseExpression("default", statement, value)
}

/** `export { run }`, `export { search as run }`. */
const fromExportList = (file: TS.SourceFile, statement: TS.Statement): ReadonlyArray<Export> => {
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return []
  const { exportClause, moduleSpecifier } = statement
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return []
  return exportClause.elements.flatMap((element) => {
    if (element.isTypeOnly) return []
    const exported = element.name.text
    const own = element.propertyName?.text ?? exported
    // Under `default` it is still found by its own name.
    if (moduleSpecifier === undefined) return local(file, exported === "default" ? own : exported, own, element)
    const message = `${exported} is declared in another file, which is not read: declare the function here, and call the other one in it`
    return [refuse(exported, element, "re-export", message)]
  })
}

const local = (file: TS.SourceFile, name: string, own: string, exporting: TS.Node): ReadonlyArray<Export> => {
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === own) {
      const found = functionOrOverloads(file, name, statement)
      return [found.kind === "function" ? { ...found, documented: [statement, exporting] } : found]
    }
    if (ts.isClassDeclaration(statement) && statement.name?.text === own) return [classOf(name, statement)]
    const declaration = variableIn(statement, own)
    const refused = declaration === undefined ? [] : refuseExpression(name, declaration, declaration.initializer)
    if (refused.length > 0) return refused
  }
  return []
}

const variableIn = (statement: TS.Statement, name: string): TS.VariableDeclaration | undefined =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.find((one) => ts.isIdentifier(one.name) && one.name.text === name)
    : undefined

/** CommonJS: `exports.run = …`, `module.exports.run = …`, `module.exports = { run }`. Any function can be a tool. */
const fromAssignment = (file: TS.SourceFile, statement: TS.Statement, isReplaced: boolean): ReadonlyArray<Export> => {
  const expression = assignmentOf(statement)
  if (expression === undefined) return []
  const value = unwrap(expression.right)
  if (isModuleExports(expression.left)) {
    return ts.isObjectLiteralExpression(value) ? value.properties.flatMap((member) => fromMember(file, member)) : []
  }
  const name = exportedName(expression.left, isReplaced)
  return name === undefined ? [] : fromValue(file, name, value, [statement])
}

const assignmentOf = (statement: TS.Statement): TS.BinaryExpression | undefined => {
  const expression = ts.isExpressionStatement(statement) ? statement.expression : undefined
  if (expression === undefined || !ts.isBinaryExpression(expression)) return undefined
  return expression.operatorToken.kind === ts.SyntaxKind.EqualsToken ? expression : undefined
}

const fromMember = (file: TS.SourceFile, member: TS.ObjectLiteralElementLike): ReadonlyArray<Export> => {
  const name = member.name && Option.getOrUndefined(nameOf(member.name))
  if (name === undefined) return []
  if (ts.isMethodDeclaration(member)) {
    return [{ kind: "function", name, node: member, documented: [member], isCommonJs: true }]
  }
  if (ts.isPropertyAssignment(member)) return fromValue(file, name, unwrap(member.initializer), [member])
  return ts.isShorthandPropertyAssignment(member) ? fromValue(file, name, member.name, [member]) : []
}

const fromValue = (
  file: TS.SourceFile,
  name: string,
  value: TS.Expression,
  documented: ReadonlyArray<TS.Node>
): ReadonlyArray<Export> => {
  const found = (node: FunctionNode, ...more: ReadonlyArray<TS.Node>): ReadonlyArray<Export> => [
    { kind: "function", name, node, documented: [...more, ...documented], isCommonJs: true }
  ]
  if (ts.isFunctionExpression(value) || ts.isArrowFunction(value)) return found(value)
  if (ts.isClassExpression(value)) return [classOf(name, value)]
  if (!ts.isIdentifier(value)) return []
  for (const statement of file.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === value.text) return found(statement, statement)
    const written = variableIn(statement, value.text)?.initializer
    const initial = written && unwrap(written)
    if (initial !== undefined && (ts.isArrowFunction(initial) || ts.isFunctionExpression(initial))) {
      return found(initial, statement)
    }
  }
  return []
}

const isModuleExports = (node: TS.Expression): boolean =>
  ts.isPropertyAccessExpression(node) &&
  ts.isIdentifier(node.expression) &&
  node.expression.text === "module" &&
  node.name.text === "exports"

const exportedName = (node: TS.Expression, isReplaced: boolean): string | undefined => {
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return undefined
  const of = node.expression
  const isExports = ts.isIdentifier(of) && of.text === "exports" && !isReplaced
  if (!isModuleExports(of) && !isExports) return undefined
  if (ts.isPropertyAccessExpression(node)) return node.name.text
  return ts.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined
}
