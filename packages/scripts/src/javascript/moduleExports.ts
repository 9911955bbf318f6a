/** What an ES module exports: only declarations of functions can be tools. */
import type ts from "typescript"
import { classOf, type Export, refuse, type Refused } from "./exported.js"
import { unwrap } from "./literals.js"
import type { Reading } from "./reading.js"

export const fromModule = (reading: Reading, statement: ts.Statement): ReadonlyArray<Export> => [
  ...fromDeclaration(reading, statement),
  ...fromExportList(reading, statement)
]

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
      ? [refuse("default", statement, "not-a-declaration", "a function without a name is not supported: name it")]
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

const functionExpression = (name: string, node: ts.Node, what: string): Refused =>
  refuse(name, node, "not-a-declaration", `${what} are not supported: write \`export function ${name}(…)\``)

const refusedVariable = (
  { typescript }: Reading,
  name: string,
  declaration: ts.VariableDeclaration
): Refused | undefined => {
  const value = declaration.initializer === undefined ? undefined : unwrap(typescript, declaration.initializer)
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
    return refuse(
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
  const value = unwrap(typescript, statement.expression)
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
          refuse(
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
