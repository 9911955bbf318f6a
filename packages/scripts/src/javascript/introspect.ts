/** TypeScript and JavaScript files as scripts: read, never run. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { stemOf, toolNameOf } from "../folder/languages.js"
import { isError, type Problem } from "@wield/core/Problem"
import type { ScriptFunction } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { declarationsOf, type Declarations } from "./declarations.js"
import type { Export, ExportedFunction } from "./exported.js"
import { exportsOf } from "./exports.js"
import { documentationOf } from "./jsdoc.js"
import { missingEntry } from "./missingEntry.js"
import { parse } from "./parse.js"
import { placeOf, type Reading, report, type TypeScript } from "./reading.js"
import { signatureOf } from "./signature.js"

/**
 * What reads both languages; the file's extension tells which. The compiler is
 * loaded with it and takes some 200 ms: keep it.
 */
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
