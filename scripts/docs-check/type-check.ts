/** Type-checks all modules in one program, under the settings that the packages are compiled with. */
import { join, relative } from "node:path"
import ts from "typescript"
import type { Problem } from "./problem.js"
import type { WrittenModule } from "./write.js"

const compilerOptions = (root: string): ts.CompilerOptions => {
  const { config, error } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile)
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"))
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, root)
  return {
    ...options,
    noEmit: true,
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    // A page may define something only to show how it is defined.
    noUnusedLocals: false
  }
}

export const typeCheck = (modules: ReadonlyArray<WrittenModule>, root: string): ReadonlyArray<Problem> => {
  const program = ts.createProgram({
    rootNames: modules.map((module) => module.file),
    options: compilerOptions(root)
  })
  const pages = new Map(modules.map((module) => [module.file, module]))
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const { file, start, code, messageText } = diagnostic
    const message = `error TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
    if (file === undefined) return { page: "tsconfig.base.json", line: 1, message }
    const line = file.getLineAndCharacterOfPosition(start ?? 0).line + 1
    const page = pages.get(file.fileName)?.page ?? relative(root, file.fileName)
    return { page, line, message }
  })
}
