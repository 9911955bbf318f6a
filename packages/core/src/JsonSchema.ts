/**
 * JSON Schema from outside: read as its author meant it, whatever the draft or
 * dialect, and compiled to a validator whose complaints a model can act on.
 *
 * Drafts 7, 2019-09 and 2020-12 are taken as their standards say (4 and 6 as far as
 * they differ in spelling); OpenAPI 3.0 and 3.1 and the loose dialects that are
 * met in the wild (`dict`, `float`, `STRING`, `nullable`, `required: true`) are
 * normalised, and every change is named.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Issue } from "./Issue.js"
import * as Json from "./Json.js"
import { compiler as makeCompiler, type CompileOptions as Options } from "./json-schema/compile.js"
import type { Draft as KnownDraft } from "./json-schema/draft.js"
import { issuesOf } from "./json-schema/issues.js"
import type { Name, Normalisation as Change } from "./json-schema/repairs.js"
import type { InvalidJsonSchema } from "./JsonSchemaError.js"

/**
 * A draft of JSON Schema.
 *
 * @category models
 */
export type Draft = KnownDraft

/**
 * A change that was made to a schema from outside, by name:
 *
 * - `type-name`: a type that JSON Schema spells otherwise (`dict`, `float`, `STRING`, `List[str]`).
 * - `type-as-schema`: a type's name where a schema belongs (`"city": "string"`).
 * - `required-flag`: `required: true` on a property; its object now lists it.
 * - `optional-flag`: `optional` on a property; its object's list of required properties decides.
 * - `nullable`: OpenAPI 3.0's `nullable: true`, where no draft is declared.
 * - `exclusive-flag`: `exclusiveMinimum: true` beside `minimum` (draft 4, OpenAPI 3.0).
 * - `items-list`: a list in `items`, in a schema of draft 2020-12, is `prefixItems`.
 * - `number-as-text`, `flag-as-text`: such as `"minItems": "1"` (Gemini) and `"uniqueItems": "true"`.
 * - `null-keyword`: a keyword whose value is null, as if it were absent.
 * - `empty-list`: `"properties": []`, as PHP writes an empty object.
 * - `repeated-name`: a name that `required` lists twice.
 * - `draft-04-id`: draft 4's `id`.
 * - `pattern-syntax`: Python's spelling of a regular expression.
 * - `unknown-draft`: `$schema` names a meta-schema that is no draft.
 *
 * @category models
 */
export type NormalisationName = Name

/**
 * A change that was made to a schema from outside: which, where, and what was
 * read as what. A schema that is valid by its declared draft is never changed.
 *
 * @category models
 */
export type Normalisation = Change

/**
 * How a schema is read. Everything is optional.
 *
 * - `draft`: read by this draft, whatever the schema says.
 * - `formats`: whether `format` is an `"annotation"` (the default, as the drafts
 *   say) or an `"assertion"` that values must meet (as for the arguments of tools).
 * - `defaults`: whether absent properties are `"filled"` with their defaults.
 * - `documents`: other documents that references may lead to, by their address.
 *   Nothing is ever fetched.
 *
 * @category models
 */
export type CompileOptions = Options

/**
 * A compiled schema.
 *
 * @category models
 */
export interface Validator {
  /** As it is read: the given schema itself where nothing had to be normalised. */
  readonly schema: Json.JsonSchema
  readonly draft: Draft
  readonly normalisations: ReadonlyArray<Normalisation>
  /** Whether a value is valid. Never throws. */
  readonly isValid: (value: unknown) => boolean
  /**
   * The value (with defaults, where they are filled), or what is wrong with it.
   * Never throws, and never changes the value.
   */
  readonly validate: (value: unknown) => Either.Either<unknown, ReadonlyArray<Issue>>
}

/**
 * A function that compiles schemas, for those who have many: it shares what is
 * loaded and prepared.
 *
 * @category constructors
 */
export const compiler: Effect.Effect<
  (schema: Json.JsonSchema, options?: CompileOptions) => Effect.Effect<Validator, InvalidJsonSchema>
> = Effect.map(
  makeCompiler,
  (compileWith) => (schema, options) =>
    Effect.map(compileWith(schema, options), ({ engine, fill, normalised }): Validator => ({
      schema: normalised.schema,
      draft: normalised.draft,
      normalisations: normalised.normalisations,
      isValid: engine.isValid,
      validate: (value) => (engine.isValid(value) ? Either.right(fill(value)) : Either.left(issuesOf(engine, value)))
    }))
)

/**
 * A validator of a schema from outside, or where the schema is wrong.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Issue, JsonSchema } from "@wield/core"
 * import { Effect, Either } from "effect"
 *
 * const schema = { type: "dict", properties: { city: { type: "String", required: true } } }
 * const validator = await Effect.runPromise(JsonSchema.compile(schema))
 * assert.deepStrictEqual(validator.schema["required"], ["city"])
 * const issues = Either.getOrThrow(Either.flip(validator.validate({})))
 * assert.deepStrictEqual(issues.map(Issue.toText), ["city: expected a string, but it is missing"])
 * ```
 *
 * @category constructors
 */
export const compile = (
  schema: Json.JsonSchema,
  options?: CompileOptions
): Effect.Effect<Validator, InvalidJsonSchema> =>
  Effect.flatMap(compiler, (compileWith) => compileWith(schema, options))

/**
 * Whether a tool's input schema means that it has no parameters: absent, `{}`
 * and `{"type":"object"}` all do, whatever they are annotated with, and an
 * object without properties to which none may be added.
 *
 * @category predicates
 */
export const isWithoutParameters = (schema: Json.JsonSchema | null | undefined): boolean => {
  if (schema === undefined || schema === null) return true
  return Object.entries(schema).every(([keyword, stated]) => {
    switch (keyword) {
      case "type":
        return stated === "object"
      case "properties":
        // Without the word that none may be added, it may take anything.
        return Json.isObject(stated) && Object.keys(stated).length === 0 && schema["additionalProperties"] === false
      case "required":
        return Array.isArray(stated) && stated.length === 0
      case "additionalProperties":
        return stated === false
      default:
        return silent.has(keyword)
    }
  })
}

const silent: ReadonlySet<string> = new Set(["$comment", "$id", "$schema", "description", "title"])
