/** The functions that a file exports, and exports that look like one and cannot be a tool. */
import type ts from "typescript"
import * as Option from "effect/Option"
import { nameOf, unwrapped } from "./literals.js"
import type { Reading } from "./reading.js"

export type FunctionNode = ts.FunctionDeclaration | ts.FunctionExpression | ts.ArrowFunction | ts.MethodDeclaration

export interface ExportedFunction {
  readonly kind: "function"
  readonly name: string
  readonly node: FunctionNode
  /** Where its documentation may stand: the first that has one counts. */
  readonly documented: ReadonlyArray<ts.Node>
  readonly isCommonJs: boolean
}

/** Something of a name that a tool could have, and why it is none. */
export interface Refused {
  readonly kind: "refused"
  readonly name: string
  readonly node: ts.Node
  readonly rule: string
  readonly message: string
}

export type Export = ExportedFunction | Refused

/** In the order of the file; of each name the last one. */
export const exportsOf = (reading: Reading): ReadonlyArray<Export> => {
  const { sourceFile } = reading
  const found = sourceFile.statements.flatMap((statement) => [
    ...fromDeclaration(reading, statement),
    ...fromExportList(reading, statement),
    ...(reading.language === "javascript" ? fromAssignment(reading, statement) : [])
  ])
  return [...new Map(found.map((one) => [one.name, one])).values()]
}

const refused = (name: string, node: ts.Node, rule: string, message: string): Refused => ({
  kind: "refused",
  name,
  node,
  rule,
  message
})

const functionExpression = (name: string, node: ts.Node, what: string): Refused =>
  refused(name, node, "not-a-declaration", `${what} are not supported: write \`export function ${name}(…)\``)

const isExported = ({ typescript }: Reading, node: ts.Statement): boolean =>
  typescript.canHaveModifiers(node) &&
  (typescript.getModifiers(node) ?? []).some(({ kind }) => kind === typescript.SyntaxKind.ExportKeyword)

/** `export function run`, `export default function run`, `export const run = …`, `export class run`. */
const fromDeclaration = (reading: Reading, statement: ts.Statement): ReadonlyArray<Export> => {
  const { typescript } = reading
  if (typescript.isExportAssignment(statement)) return fromDefault(reading, statement)
  if (!isExported(reading, statement)) return []
  if (typescript.isFunctionDeclaration(statement)) {
    const name = statement.name?.text
    return name === undefined
      ? [refused("default", statement, "not-a-declaration", "a function without a name is not supported: name it")]
      : [functionOrOverloads(reading, name, statement)]
  }
  if (typescript.isClassDeclaration(statement) && statement.name !== undefined) {
    return [classOf(statement.name.text, statement)]
  }
  if (!typescript.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.flatMap((declaration) => {
    const name = typescript.isIdentifier(declaration.name) ? declaration.name.text : undefined
    const refusal = name === undefined ? undefined : refusedVariable(reading, name, declaration)
    return refusal === undefined ? [] : [refusal]
  })
}

const classOf = (name: string, node: ts.Node): Refused =>
  refused(name, node, "not-a-function", `${name} is a class, which cannot be called as a tool: write a function`)

const refusedVariable = (
  { typescript }: Reading,
  name: string,
  declaration: ts.VariableDeclaration
): Refused | undefined => {
  const value = declaration.initializer === undefined ? undefined : unwrapped(typescript, declaration.initializer)
  if (value === undefined) return undefined
  if (typescript.isArrowFunction(value)) return functionExpression(name, declaration, "arrow functions")
  return typescript.isFunctionExpression(value)
    ? functionExpression(name, declaration, "function expressions")
    : undefined
}

/** The model can be shown one signature, and which of several it should be is the author's to say. */
const functionOrOverloads = (reading: Reading, name: string, node: ts.FunctionDeclaration): Export => {
  const { sourceFile, typescript } = reading
  const all = sourceFile.statements.filter(
    (other): other is ts.FunctionDeclaration =>
      typescript.isFunctionDeclaration(other) && other.name?.text === node.name?.text
  )
  const [first] = all
  if (first !== undefined && all.some(({ body }) => body === undefined)) {
    const isDeclared = all.every(({ body }) => body === undefined)
    return refused(
      name,
      first,
      isDeclared ? "no-body" : "overloads",
      isDeclared
        ? `${name} is only declared, and has no body that could run: write one`
        : "overloads are not supported: write one signature, with unions for what may differ"
    )
  }
  return { kind: "function", name, node, documented: [node], isCommonJs: false }
}

/** `export default run`, `export default () => …`. */
const fromDefault = (reading: Reading, statement: ts.ExportAssignment): ReadonlyArray<Export> => {
  const { typescript } = reading
  const value = unwrapped(typescript, statement.expression)
  if (typescript.isIdentifier(value)) return local(reading, value.text, value.text, statement)
  if (typescript.isArrowFunction(value)) return [functionExpression("default", statement, "arrow functions")]
  return typescript.isFunctionExpression(value)
    ? [functionExpression("default", statement, "function expressions")]
    : []
}

/** `export { run }`, `export { search as run }`. */
const fromExportList = (reading: Reading, statement: ts.Statement): ReadonlyArray<Export> => {
  const { typescript } = reading
  if (!typescript.isExportDeclaration(statement) || statement.isTypeOnly) return []
  const { exportClause, moduleSpecifier } = statement
  if (exportClause === undefined || !typescript.isNamedExports(exportClause)) return []
  return exportClause.elements.flatMap((element) => {
    if (element.isTypeOnly) return []
    const exported = element.name.text
    const own = element.propertyName?.text ?? exported
    return moduleSpecifier === undefined
      ? // Under `default` it is still found by its own name.
        local(reading, exported === "default" ? own : exported, own, element)
      : [
          refused(
            exported,
            element,
            "re-export",
            `${exported} is declared in another file, which is not read: declare the function here, and call the other one in it`
          )
        ]
  })
}

/** What a name of the file stands for. */
const local = (reading: Reading, name: string, own: string, exporting: ts.Node): ReadonlyArray<Export> => {
  const { sourceFile, typescript } = reading
  for (const statement of sourceFile.statements) {
    if (typescript.isFunctionDeclaration(statement) && statement.name?.text === own) {
      const found = functionOrOverloads(reading, name, statement)
      return [found.kind === "function" ? { ...found, documented: [statement, exporting] } : found]
    }
    if (typescript.isClassDeclaration(statement) && statement.name?.text === own) return [classOf(name, statement)]
    if (!typescript.isVariableStatement(statement)) continue
    const declaration = statement.declarationList.declarations.find(
      (candidate) => typescript.isIdentifier(candidate.name) && candidate.name.text === own
    )
    const refusal = declaration === undefined ? undefined : refusedVariable(reading, name, declaration)
    if (refusal !== undefined) return [refusal]
  }
  return []
}

/** CommonJS: `exports.run = …`, `module.exports.run = …`, `module.exports = { run }`. */
const fromAssignment = (reading: Reading, statement: ts.Statement): ReadonlyArray<Export> => {
  const { typescript } = reading
  if (!typescript.isExpressionStatement(statement)) return []
  const { expression } = statement
  if (!typescript.isBinaryExpression(expression)) return []
  if (expression.operatorToken.kind !== typescript.SyntaxKind.EqualsToken) return []
  const value = unwrapped(typescript, expression.right)
  if (isModuleExports(reading, expression.left)) {
    return typescript.isObjectLiteralExpression(value)
      ? value.properties.flatMap((property) => fromMember(reading, property))
      : []
  }
  const name = exportedName(reading, expression.left)
  return name === undefined ? [] : assigned(reading, name, value, [statement])
}

const fromMember = (reading: Reading, member: ts.ObjectLiteralElementLike): ReadonlyArray<Export> => {
  const { typescript } = reading
  const name = member.name === undefined ? Option.none() : nameOf(typescript, member.name)
  if (Option.isNone(name)) return []
  if (typescript.isMethodDeclaration(member)) {
    return [{ kind: "function", name: name.value, node: member, documented: [member], isCommonJs: true }]
  }
  if (typescript.isPropertyAssignment(member)) {
    return assigned(reading, name.value, unwrapped(typescript, member.initializer), [member])
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
      const initial = declaration.initializer === undefined ? undefined : unwrapped(typescript, declaration.initializer)
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

const exportedName = (reading: Reading, node: ts.Expression): string | undefined => {
  const { typescript } = reading
  const isMember = typescript.isPropertyAccessExpression(node) || typescript.isElementAccessExpression(node)
  if (!isMember) return undefined
  const of = node.expression
  if (!isModuleExports(reading, of) && !(typescript.isIdentifier(of) && of.text === "exports")) return undefined
  if (typescript.isPropertyAccessExpression(node)) return node.name.text
  return typescript.isStringLiteralLike(node.argumentExpression) ? node.argumentExpression.text : undefined
}
