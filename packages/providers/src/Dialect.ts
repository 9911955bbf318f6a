/**
 * What each provider's API accepts of JSON Schema. A schema is rewritten to a
 * dialect for sending; what the dialect cannot say is a loss; what comes back is
 * restored to what the full schema means. The full schema stays authoritative:
 * validate the restored value by it.
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as Struct from "effect/Struct"
import * as JsonPointer from "@wield/core/JsonPointer"
import { anthropicStrict } from "./dialect/anthropicStrict.js"
import { cohereStrict } from "./dialect/cohereStrict.js"
import { geminiSchema } from "./dialect/geminiSchema.js"
import { geminiSubset, restoreGeminiText } from "./dialect/geminiSubset.js"
import { inlineReferences } from "./dialect/inlineReferences.js"
import { withItems } from "./dialect/keywords.js"
import { openAiStrict } from "./dialect/openAiStrict.js"
import { anthropicName, renameProperties } from "./dialect/propertyNames.js"
import { restoreOptional, restoreValue } from "./dialect/restoreValue.js"
import { isBounded, sendable, unwritable } from "./internal/json.js"
import { objectRoot } from "./internal/objectRoot.js"

/**
 * A dialect, by the API and the field that it is for:
 *
 * - `openai`, `mistral`, `cohere`, `anthropic`: tools without strict mode; only the root is restricted.
 * - `openai-strict` (also Mistral's strict mode): every property required, every object closed.
 * - `anthropic-strict` (also Bedrock's strict mode for Claude): a grammar of types, not ranges.
 * - `bedrock`: for every model of the Converse API, so without references.
 * - `cohere-strict`: `strict_tools`.
 * - `gemini`: the field `parametersJsonSchema`.
 * - `gemini-subset`: the older field `parameters`, a subset of OpenAPI 3.0.
 *
 * @category models
 */
export type Name =
  | "anthropic"
  | "anthropic-strict"
  | "bedrock"
  | "cohere"
  | "cohere-strict"
  | "gemini"
  | "gemini-subset"
  | "mistral"
  | "openai"
  | "openai-strict"

/**
 * A schema in a dialect.
 *
 * @category models
 */
export interface Rewritten {
  /** `undefined` where the dialect cannot say the schema at all; the losses say why. */
  readonly schema: Json.JsonObject | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
  /**
   * A value that was made by the rewritten schema, as the full schema means it;
   * the same value where there is nothing to restore. Never throws.
   */
  readonly restore: (value: unknown) => unknown
}

interface Rules {
  /** The schema as the dialect says it; as it is, unless given. */
  readonly write?: (
    subject: string,
    schema: Json.JsonSchema
  ) => { readonly schema: Json.JsonSchema | undefined; readonly losses: ReadonlyArray<Loss.Loss> }
  /** A value as the full schema means it; as it is, unless given. */
  readonly restore?: (schema: Json.JsonSchema, value: unknown) => unknown
  /** Which names of properties the API takes; any, unless given. */
  readonly name?: RegExp
}

const dialects: { readonly [dialect in Name]: Rules } = {
  anthropic: { name: anthropicName },
  "anthropic-strict": { name: anthropicName, write: anthropicStrict },
  // Bedrock hands schemas on to Anthropic's API.
  bedrock: { name: anthropicName, write: inlineReferences },
  cohere: {},
  "cohere-strict": { write: cohereStrict },
  gemini: { write: (subject, schema) => geminiSchema(subject, Json.fromObject(schema)) },
  "gemini-subset": {
    write: geminiSubset,
    restore: (schema, value) => restoreValue(schema, value, restoreGeminiText)
  },
  mistral: {},
  openai: { write: (_, schema) => ({ schema: withItems(schema), losses: [] }) },
  "openai-strict": { write: openAiStrict, restore: restoreOptional }
}

/**
 * The names of all dialects.
 *
 * @category constants
 */
export const names: ReadonlyArray<Name> = Struct.keys(dialects)

/**
 * Rewrites a schema to what an API accepts. `subject` names the schema in the
 * losses, as a tool's name does.
 *
 * A root that is no object is wrapped in one, since every API demands an object
 * there; `restore` takes it out again.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Dialect } from "@wield/providers"
 *
 * const { losses, restore, schema } = Dialect.rewrite(
 *   {
 *     type: "object",
 *     properties: { city: { type: "string", minLength: 2 }, days: { type: "integer" } },
 *     required: ["city"]
 *   },
 *   "openai-strict",
 *   "get_weather"
 * )
 * assert.deepStrictEqual(schema?.["required"], ["city", "days"])
 * assert.deepStrictEqual(losses.map((loss) => loss.keyword), ["minLength"])
 * assert.deepStrictEqual(restore({ city: "Bern", days: null }), { city: "Bern" })
 * ```
 *
 * @category rewriting
 */
export const rewrite = (schema: Json.JsonSchema, dialect: Name, subject = "schema"): Rewritten => {
  if (!isBounded(schema)) return { schema: undefined, losses: [unwritable(subject)], restore: (value) => value }
  const { name = /^/, restore, write } = dialects[dialect]
  const readable = sendable(subject, Json.fromObject(schema))
  const wrapped = wrapRoot(readable.schema)
  const renamed = renameProperties(subject, wrapped.schema, name)
  const root = objectRoot(subject, renamed.schema)
  const made = write?.(subject, root.schema) ?? { schema: root.schema, losses: [] }
  const isRestored = restore !== undefined && made.schema !== undefined
  return {
    schema: made.schema === undefined ? undefined : Json.fromObject(made.schema),
    losses: [...readable.losses, ...wrapped.losses(subject), ...renamed.losses, ...root.losses, ...made.losses],
    // Restored by the schema before its unions at the root were merged.
    restore: (value) => wrapped.restore(renamed.restore(isRestored ? restore(renamed.schema, value) : value))
  }
}

interface WrappedRoot {
  readonly schema: Json.JsonSchema
  readonly losses: (subject: string) => ReadonlyArray<Loss.Loss>
  readonly restore: (value: unknown) => unknown
}

/** The property that holds a value whose schema is no object: every API demands an object at the root. */
const wrapper = "value"

const wrapRoot = (document: Json.JsonSchema): WrappedRoot => {
  if (isObjectSchema(document, document)) return { schema: document, losses: () => [], restore: (value) => value }
  const { $defs, definitions, $schema, ...root } = document
  return {
    schema: {
      ...($schema === undefined ? {} : { $schema }),
      type: "object",
      properties: { [wrapper]: relocated(root) },
      required: [wrapper],
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs: relocated($defs) }),
      ...(definitions === undefined ? {} : { definitions: relocated(definitions) })
    },
    losses: (subject) => [
      {
        subject,
        path: [],
        keyword: "type",
        reason: `The API demands an object at the root: the value is sent as its property ${wrapper} and taken out again.`
      }
    ],
    restore: (value) => (Json.isObject(value) && Object.hasOwn(value, wrapper) ? value[wrapper] : value)
  }
}

/** `known` remembers what each schema came to: many may refer to one. */
const isObjectSchema = (
  schema: Json.JsonSchema,
  document: Json.JsonSchema,
  known = new Map<Json.JsonSchema, boolean>(),
  depth = 0
): boolean => {
  const remembered = known.get(schema)
  if (remembered !== undefined) return remembered
  if (depth > 32) return false
  const isObject = (branch: unknown): boolean =>
    Json.isObject(branch) && isObjectSchema(branch, document, known, depth + 1)
  const found = describesObject(schema, document, isObject)
  known.set(schema, found)
  return found
}

const describesObject = (
  schema: Json.JsonSchema,
  document: Json.JsonSchema,
  isObject: (inner: unknown) => boolean
): boolean => {
  const { $ref: reference, allOf, anyOf, oneOf, type } = schema
  if (type !== undefined) return type === "object"
  if (Json.isObject(schema["properties"]) || Object.keys(schema).length === 0) return true
  if (typeof reference === "string") return isObject(JsonPointer.schemaAt(document, reference))
  const union = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(union)) return union.every(isObject)
  return Array.isArray(allOf) && allOf.some(isObject)
}

/** References to the root, and into it, follow it to its new place; definitions stay where they were. */
const relocated = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(relocated)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([keyword, stated]) => {
      if (keyword !== "$ref" || typeof stated !== "string") return [keyword, relocated(stated)]
      const isMoved = stated === "#" || (stated.startsWith("#/") && !/^#\/(?:\$defs|definitions)\//.test(stated))
      return [keyword, isMoved ? `#/properties/${wrapper}${stated.slice(1)}` : stated]
    })
  )
}
