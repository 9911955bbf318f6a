/** TypeScript and JavaScript files as scripts: read, never run. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { stemOf, toolNameOf } from "../folder/languages.js"
import { isError, type Problem } from "@wield/core/Problem"
import type { ScriptFunction } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { declarationsOf, type Declarations } from "./declarations.js"
import type { Export, ExportedFunction } from "./exported.js"
import { documentationOf } from "./jsdoc.js"
import { placeOf, type Reading, report, type TypeScript, placeAt } from "./reading.js"
import { signatureOf } from "./signature.js"
import { fromAssignment, replacesExports } from "./commonJsExports.js"
import { fromModule } from "./moduleExports.js"
import { moduleKindOfSyntax } from "./moduleKind.js"
import type ts from "typescript"

/** Reads both languages, by the file's extension. It loads the compiler, which takes some 200 ms: keep it. */
export const introspectJavaScript: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.map(
  Effect.promise(() => import("typescript")),
  ({ default: typescript }) =>
    (source) =>
      Effect.sync(() => introspect(typescript, source))
)

const introspect = (typescript: TypeScript, source: Source): Introspected => {
  const nothing = { requiredTools: [], environment: [] }
  const parsed = parse(typescript, source, /\.[mc]?ts$/i.test(source.file) ? "typescript" : "javascript")
  if (Either.isLeft(parsed)) return { functions: [], problems: parsed.left, ...nothing }
  const functions = functionsOf(parsed.right)
  return { functions, problems: inOrder(parsed.right.problems), ...nothing }
}

const functionsOf = (reading: Reading): ReadonlyArray<ScriptFunction> => {
  const declarations = declarationsOf(reading)
  const exports = exportsOf(reading)
  const offered = exports.filter(({ name }) => isOffered(reading.source, name))
  // Classes that are exported beside the functions of an agent are what those work with.
  const functions = offered
    .filter((one) => reading.source.kind === "tool" || !(one.kind === "refused" && one.rule === "not-a-function"))
    .flatMap((one) => functionOf(reading, declarations, one))
  if (functions.length === 0 && !reading.problems.some(isError)) missingEntry(reading, exports)
  return functions
}

const isOffered = ({ kind }: Source, name: string): boolean =>
  kind === "tool" ? name === "run" : !name.startsWith("_")

const functionOf = (reading: Reading, declarations: Declarations, exported: Export): ReadonlyArray<ScriptFunction> => {
  const errorsBefore = reading.problems.filter(isError).length
  if (exported.kind === "refused") {
    report(reading, "error", exported.rule, exported.node, exported.name, exported.message)
    return []
  }
  const documentation =
    exported.documented
      .map((node) => documentationOf(reading, node))
      .find(({ description, parameters }) => description !== "" || parameters.length > 0) ??
    documentationOf(reading, exported.node)
  if (exported.node.asteriskToken !== undefined) {
    const message = `generators are not supported: ${exported.name} has no one result; return an array`
    report(reading, "error", "generator", exported.node, exported.name, message)
  }
  if (documentation.description === "") reportUndescribed(reading, exported)
  const signature = signatureOf(reading, declarations, exported, documentation)
  if (reading.problems.filter(isError).length > errorsBefore) return []
  return [
    {
      name: reading.source.kind === "tool" ? toolNameOf(stemOf(reading.source.file)) : exported.name,
      entry: exported.name,
      description: documentation.description,
      ...signature,
      place: placeOf(reading, exported.node)
    }
  ]
}

const reportUndescribed = (reading: Reading, { documented, name, node }: ExportedFunction): void => {
  const { sourceFile, typescript } = reading
  const start = (documented[0] ?? node).pos
  const comments = typescript.getLeadingCommentRanges(sourceFile.text, start) ?? []
  const hasOther = comments.some(({ end, pos }) => !sourceFile.text.slice(pos, end).startsWith("/**"))
  const hint = hasOther ? " (a comment that does not begin with /** is not read)" : ""
  report(
    reading,
    "error",
    "missing-description",
    node,
    name,
    `${name} has no description${hint}: say before it what the tool does, in a comment /** … */ that begins with text`
  )
}

const inOrder = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.toSorted(
    (left, right) =>
      (left.place?.line ?? 0) - (right.place?.line ?? 0) || (left.place?.column ?? 0) - (right.place?.column ?? 0)
  )

/** In the order of the file; of each name the last one. */
const exportsOf = (reading: Reading): ReadonlyArray<Export> => {
  const { sourceFile } = reading
  const replaced = sourceFile.statements.findLastIndex((statement) => replacesExports(reading, statement))
  const found = sourceFile.statements.flatMap((statement, index) => [
    ...fromModule(reading, statement),
    ...(reading.language === "javascript" && index >= replaced ? fromAssignment(reading, statement, replaced >= 0) : [])
  ])
  return [...new Map(found.map((one) => [one.name, one])).values()]
}

/** Why a file has no tool, as far as it can be guessed. */
const missingEntry = (reading: Reading, exports: ReadonlyArray<Export>): void => {
  const { source, sourceFile, typescript } = reading
  const name = source.kind === "tool" ? "run" : undefined
  const hidden = sourceFile.statements.find(
    (statement) =>
      typescript.isFunctionDeclaration(statement) &&
      statement.name !== undefined &&
      (name === undefined ? !statement.name.text.startsWith("_") : statement.name.text === name)
  )
  const isCommonJs =
    reading.language === "javascript" &&
    (/\.cjs$/i.test(source.file) ||
      (!/\.mjs$/i.test(source.file) && moduleKindOfSyntax(typescript, sourceFile) === "commonjs"))
  const asDefault = exports.find((one) => one.name === "default")
  const message =
    name === undefined
      ? `exports no function that could be a tool: write \`${isCommonJs ? "exports.name = …" : "export function name(…)"}\`, with a name that does not begin with _`
      : hidden !== undefined
        ? `run is not exported: write \`${isCommonJs ? "exports.run = run" : "export function run(…)"}\``
        : asDefault !== undefined
          ? "what is exported by default has no name: write `export function run(…)`"
          : `exports no function run${seen(exports)}: write \`${isCommonJs ? "exports.run = …" : "export function run(…)"}\``
  report(reading, "error", "no-entry", hidden ?? asDefault?.node, name, message)
}

const seen = (exports: ReadonlyArray<Export>): string =>
  exports.length === 0 ? "" : ` (it exports ${exports.map(({ name }) => name).join(", ")})`

/** From a text to its syntax, or what keeps it from being parsed. */
const parse = (
  typescript: TypeScript,
  source: Source,
  language: Reading["language"]
): Either.Either<Reading, ReadonlyArray<Problem>> => {
  const problem = (message: string, place?: Problem["place"]): Problem => ({
    severity: "error",
    rule: "syntax",
    message: `failed to parse: ${message}`,
    file: source.file,
    place,
    subject: undefined
  })
  return Either.try({
    try: () => syntaxOf(typescript, source.text, language),
    // The parser calls itself for each level, and has no bound of its own.
    catch: (cause) =>
      cause instanceof RangeError
        ? [problem("the code nests deeper than can be read; make it flatter")]
        : [problem(String(cause))]
  }).pipe(
    Either.flatMap((sourceFile) => {
      const diagnostics = diagnosticsOf(sourceFile)
      return diagnostics.length > 0
        ? Either.left(
            diagnostics.map(({ messageText, start }) =>
              problem(typescript.flattenDiagnosticMessageText(messageText, "; "), placeAt(sourceFile, start))
            )
          )
        : Either.right({ typescript, source, language, sourceFile, problems: [] })
    })
  )
}

const syntaxOf = (typescript: TypeScript, text: string, language: Reading["language"]): ts.SourceFile => {
  const sourceFile = createSourceFile(typescript, text, language)
  const renamed = withPropertiesAsParameters(typescript, sourceFile)
  return renamed === text ? sourceFile : createSourceFile(typescript, renamed, language)
}

const createSourceFile = (typescript: TypeScript, text: string, language: Reading["language"]): ts.SourceFile =>
  typescript.createSourceFile(
    language === "typescript" ? "script.ts" : "script.js",
    text,
    { languageVersion: typescript.ScriptTarget.Latest, jsDocParsingMode: typescript.JSDocParsingMode.ParseAll },
    true,
    language === "typescript" ? typescript.ScriptKind.TS : typescript.ScriptKind.JS
  )

/**
 * `@property` outside a `@typedef` is no tag to the parser, but is how scripts
 * document what is in their one argument. `@arg` is the same as `@param`, and
 * short enough to take its place without anything else moving.
 */
const withPropertiesAsParameters = (typescript: TypeScript, sourceFile: ts.SourceFile): string => {
  let text = sourceFile.text
  if (!/@prop/.test(text)) return text
  for (const statement of sourceFile.statements) {
    for (const documentation of statement.getChildren(sourceFile).filter(typescript.isJSDoc)) {
      for (const { tagName } of documentation.tags ?? []) {
        if (tagName.text !== "property" && tagName.text !== "prop") continue
        text = text.slice(0, tagName.pos) + "arg".padEnd(tagName.end - tagName.pos) + text.slice(tagName.end)
      }
    }
  }
  return text
}

/** The parser keeps what it complains of on the file, in a property that its types do not have. */
const diagnosticsOf = (sourceFile: ts.SourceFile): ReadonlyArray<ts.DiagnosticWithLocation> =>
  (sourceFile as { readonly parseDiagnostics?: ReadonlyArray<ts.DiagnosticWithLocation> }).parseDiagnostics ?? []
