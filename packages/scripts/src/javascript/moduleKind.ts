/** Whether a file is an ES module or a CommonJS module, by the file alone. */
import type TS from "typescript"
import { ts } from "./compiler.js"
import { parse } from "./reading.js"

export type ModuleKind = "esm" | "commonjs"

/**
 * By its extension (`.mjs`, `.cjs`, `.mts`, `.cts`), or else by what it says: a file
 * that imports or exports is an ES module, and one that assigns to `exports` or
 * calls `require` is not. A file that does neither is an ES module.
 */
export const moduleKindOf = (file: string, text: string): ModuleKind => {
  const extension = /\.([mc])[jt]s$/i.exec(file)?.[1]?.toLowerCase()
  if (extension !== undefined) return extension === "m" ? "esm" : "commonjs"
  const language = /\.ts$/i.test(file) ? "typescript" : "javascript"
  return moduleKindOfSyntax(parse(text, language, ts.JSDocParsingMode.ParseNone))
}

export const moduleKindOfSyntax = (sourceFile: TS.SourceFile): ModuleKind => {
  const isExportAssigned = sourceFile.statements.some(
    (statement) =>
      (ts.isExportAssignment(statement) && statement.isExportEquals === true) ||
      (ts.isImportEqualsDeclaration(statement) && ts.isExternalModuleReference(statement.moduleReference))
  )
  if (isExportAssigned) return "commonjs"
  if (ts.isExternalModule(sourceFile)) return "esm"
  return usesCommonJs(sourceFile) ? "commonjs" : "esm"
}

/** Whether `exports`, `module.exports` or `require(…)` is used anywhere. */
const usesCommonJs = (node: TS.Node): boolean => {
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const owner = ts.isIdentifier(node.expression) ? node.expression.text : undefined
    if (owner === "exports") return true
    if (owner === "module" && ts.isPropertyAccessExpression(node) && node.name.text === "exports") return true
  }
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "require") return true
  return ts.forEachChild(node, (child) => usesCommonJs(child) || undefined) ?? false
}
