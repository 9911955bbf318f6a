/**
 * A file of toolsets: `{ "name": { "functions": ["search", "fetch"] } }`, as
 * Sapphire has it. Keys that begin with `_` are ignored, and kept when a toolset
 * is saved; so is whatever else stands beside `functions` (`emoji`, a note).
 */
import type { Json } from "@wield/core"
import { aText, orThrow } from "@wield/core/Options"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import type { Place, Problem } from "@wield/core/Problem"
import { InvalidToolsetFile } from "./ToolsetManagerError.js"
import { edit } from "./file/edit.js"
import { problemOf, read } from "./file/read.js"
import { withoutMark } from "@wield/core/JsonText"

/**
 * A toolset as a file has it.
 *
 * @category models
 */
export interface SavedToolset {
  readonly name: string
  /** In the order of the file, each once. */
  readonly functions: ReadonlyArray<string>
  /** What stands beside `functions`: `emoji`, a description. */
  readonly metadata: Json.JsonObject
  /** Where its name stands. */
  readonly place: Place
}

/**
 * What a file of toolsets says.
 *
 * @category models
 */
export interface ToolsetFile {
  /** As it was named when it was read. */
  readonly file: string
  /** The text it was read from: saving changes it where the toolset stands, and nowhere else. */
  readonly text: string
  readonly toolsets: ReadonlyMap<string, SavedToolset>
  /** Toolsets that were left out for an error, and warnings. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * What a text says of toolsets. Fails when it is no JSON object, with line and
 * column; what is wrong with one toolset leaves out that one, and is among the
 * `problems`. An empty text has no toolsets, and one problem that says so.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Problem } from "@wield/core"
 * import { ToolsetFile } from "@wield/toolset-manager"
 * import { Either } from "effect"
 *
 * const read = ToolsetFile.parse(`{
 *   "_note": "mine",
 *   "research": { "functions": ["web_search", "get_website"], "emoji": "🔭" },
 *   "broken": { "functions": "web_search" }
 * }`)
 * assert.ok(Either.isRight(read))
 * assert.deepStrictEqual([...read.right.toolsets.keys()], ["research"])
 * assert.deepStrictEqual(read.right.problems.map(Problem.report), [
 *   'toolsets.json:4:28: error: functions of the toolset "broken" must be an array of names, but is "web_search"'
 * ])
 * ```
 *
 * @category constructors
 */
export const parse = (
  text: string,
  { file = "toolsets.json" }: { readonly file?: string | undefined } = {}
): Either.Either<ToolsetFile, InvalidToolsetFile> => {
  orThrow(aText(text), "What `ToolsetFile.parse` reads")
  if (withoutMark(text).trim() === "") return Either.right({ ...empty(file), text, problems: [nothing(file)] })
  return Either.mapBoth(read(text, file), {
    onLeft: (problems) => new InvalidToolsetFile({ file, problems }),
    onRight: ({ problems, toolsets }) => ({ file, text: withoutMark(text), toolsets, problems })
  })
}

/** An empty file must not stop the application from starting. */
const nothing = (file: string): Problem => {
  const message = "The file is empty, so it has no toolsets; write `{}`, or save a toolset"
  return problemOf(file, "empty-file", message, { place: { line: 1, column: 1 }, severity: "warning" })
}

/**
 * The file with a toolset put in, in the place of the one of its name; the rest
 * of its text stays as it is.
 *
 * @category combinators
 */
export const put = (
  self: ToolsetFile,
  toolset: { readonly name: string; readonly functions: ReadonlyArray<string>; readonly metadata?: Json.JsonObject }
): ToolsetFile => reread(self, edit(self.text, toolset.name, { functions: toolset.functions, ...toolset.metadata }))

/**
 * The file without a toolset; the rest of its text stays as it is.
 *
 * @category combinators
 */
export const remove = (self: ToolsetFile, name: string): ToolsetFile => reread(self, edit(self.text, name, undefined))

/**
 * A file without toolsets, if there is no file yet.
 *
 * @category constructors
 */
export const empty = (file: string): ToolsetFile => ({ file, text: "{}\n", toolsets: new Map(), problems: [] })

const reread = (self: ToolsetFile, text: string): ToolsetFile =>
  // An edit of an object of JSON is one.
  Either.getOrThrowWith(parse(text, { file: self.file }), identity)
