/**
 * What the Effect language service says about every TypeScript project that tsconfig.json refers to, with errors and
 * warnings alike as failures.
 *
 * The diagnostics are run as the compiler transformer that the package ships, in one program. Its own command
 * (`effect-language-service diagnostics`) keeps a language server alive, which crashes after the last file ("Debug
 * Failure", exit code 1) when one project's `include` covers the folder of another, as tests beside sources do.
 */
import { createRequire } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

type Transformer = (
  program: ts.Program,
  options: { readonly name: string },
  host: { readonly addDiagnostic: (diagnostic: ts.Diagnostic) => void; readonly ts: typeof ts }
) => (context: object) => (file: ts.SourceFile) => ts.SourceFile

// The package ships no types for this entry.
const { default: transformer } = createRequire(import.meta.url)("@effect/language-service/transform.js") as {
  readonly default: Transformer
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const readProject = (path: string): ts.ParsedCommandLine => {
  const project = ts.getParsedCommandLineOfConfigFile(path, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"))
    }
  })
  if (project === undefined) throw new Error(`${path} cannot be read`)
  return project
}

const solution = readProject(join(root, "tsconfig.json"))
const projects = (solution.projectReferences ?? []).map((reference) => readProject(resolve(root, reference.path)))
const fileNames = new Set(projects.flatMap((project) => project.fileNames))
if (fileNames.size === 0) throw new Error("tsconfig.json refers to no file")

const program = ts.createProgram({
  rootNames: [...fileNames],
  options: { ...solution.options, composite: false, incremental: false, noEmit: true }
})

const diagnostics: Array<ts.Diagnostic> = []
const check = transformer(
  program,
  { name: "@effect/language-service" },
  { addDiagnostic: (diagnostic) => diagnostics.push(diagnostic), ts }
)({})

for (const fileName of fileNames) {
  // Type tests are only compiled: their effects are neither run nor provided for.
  if (fileName.endsWith(".test-d.ts")) continue
  const file = program.getSourceFile(fileName)
  if (file === undefined) throw new Error(`${fileName} is not in the program`)
  check(file)
}

for (const { file, start, messageText } of diagnostics) {
  const place = file && start !== undefined ? file.getLineAndCharacterOfPosition(start) : undefined
  const prefix = file && place ? `${relative(root, file.fileName)}:${place.line + 1}:${place.character + 1} ` : ""
  console.error(prefix + ts.flattenDiagnosticMessageText(messageText, "\n"))
}
console.log(`${fileNames.size} files: ${diagnostics.length} Effect diagnostics`)
process.exitCode = diagnostics.length > 0 ? 1 : 0
