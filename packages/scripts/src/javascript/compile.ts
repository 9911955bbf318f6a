/** Compiles scripts and their relative imports, each module once. What fails to compile fails when loaded. */
import * as Either from "effect/Either"
import { accessSync, constants, readFileSync, realpathSync, statSync } from "node:fs"
import { basename, extname, dirname, resolve } from "node:path"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { moduleKindOf } from "./moduleKind.js"
import { fileURLToPath } from "node:url"

export interface SourceModule {
  /** Where it really is. */
  readonly file: string
  readonly text: string
}

/** A module as the program is sent it. */
export interface CompiledModule {
  readonly file: string
  readonly kind: "esm" | "commonjs" | "json"
  readonly isTypeScript: boolean
  readonly code: string
  /** The source map, where the code has other lines than the source. */
  readonly map?: string
  /** The files that imports by relative path are of. */
  readonly links: { readonly [specifier: string]: string }
  /** Why it cannot be loaded. */
  readonly problem?: string
}

export const compileModules = (scripts: ReadonlyArray<SourceModule>): ReadonlyArray<CompiledModule> => {
  const sources = new Map(scripts.map((script) => [script.file, script]))
  const compiled = new Map<string, CompiledModule>()
  const waiting = [...sources.keys()]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (compiled.has(file)) continue
    const module = compileModule(sources.get(file) ?? readSource(file))
    compiled.set(file, module)
    waiting.push(...Object.values(module.links))
  }
  return [...compiled.values()]
}

const readSource = (file: string): SourceModule => ({ file, text: readFileSync(file, "utf8") })

const compileModule = (source: SourceModule): CompiledModule => {
  const { file } = source
  const text = withoutShebang(source.text)
  const isTypeScript = /\.[mc]?tsx?$/i.test(file)
  if (extname(file) === ".json") return { file, kind: "json", isTypeScript, code: text, links: {} }
  const kind = moduleKindOf(file, text)
  const links = linksOf(file, text, isTypeScript)
  // CommonJS runs as it is written.
  if (kind === "commonjs" && !isTypeScript) return { file, kind, isTypeScript, code: text, links }
  const {
    diagnostics = [],
    outputText,
    sourceMapText
  } = ts.transpileModule(text, {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: {
      module: kind === "esm" ? ts.ModuleKind.System : ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      allowJs: true,
      esModuleInterop: true,
      // What neither imports nor exports is a module, too.
      ...(kind === "esm" ? { moduleDetection: ts.ModuleDetectionKind.Force } : {}),
      isolatedModules: true,
      sourceMap: true,
      // An import that JavaScript does not use still runs what it imports.
      ...(isTypeScript ? {} : { verbatimModuleSyntax: true })
    }
  })
  const problem = problemOf(diagnostics)
  return {
    file,
    kind,
    isTypeScript,
    code: outputText.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n"),
    links,
    ...(sourceMapText === undefined ? {} : { map: sourceMapText }),
    ...(problem === undefined ? {} : { problem })
  }
}

/** Files imported by relative path; what is not found, or cannot be read, is left to Node, which says so. */
const linksOf = (file: string, text: string, isTypeScript: boolean) => {
  const links: { [specifier: string]: string } = {}
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    const found = Either.try(() => resolveImport(file, fileName, isTypeScript))
    if (Either.isRight(found) && found.right !== undefined) links[fileName] = found.right
  }
  return links
}

/** Only what a parser says is one: that options do not go together is no fault of the script. */
const problemOf = (diagnostics: ReadonlyArray<TS.Diagnostic>): string | undefined => {
  for (const { file, messageText, start } of diagnostics) {
    if (file === undefined || start === undefined) continue
    const { character, line } = file.getLineAndCharacterOfPosition(start)
    const message = ts.flattenDiagnosticMessageText(messageText, "; ")
    return `${basename(file.fileName)}:${line + 1}:${character + 1}: ${message}`
  }
  return undefined
}

/** The line stays, so that lines keep their numbers. */
const withoutShebang = (text: string): string => text.replace(/^#!/, "//")

const isolated = new Set([".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".json"])

/** What TypeScript is imported as once it is compiled. */
const compiledFrom: { readonly [extension: string]: string } = { ".js": ".ts", ".mjs": ".mts", ".cjs": ".cts" }

/** The file of an import: as named, with its source's extension, with one added, or a folder's index. */
const resolveImport = (importer: string, specifier: string, isTypeScript: boolean): string | undefined => {
  const path = pathOf(importer, specifier)
  if (path === undefined) return undefined
  const found = candidates(path, isTypeScript).find(isFile)
  if (found === undefined || !isolated.has(extname(found))) return undefined
  accessSync(found, constants.R_OK)
  const file = realpathSync(found)
  // Packages are shared by all calls, however they are imported.
  return file.includes("/node_modules/") ? undefined : file
}

const pathOf = (importer: string, specifier: string): string | undefined => {
  if (specifier.startsWith("file:")) return fileURLToPath(specifier)
  return /^\.{0,2}\//.test(specifier) || specifier === "." || specifier === ".."
    ? resolve(dirname(importer), specifier)
    : undefined
}

const candidates = (path: string, isTypeScript: boolean): ReadonlyArray<string> => {
  const extension = extname(path)
  const source = compiledFrom[extension]
  const asSource = source === undefined ? [] : [`${path.slice(0, -extension.length)}${source}`]
  const endings = [".ts", ".mts", ".js", ".mjs", ".cjs", ".json"]
  // Where both are there, TypeScript means its source, JavaScript what it says.
  const named = isTypeScript ? [...asSource, path] : [path, ...asSource]
  return [
    ...named,
    ...endings.map((ending) => `${path}${ending}`),
    ...endings.map((ending) => resolve(path, `index${ending}`))
  ]
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** By function, its parameters that have `?` or a default. */
export const optionalParameters = (file: string, text: string): ReadonlyMap<string, ReadonlySet<string>> => {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022)
  return new Map(
    statements.filter(ts.isFunctionDeclaration).map(({ name, parameters }) => {
      const optional = parameters.filter((each) => each.initializer !== undefined || each.questionToken !== undefined)
      return [
        name?.text ?? "",
        new Set(optional.flatMap((each) => (ts.isIdentifier(each.name) ? [each.name.text] : [])))
      ]
    })
  )
}
