/**
 * A toolset on its way from one installation to another: an envelope of JSON
 * that says what it is and of which version. Those that Sapphire exports are
 * read too.
 *
 * @since 0.1.0
 */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { InvalidExport } from "./ToolsetManagerError.js"
import { openEnvelope } from "./toolsets/envelope.js"

/**
 * An exported toolset, as JSON.
 *
 * @since 0.1.0
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
 * import { ToolsetExport } from "@wield/scripts"
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
 * @since 0.1.0
 * @category constructors
 */
export const parse = (
  exported: string | Json.JsonObject | ToolsetExport,
  { file = "exported toolset" }: { readonly file?: string | undefined } = {}
): Either.Either<ToolsetExport, InvalidExport> =>
  Either.mapLeft(openEnvelope(exported, file), (problems) => new InvalidExport({ problems }))

/**
 * The text of an exported toolset.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolsetExport } from "@wield/scripts"
 * import { Either } from "effect"
 *
 * const toolset: ToolsetExport.ToolsetExport = {
 *   wield: "toolset",
 *   version: 1,
 *   name: "research",
 *   functions: ["web_search"],
 *   metadata: {}
 * }
 * assert.deepStrictEqual(ToolsetExport.parse(ToolsetExport.toText(toolset)), Either.right(toolset))
 * ```
 *
 * @since 0.1.0
 * @category conversions
 */
export const toText = (self: ToolsetExport): string => `${JSON.stringify(self, undefined, 2)}\n`
