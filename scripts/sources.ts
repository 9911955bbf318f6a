/** The sources of the packages, without tests, and what they import and export. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { isParticiple } from "./participles.js"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

export interface Source {
  readonly path: string
  readonly lines: number
  /** The files that it imports, types left out. */
  readonly imports: ReadonlyArray<string>
  /** Of its exported functions, those that are named by a participle. */
  readonly participles: ReadonlyArray<string>
}

const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !/\.(test|test-d)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))

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

const isTypeOnly = (node: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly
  const clause = node.importClause
  if (clause === undefined) return false
  const bindings = clause.namedBindings
  if (clause.isTypeOnly) return true
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.length > 0 &&
    bindings.elements.every((element) => element.isTypeOnly)
  )
}

const read = (path: string): Source => {
  const text = readFileSync(path, "utf8")
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest)
  const imports = file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const { moduleSpecifier } = node
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return []
    if (!moduleSpecifier.text.startsWith(".") || isTypeOnly(node)) return []
    return [resolve(dirname(path), moduleSpecifier.text.replace(/\.js$/, ".ts"))]
  })
  const participles = file.statements.flatMap(functionsOf).filter(isParticiple)
  return { path, lines: text.split("\n").length - 1, imports, participles }
}

/** The modules of each package, by the package's name. */
export const readSources = (): ReadonlyMap<string, ReadonlyArray<Source>> =>
  new Map(
    readdirSync(join(root, "packages"))
      .toSorted()
      .map((name) => [name, filesOf(join(root, "packages", name, "src")).map(read)])
  )
