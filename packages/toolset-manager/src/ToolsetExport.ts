/**
 * A toolset on its way from one installation to another: an envelope of JSON
 * that says what it is and of which version. Those that Sapphire exports are
 * read too.
 */
import * as Json from "@wield/core/Json"
import * as Issue from "@wield/core/Issue"
import * as Either from "effect/Either"
import { InvalidExport } from "./ToolsetManagerError.js"
import type { Problem } from "@wield/core/Problem"
import { namesOf, parseJson, problemOf } from "./file/read.js"

/**
 * An exported toolset, as JSON.
 *
 * @category models
 */
export interface ToolsetExport {
  readonly wield: "toolset"
  readonly version: 1
  readonly name: string
  readonly functions: ReadonlyArray<string>
  readonly metadata: Json.JsonObject
}

/**
 * An exported toolset from a text, or from the value of one that was parsed: of
 * Wield, or of Sapphire (`{ "sapphire_export": true, "type": "toolset",
 * "version": 1, … }`). Fails with all that is wrong with it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolsetExport } from "@wield/toolset-manager"
 * import { Effect } from "effect"
 *
 * const text = `{ "sapphire_export": true, "type": "toolset", "version": 1,
 *   "name": "research", "emoji": "🔭", "functions": ["web_search"] }`
 * assert.deepStrictEqual(Effect.runSync(ToolsetExport.parse(text)), {
 *   wield: "toolset",
 *   version: 1,
 *   name: "research",
 *   functions: ["web_search"],
 *   metadata: { emoji: "🔭" }
 * })
 * ```
 *
 * @category constructors
 */
export const parse = (
  exported: string | Json.JsonObject | ToolsetExport,
  { file = "exported toolset" }: { readonly file?: string | undefined } = {}
): Either.Either<ToolsetExport, InvalidExport> => {
  // The text of a value is laid out nowhere, so its places say nothing.
  const isText = typeof exported === "string"
  // Anything else ends like a file without a toolset.
  const text: string | undefined = isText ? exported : JSON.stringify(exported)
  return Either.flatMap(parseJson(text ?? "null", file), ({ at, value }) => {
    const problems: Array<Problem> = []
    const report = (rule: string, message: string, ...path: ReadonlyArray<string | number>): void => {
      problems.push(problemOf(file, rule, message, { place: isText ? at(path) : undefined }))
    }
    const root = Json.isObject(value) ? value : {}
    const isSapphire = root["sapphire_export"] !== undefined
    const [key, kind] = isSapphire ? ["type", root["type"]] : ["wield", root["wield"]]
    if (kind !== "toolset") {
      const found = kind === undefined ? "there is no such key" : `it is ${Issue.show(kind)}`
      report("not-a-toolset", `This is no exported toolset: ${key} must be "toolset", but ${found}`)
      return Either.left(problems)
    }
    const { functions, name, version } = root
    if (version !== 1) {
      report("version", `Exports of version 1 can be read, but this one's is ${Issue.show(version)}`, "version")
    }
    if (typeof name !== "string") report("name", `name must be a text, but is ${Issue.show(name)}`, "name")
    const items = functions !== undefined && Json.isArray(functions) ? functions : undefined
    if (items === undefined) {
      report("functions", `functions must be an array of names, but is ${Issue.show(functions)}`, "functions")
    }
    const names = namesOf(items ?? [], (found, index) =>
      report("functions", `Each function must be a name, but this one is ${found}`, "functions", index)
    )
    const metadata = isSapphire ? rest(root) : (root["metadata"] ?? {})
    if (!Json.isObject(metadata)) {
      report("metadata", `metadata must be an object, but is ${Issue.show(metadata)}`, "metadata")
    }
    return problems.length > 0 || typeof name !== "string" || names === undefined || !Json.isObject(metadata)
      ? Either.left(problems)
      : Either.right({ wield: "toolset" as const, version: 1 as const, name, functions: names, metadata })
  }).pipe(Either.mapLeft((problems) => new InvalidExport({ problems })))
}

/**
 * The text of an exported toolset.
 *
 * @category conversions
 */
export const toText = (self: ToolsetExport): string => `${JSON.stringify(self, undefined, 2)}\n`

/** The keys of Sapphire's envelope that say nothing of the toolset. */
const sapphireKeys: ReadonlySet<string> = new Set(["sapphire_export", "type", "version", "name", "functions"])

const rest = (root: Json.JsonObject): Json.JsonObject =>
  Object.fromEntries(Object.entries(root).filter(([key]) => !sapphireKeys.has(key)))
