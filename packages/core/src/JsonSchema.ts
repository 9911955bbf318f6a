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
import { compiler as makeCompiler } from "./json-schema/compile.js"
import { issuesOf } from "./json-schema/issues.js"
import { mapSubschemas } from "./json-schema/keywords.js"
import { limits, normalise } from "./json-schema/normalise.js"
import { eachSchema } from "./json-schema/schemas.js"
import * as JsonPointer from "./JsonPointer.js"
import { anything, type Checks, fields, oneOf, orThrow, record } from "./Options.js"
import type { InvalidJsonSchema } from "./JsonSchemaError.js"

/**
 * A draft of JSON Schema.
 *
 * @category models
 */
export type Draft = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12"

/**
 * A change that was made to a schema from outside, by name.
 *
 * @category models
 */
export type NormalisationName =
  /** A type that JSON Schema spells otherwise (`dict`, `float`, `STRING`, `List[str]`), or the name of a format (`datetime`). */
  | "type-name"
  /** A type's name where a schema belongs (`"city": "string"`). */
  | "type-as-schema"
  /** `required: true` on a property; its object now lists it. */
  | "required-flag"
  /** `optional` on a property; its object's list of required properties decides. */
  | "optional-flag"
  /** OpenAPI 3.0's `nullable: true`, where no draft is declared. */
  | "nullable"
  /** `exclusiveMinimum: true` beside `minimum` (draft 4, OpenAPI 3.0). */
  | "exclusive-flag"
  /** A list in `items`, in a schema of draft 2020-12, is `prefixItems`. */
  | "items-list"
  /** Such as `"minItems": "1"` (Gemini). */
  | "number-as-text"
  /** Such as `"uniqueItems": "true"`. */
  | "flag-as-text"
  /** A keyword whose value is null, as if it were absent. */
  | "null-keyword"
  /** A title, a description or another keyword for readers whose value is of another type (`description: 404` in YAML). */
  | "annotation-type"
  /** `"properties": []` or `"items": []`, as PHP writes an empty object. */
  | "empty-list"
  /** A name that `required` lists twice. */
  | "repeated-name"
  /** Draft 4's `id`. */
  | "draft-04-id"
  /** Python's spelling of a regular expression. */
  | "pattern-syntax"
  /** `$schema` names a meta-schema that is no draft. */
  | "unknown-draft"

/**
 * A change that was made to a schema from outside: which, where, and what was
 * read as what. A schema that is valid by its declared draft is never changed.
 *
 * @category models
 */
export interface Normalisation {
  readonly name: NormalisationName
  /** The schema in which it was made. */
  readonly path: ReadonlyArray<string | number>
  readonly keyword: string
  /** What was read as what, in a sentence. */
  readonly reason: string
}

/**
 * How a schema is read.
 *
 * @category models
 */
export interface CompileOptions {
  /** Read by this draft, whatever the schema says. */
  readonly draft?: Draft | undefined
  /** Whether values must meet `format`, as the arguments of tools must. An annotation unless given, as the drafts say. */
  readonly formats?: "annotation" | "assertion" | undefined
  /** Whether absent properties are filled with their defaults. They are not unless given. */
  readonly defaults?: "annotation" | "filled" | undefined
  /** Other documents that references may lead to, by their address. Nothing is ever fetched. */
  readonly documents?: { readonly [uri: string]: Json.JsonSchema } | undefined
}

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
> = Effect.map(makeCompiler, (compileWith) => (schema, options) => {
  orThrow(checkOptions(options ?? {}), "How a JSON Schema is read")
  return Effect.map(compileWith(schema, options), ({ engine, fill, normalised }): Validator => ({
    schema: normalised.schema,
    draft: normalised.draft,
    normalisations: normalised.normalisations,
    isValid: engine.isValid,
    validate: (value) => (engine.isValid(value) ? Either.right(fill(value)) : Either.left(issuesOf(engine, value)))
  }))
})

// Under a misspelt name, no format would be looked at.
const checkOptions = fields({
  draft: anything,
  formats: oneOf("annotation", "assertion"),
  defaults: oneOf("annotation", "filled"),
  documents: record(anything)
} satisfies Checks<CompileOptions>)

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
 * A schema in the words of draft 2020-12, for APIs that take no other: tuples
 * by `prefixItems`, what loose dialects mean, and references by a pointer into
 * `$defs` or `definitions`, or to the root. A reference that points at nothing
 * is left out, and its place is in `dangling`. The given schema itself where
 * nothing has to be changed.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { JsonSchema } from "@wield/core"
 *
 * const { schema } = JsonSchema.toDraft2020({ type: "array", items: [{ type: "string" }], additionalItems: false })
 * assert.deepStrictEqual(schema, { type: "array", prefixItems: [{ type: "string" }], items: false })
 * ```
 *
 * @category conversions
 */
export const toDraft2020 = (
  document: Json.JsonSchema
): {
  readonly schema: Json.JsonSchema
  readonly dangling: ReadonlyArray<{ readonly path: ReadonlyArray<string | number>; readonly reference: string }>
} => {
  const root = Either.match(normalise(document, undefined), {
    onLeft: () => document,
    onRight: ({ schema }) => schema
  })
  const identified = new Map<string, Json.JsonSchema>()
  eachSchema(root, ({ depth, schema }) => {
    const { $anchor, $id } = schema
    if (typeof $anchor === "string") identified.set(`#${$anchor}`, schema)
    if (typeof $id === "string" && schema !== root) identified.set($id, schema)
    return depth <= limits.depth
  })
  const dangling: Array<{ readonly path: ReadonlyArray<string | number>; readonly reference: string }> = []
  const shared = new Map<string, unknown>()
  const names = new Map<unknown, string>()
  const { $defs } = root
  const share = (target: unknown): string => {
    const known = names.get(target)
    if (known !== undefined) return known
    let count = names.size + 1
    while (Json.isObject($defs) && Object.hasOwn($defs, `shared_${count}`)) count++
    const name = `shared_${count}`
    names.set(target, name)
    shared.set(name, visit(target, ["$defs", name]))
    return name
  }
  const referenceTo = (reference: string, path: ReadonlyArray<string | number>): string | undefined => {
    if (reference === "#") return reference
    const target = reference.startsWith("#/") ? JsonPointer.at(root, reference) : identified.get(reference)
    if (!Json.isObject(target) && typeof target !== "boolean") return void dangling.push({ path, reference })
    return /^#\/(?:\$defs|definitions)\/[^/]+$/.test(reference) ? reference : `#/$defs/${share(target)}`
  }
  const visit = (value: unknown, path: ReadonlyArray<string | number>): unknown => {
    if (!Json.isObject(value) || path.length > 2 * limits.depth) return value
    const fields = new Map(Object.entries(value))
    const { $ref: reference, items } = value
    if (typeof reference === "string") {
      const made = referenceTo(reference, path)
      if (made === undefined) fields.delete("$ref")
      else fields.set("$ref", made)
    }
    if (path.length > 0 && identified.size > 0) for (const key of ["$id", "$anchor"]) fields.delete(key)
    if (Array.isArray(items)) {
      const { additionalItems: rest, prefixItems = items } = value
      fields.delete("additionalItems")
      fields.set("prefixItems", prefixItems)
      if (Json.isObject(rest) || typeof rest === "boolean") fields.set("items", rest)
      else fields.delete("items")
    }
    const places = fields.get("prefixItems")
    if (Array.isArray(places) && places.length === 0) fields.delete("prefixItems")
    for (const [keyword, stated] of fields) {
      const change = (inner: unknown, ...key: ReadonlyArray<string | number>) =>
        visit(inner, [...path, keyword, ...key])
      fields.set(
        keyword,
        mapSubschemas(keyword, stated, change, () => stated)
      )
    }
    const isSame =
      fields.size === Object.keys(value).length && [...fields].every(([key, field]) => value[key] === field)
    return isSame ? value : Object.fromEntries(fields)
  }
  // `visit` gives an object for an object.
  const visited = visit(root, []) as Json.JsonSchema
  if (visited === document) return { schema: document, dangling }
  // Another draft would read the words of this one otherwise.
  const { $schema: _, ...rest } = visited
  const definitions = Json.isObject(rest["$defs"]) ? rest["$defs"] : {}
  const schema = shared.size === 0 ? rest : { ...rest, $defs: { ...definitions, ...Object.fromEntries(shared) } }
  return { schema, dangling }
}

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
