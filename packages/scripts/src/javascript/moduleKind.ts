/** Whether a file is an ES module or a CommonJS module, by the file alone. */
import type ts from "typescript"
import type { TypeScript } from "./reading.js"

export type ModuleKind = "esm" | "commonjs"

/**
 * By its extension (`.mjs`, `.cjs`, `.mts`, `.cts`), or else by what it says: a file
 * that imports or exports is an ES module, and one that assigns to `exports` or
 * calls `require` is not. A file that does neither is an ES module.
 */
export const moduleKindOf = (typescript: TypeScript, file: string, text: string): ModuleKind => {
  const extension = /\.([mc])[jt]s$/i.exec(file)?.[1]?.toLowerCase()
  if (extension !== undefined) return extension === "m" ? "esm" : "commonjs"
  const isTypeScript = /\.ts$/i.test(file)
  const sourceFile = typescript.createSourceFile(
    isTypeScript ? "script.ts" : "script.js",
    text,
    { languageVersion: typescript.ScriptTarget.Latest, jsDocParsingMode: typescript.JSDocParsingMode.ParseNone },
    true,
    isTypeScript ? typescript.ScriptKind.TS : typescript.ScriptKind.JS
  )
  return moduleKindOfSyntax(typescript, sourceFile)
}

export const moduleKindOfSyntax = (typescript: TypeScript, sourceFile: ts.SourceFile): ModuleKind => {
  const isExportAssigned = sourceFile.statements.some(
    (statement) =>
      (typescript.isExportAssignment(statement) && statement.isExportEquals === true) ||
      (typescript.isImportEqualsDeclaration(statement) &&
        typescript.isExternalModuleReference(statement.moduleReference))
  )
  if (isExportAssigned) return "commonjs"
  if (typescript.isExternalModule(sourceFile)) return "esm"
  return usesCommonJs(typescript, sourceFile) ? "commonjs" : "esm"
}

/** Whether `exports`, `module.exports` or `require(…)` is used anywhere. */
const usesCommonJs = (typescript: TypeScript, node: ts.Node): boolean => {
  if (typescript.isPropertyAccessExpression(node) || typescript.isElementAccessExpression(node)) {
    if (typescript.isIdentifier(node.expression)) {
      if (node.expression.text === "exports") return true
      if (node.expression.text === "module" && typescript.isPropertyAccessExpression(node)) {
        if (node.name.text === "exports") return true
      }
    }
  }
  if (typescript.isCallExpression(node) && typescript.isIdentifier(node.expression)) {
    if (node.expression.text === "require") return true
  }
  return typescript.forEachChild(node, (child) => usesCommonJs(typescript, child) || undefined) ?? false
}
