/** From a text to its syntax, or what keeps it from being parsed. */
import * as Either from "effect/Either"
import type ts from "typescript"
import type { Problem } from "@wield/core/Problem"
import type { Source } from "../syntax/Source.js"
import { placeAt, type Reading, type TypeScript } from "./reading.js"

export const parse = (
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
