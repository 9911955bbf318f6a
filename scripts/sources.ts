/** The sources of the packages, without tests: what they import and export, and what is long or unproved in them. */
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
  /** The same with those of which it imports types only. */
  readonly allImports: ReadonlyArray<string>
  /** The functions that stand in the file itself, and not in another function. */
  readonly functions: ReadonlyArray<string>
  /** The functions of more than 150 lines, wherever they stand: the line of each and how long it is. */
  readonly longFunctions: ReadonlyArray<{ readonly line: number; readonly lines: number }>
  /** The lines of the casts that no comment proves, `as const` left out. */
  readonly unprovedCasts: ReadonlyArray<number>
  readonly casts: number
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

const isConst = (type: ts.TypeNode): boolean =>
  ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName) && type.typeName.text === "const"

const isComment = (line: string | undefined): boolean => line !== undefined && /^\s*([?:] )?(\/\/|\/?\*)/.test(line)

/** Whether a comment stands on a line of the cast, above it, or above a member or the statement that it stands in. */
const isProved = (node: ts.AsExpression, file: ts.SourceFile, lines: ReadonlyArray<string>): boolean => {
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line
  const first = lineOf(node.getStart(file))
  const last = lineOf(node.end)
  if (isComment(lines[first - 1]) || isComment(lines[last - 1])) return true
  if (lines.slice(first, last + 1).some((line) => /\s\/[/*]/.test(line))) return true
  for (let around: ts.Node = node; ; around = around.parent) {
    const isWhole = ts.isStatement(around) || ts.isClassElement(around)
    if (!isWhole && !ts.isObjectLiteralElement(around)) continue
    if (isComment(lines[lineOf(around.getStart(file)) - 1])) return true
    if (isWhole) return false
  }
}

const read = (path: string): Source => {
  const text = readFileSync(path, "utf8")
  const lines = text.split("\n")
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const imported = file.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) return []
    const { moduleSpecifier } = node
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return []
    if (!moduleSpecifier.text.startsWith(".")) return []
    return [{ path: resolve(dirname(path), moduleSpecifier.text.replace(/\.js$/, ".ts")), isType: isTypeOnly(node) }]
  })
  const longFunctions: Array<{ readonly line: number; readonly lines: number }> = []
  const unprovedCasts: Array<number> = []
  let casts = 0
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
      const length = file.getLineAndCharacterOfPosition(node.end).line - line + 1
      if (length > 150) longFunctions.push({ line: line + 1, lines: length })
    }
    if (ts.isAsExpression(node) && !isConst(node.type)) {
      casts += 1
      if (!isProved(node, file, lines))
        unprovedCasts.push(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return {
    path,
    lines: lines.length - 1,
    imports: imported.filter(({ isType }) => !isType).map((one) => one.path),
    allImports: imported.map((one) => one.path),
    functions: file.statements.flatMap(functionsOf),
    participles: file.statements.filter(isExported).flatMap(functionsOf).filter(isParticiple),
    longFunctions,
    unprovedCasts,
    casts
  }
}

/** The modules of each package, by the package's name. */
export const readSources = (): ReadonlyMap<string, ReadonlyArray<Source>> =>
  new Map(
    readdirSync(join(root, "packages"))
      .toSorted()
      .map((name) => [name, filesOf(join(root, "packages", name, "src")).map(read)])
  )
