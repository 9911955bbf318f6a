/**
 * A thread that checks the types of programs and turns them into JavaScript. A text can keep a type checker busy for as
 * long as it likes, so the host ends the thread where that takes too long.
 */
import { createRequire, SourceMap } from "node:module"
import { parentPort } from "node:worker_threads"

// Imported, it would be read once more, for the names that it exports: that takes longer than to load it.
const ts = createRequire(import.meta.url)("typescript")

const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  lib: ["lib.es2022.d.ts"],
  types: [],
  strict: true,
  useUnknownInCatchVariables: false,
  noEmit: true
}

const program = "/program.ts"
const tools = "/tools.d.ts"
const before = "(async () => {\n"
const after = "\n})"

const files = new Map([
  [program, { version: 0, text: before + after }],
  [tools, { version: 0, text: "" }]
])
const put = (name, text) => {
  const file = files.get(name)
  if (file.text !== text) files.set(name, { version: file.version + 1, text })
}

const libraries = new Map()
/** Of the compiler's own folder, and no other. */
const library = (name) => {
  if (!libraries.has(name)) {
    const isOwn = name.startsWith(`${ts.getDirectoryPath(ts.getDefaultLibFilePath(options))}/lib.`)
    libraries.set(name, isOwn ? ts.sys.readFile(name) : undefined)
  }
  return libraries.get(name)
}

const text = (name) => files.get(name)?.text ?? library(name)

const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [...files.keys()],
  getScriptVersion: (name) => String(files.get(name)?.version ?? 0),
  getScriptSnapshot: (name) => {
    const found = text(name)
    return found === undefined ? undefined : ts.ScriptSnapshot.fromString(found)
  },
  getCurrentDirectory: () => "/",
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => text(name) !== undefined,
  readFile: text,
  directoryExists: () => false,
  getDirectories: () => []
})

/** The program stands within the one function that was put around it. */
const isWhole = ({ statements: [first, ...others] }) =>
  others.length === 0 &&
  ts.isExpressionStatement(first) &&
  ts.isParenthesizedExpression(first.expression) &&
  ts.isArrowFunction(first.expression.expression)

/** A parameter needs no type. Without the rule itself, a list that begins empty could hold nothing. */
const isOfImplicitAny = (code) => code >= 7_000 && code < 7_100

const most = 10

const problemsOf = (source, diagnostics) =>
  diagnostics.slice(0, most).map(({ messageText, start = 0 }) => {
    const { character, line } = source.getLineAndCharacterOfPosition(start)
    // The line around the program is the first.
    const message = ts.flattenDiagnosticMessageText(messageText, "\n")
    // Some stand at the function around the program. Advice is about settings and packages, which a program has not.
    return {
      line: Math.max(1, line),
      column: character + 1,
      message: message.replace(/ (?:Do you need to|Did you mean to set|Try `npm) .*/s, "")
    }
  })

/** Of each line of the JavaScript, the program's own. */
const linesOf = (javaScript, map) => {
  const places = new SourceMap(JSON.parse(map))
  return javaScript.split("\n").map((line, index) => {
    const { originalLine } = places.findEntry(index, Math.max(0, line.search(/\S/)))
    return originalLine ?? 0
  })
}

const check = (code) => {
  put(program, before + code + after)
  const source = service.getProgram().getSourceFile(program)
  const syntax = service.getSyntacticDiagnostics(program)
  if (syntax.length > 0) return { problems: problemsOf(source, syntax) }
  if (!isWhole(source)) {
    return { problems: [{ line: 1, column: 1, message: "The program closes a bracket that it has not opened" }] }
  }
  const semantic = service.getSemanticDiagnostics(program).filter(({ code }) => !isOfImplicitAny(code))
  if (semantic.length > 0) return { problems: problemsOf(source, semantic) }
  const { outputText, sourceMapText } = ts.transpileModule(before + code + after, {
    compilerOptions: { ...options, noEmit: false, sourceMap: true, removeComments: true }
  })
  const script = outputText.replace(/;?\s*\/\/# sourceMappingURL=.*\s*$/, "")
  return { script, lines: linesOf(outputText, sourceMapText) }
}

// The first check reads the libraries.
service.getSemanticDiagnostics(program)
parentPort.postMessage({ id: -1 })

parentPort.on("message", ({ code, declarations, id }) => {
  if (code === undefined) return
  put(tools, declarations)
  parentPort.postMessage({ id, ...check(code) })
})
