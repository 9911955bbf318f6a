/** TypeScript and JavaScript files as scripts: read, never run. */
import type { Problem } from "@wield/core/Problem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { stemOf, toolNameOf } from "../folder/languages.js"
import { fileError, Report } from "../folder/problem.js"
import type { ScriptFunction } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { declarationsOf, at, parse, placeAt, placeOf, type Reading } from "./reading.js"
import { type Export, type ExportedFunction, exportsOf } from "./exports.js"
import { documentationOf } from "./jsdoc.js"
import { moduleKindOfSyntax } from "./moduleKind.js"
import { signatureOf } from "./signature.js"

/** Reads both languages, by the file's extension. Loading this module loads the compiler, which takes some 200 ms. */
export const introspectJavaScript: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.succeed(
  (source) => Effect.sync(() => introspect(source))
)

const introspect = (source: Source): Introspected => {
  const nothing = { requiredTools: [], environment: [] }
  const language = /\.[mc]?ts$/i.test(source.file) ? "typescript" : "javascript"
  const parsed = syntaxOf(source, language)
  if (Either.isLeft(parsed)) return { functions: [], problems: parsed.left, ...nothing }
  const sourceFile = parsed.right
  const report = new Report(source.file)
  const reading: Reading = { source, language, sourceFile, declarations: declarationsOf(sourceFile), report }
  return { functions: functionsOf(reading), problems: report.inOrder, ...nothing }
}

const functionsOf = (reading: Reading): ReadonlyArray<ScriptFunction> => {
  const { language, report, source, sourceFile } = reading
  const exports = exportsOf(sourceFile, language)
  const functions = exports
    .filter(({ name }) => (source.kind === "tool" ? name === "run" : !name.startsWith("_")))
    // Classes that are exported beside the functions of an agent are what those work with.
    .filter((one) => source.kind === "tool" || !(one.kind === "refused" && one.rule === "not-a-function"))
    .flatMap((one) => functionOf(reading, one))
  if (functions.length === 0 && !report.hasError) reportNoEntry(reading, exports)
  return functions
}

const functionOf = (reading: Reading, exported: Export): ReadonlyArray<ScriptFunction> => {
  const { report, source } = reading
  const { name, node } = exported
  if (exported.kind === "refused") {
    report.error(exported.rule, exported.message, at(node, name))
    return []
  }
  const errorsBefore = report.errorCount
  const documentation =
    exported.documented
      .map(documentationOf)
      .find(({ description, parameters }) => description !== "" || parameters.length > 0) ?? documentationOf(node)
  if (exported.node.asteriskToken !== undefined) {
    const message = `generators are not supported: ${name} has no one result; return an array`
    report.error("generator", message, at(node, name))
  }
  if (documentation.description === "") reportUndescribed(reading, exported)
  const signature = signatureOf(reading, exported, documentation)
  if (report.errorCount > errorsBefore) return []
  return [
    {
      name: source.kind === "tool" ? toolNameOf(stemOf(source.file)) : name,
      entry: name,
      description: documentation.description,
      ...signature,
      place: placeOf(node)
    }
  ]
}

const reportUndescribed = ({ report, sourceFile }: Reading, { documented, name, node }: ExportedFunction): void => {
  const start = (documented[0] ?? node).pos
  const comments = ts.getLeadingCommentRanges(sourceFile.text, start) ?? []
  const hasOther = comments.some(({ end, pos }) => !sourceFile.text.slice(pos, end).startsWith("/**"))
  const hint = hasOther ? " (a comment that does not begin with /** is not read)" : ""
  const message = `${name} has no description${hint}: say before it what the tool does, in a comment /** … */ that begins with text`
  report.error("missing-description", message, at(node, name))
}

/** Why a file has no tool, as far as it can be guessed. */
const reportNoEntry = ({ language, report, source, sourceFile }: Reading, exports: ReadonlyArray<Export>): void => {
  const name = source.kind === "tool" ? "run" : undefined
  const hidden = sourceFile.statements.find(
    (statement) =>
      ts.isFunctionDeclaration(statement) &&
      statement.name !== undefined &&
      (name === undefined ? !statement.name.text.startsWith("_") : statement.name.text === name)
  )
  const mayBeCommonJs = language === "javascript" && !/\.mjs$/i.test(source.file)
  const isCommonJs = mayBeCommonJs && (/\.cjs$/i.test(source.file) || moduleKindOfSyntax(sourceFile) === "commonjs")
  const asDefault = exports.find((one) => one.name === "default")
  const names = exports.map((one) => one.name).join(", ")
  const seen = names === "" ? "" : ` (it exports ${names})`
  const write = (commonJs: string, esm: string) => `write \`${isCommonJs ? commonJs : esm}\``
  const message =
    name === undefined
      ? `exports no function that could be a tool: ${write("exports.name = …", "export function name(…)")}, with a name that does not begin with _`
      : hidden !== undefined
        ? `run is not exported: ${write("exports.run = run", "export function run(…)")}`
        : asDefault !== undefined
          ? "what is exported by default has no name: write `export function run(…)`"
          : `exports no function run${seen}: ${write("exports.run = …", "export function run(…)")}`
  const node = hidden ?? asDefault?.node
  report.error("no-entry", message, { place: node && placeOf(node), subject: name })
}

/** From a text to its syntax, or what keeps it from being parsed. */
const syntaxOf = (
  { file, text }: Source,
  language: Reading["language"]
): Either.Either<TS.SourceFile, ReadonlyArray<Problem>> => {
  const problem = (message: string, place?: Problem["place"]): Problem =>
    fileError(file, "syntax", `failed to parse: ${message}`, { place })
  return Either.try({
    try: () => {
      const sourceFile = parse(text, language)
      const renamed = withPropertiesAsParameters(sourceFile)
      return renamed === text ? sourceFile : parse(renamed, language)
    },
    // The parser calls itself for each level, and has no bound of its own.
    catch: (cause) => {
      const isDeep = cause instanceof RangeError
      return [problem(isDeep ? "the code nests deeper than can be read; make it flatter" : String(cause))]
    }
  }).pipe(
    Either.flatMap((sourceFile) => {
      const problems = diagnosticsOf(sourceFile).map(({ messageText, start }) =>
        problem(ts.flattenDiagnosticMessageText(messageText, "; "), placeAt(sourceFile, start))
      )
      return problems.length > 0 ? Either.left(problems) : Either.right(sourceFile)
    })
  )
}

/**
 * `@property` outside a `@typedef` is no tag to the parser, but is how scripts
 * document what is in their one argument. `@arg` is the same as `@param`, and
 * short enough to take its place without anything else moving.
 */
const withPropertiesAsParameters = (sourceFile: TS.SourceFile): string => {
  let text = sourceFile.text
  if (!/@prop/.test(text)) return text
  const comments = sourceFile.statements.flatMap((statement) => statement.getChildren().filter(ts.isJSDoc))
  for (const { tagName } of comments.flatMap(({ tags }): ReadonlyArray<TS.JSDocTag> => tags ?? [])) {
    if (tagName.text !== "property" && tagName.text !== "prop") continue
    text = text.slice(0, tagName.pos) + "arg".padEnd(tagName.end - tagName.pos) + text.slice(tagName.end)
  }
  return text
}

/** The parser keeps what it complains of on the file, in a property that its types do not have. */
const diagnosticsOf = (sourceFile: TS.SourceFile): ReadonlyArray<TS.DiagnosticWithLocation> =>
  (sourceFile as { readonly parseDiagnostics?: ReadonlyArray<TS.DiagnosticWithLocation> }).parseDiagnostics ?? []
