/**
 * A schema as its author meant it, in the words of a draft. Two kinds of
 * things are changed, each with a note: what no draft allows (so that no valid
 * schema can change its meaning), and, where no draft is declared, what OpenAPI
 * means by `nullable`, which a draft would ignore.
 */
import * as Either from "effect/Either"
import { show } from "../Issue.js"
import { isObject, isPlain, type JsonSchema } from "../Json.js"
import { InvalidJsonSchema } from "../JsonSchemaError.js"
import { invalid } from "./invalid.js"
import { isData, mapFields, mapItems, mapSubschemas, type Path, keywordsIn } from "./keywords.js"
import type { Draft, Normalisation } from "../JsonSchema.js"
import { type Fields, repairs, type Normaliser } from "./repairs.js"
import { eachSchema } from "./schemas.js"
import { isRegExp } from "./native.js"
import { isStandard } from "./typeNames.js"

export interface Normalised {
  /** The given schema itself where nothing had to be changed. */
  readonly schema: JsonSchema
  readonly draft: Draft
  readonly isDeclared: boolean
  readonly normalisations: ReadonlyArray<Normalisation>
  /** Every keyword of every subschema; `items[]` stands for `items` as a list, `enum[]` for one without values. */
  readonly seen: ReadonlySet<string>
  /** How many schemas are in it. */
  readonly size: number
  /** It is valid by its draft, so that the meta-schema need not be asked. */
  readonly isWellFormed: boolean
}

/**
 * Larger schemas are no tool's parameters, and take the validator's compiler
 * seconds; deeper ones overflow the stack of every tool that reads them.
 */
export const limits = { subschemas: 20_000, depth: 200 }

export const normalise = (
  root: JsonSchema,
  stated: Draft | undefined
): Either.Either<Normalised, InvalidJsonSchema> => {
  const surveyed = survey(root)
  if (surveyed instanceof InvalidJsonSchema) return Either.left(surveyed)
  const declared = stated ?? declaredDraft(root["$schema"])
  const normalisations: Array<Normalisation> = []
  const draft = declared ?? evidentDraft(surveyed.seen)
  let failure: InvalidJsonSchema | undefined
  const normaliser: Normaliser = {
    draft,
    isDeclared: declared !== undefined,
    note: (name, path, keyword, reason) => void normalisations.push({ name, path, keyword, reason }),
    fail: (path, problem, kind = "Malformed") => void (failure ??= invalid(kind, path, problem))
  }
  if (typeof root["$schema"] === "string" && declared === undefined) {
    const reason = `${root["$schema"].slice(0, 100)} names no draft; read as ${draft}.`
    normalisations.push({ name: "unknown-draft", path: [], keyword: "$schema", reason })
  }
  const schema = surveyed.isWellFormed ? root : visit(root, [], { ...normaliser, elsewhere: surveyed.elsewhere })
  if (failure !== undefined) return Either.left(failure)
  return Either.right({
    // `visit` gives an object for an object.
    schema: schema as JsonSchema,
    draft,
    isDeclared: declared !== undefined,
    normalisations,
    seen: surveyed.seen,
    size: surveyed.size,
    isWellFormed: surveyed.isWellFormed
  })
}

interface Visitor extends Normaliser {
  readonly elsewhere: ReadonlySet<unknown>
}

const visit = (value: unknown, path: Path, normaliser: Visitor): unknown => {
  if (!isObject(value)) {
    if (typeof value === "boolean") return value
    const repaired = repairs.schema(value, path, normaliser)
    if (repaired === undefined) normaliser.fail(path, "a schema is an object, or true or false")
    return repaired
  }
  const fields: Fields = new Map(Object.entries(value))
  for (const repair of repairs.keywords) repair(fields, path, normaliser)
  for (const [keyword, stated] of fields) {
    const here = [...path, keyword]
    const visitInner = (inner: unknown, ...key: Path) => visit(inner, [...here, ...key], normaliser)
    const isSearched = normaliser.elsewhere.size > 0 && !isData.has(keyword)
    const changed = mapSubschemas(keyword, stated, visitInner, () =>
      isSearched ? search(stated, here, normaliser) : stated
    )
    fields.set(keyword, changed)
  }
  for (const repair of repairs.whole) repair(fields, path, normaliser)
  return isSame(fields, value) ? value : Object.fromEntries(fields)
}

/** What a keyword has that no draft knows: data, but for the schemas in it that references point at. */
const search = (value: unknown, path: Path, normaliser: Visitor): unknown => {
  if (path.length > limits.depth) return value
  if (normaliser.elsewhere.has(value)) return visit(value, path, normaliser)
  if (Array.isArray(value)) return mapItems(value, (item, index) => search(item, [...path, index], normaliser))
  return isObject(value) ? mapFields(value, (item, key) => search(item, [...path, key], normaliser)) : value
}

const isSame = (fields: Fields, value: JsonSchema): boolean =>
  fields.size === Object.keys(value).length && [...fields].every(([keyword, stated]) => value[keyword] === stated)

interface Survey {
  /** Every keyword of every schema; `items[]` stands for `items` as a list. */
  readonly seen: ReadonlySet<string>
  /** Schemas that references point at and that stand in no keyword that holds schemas. */
  readonly elsewhere: ReadonlySet<unknown>
  readonly size: number
  readonly isWellFormed: boolean
}

const survey = (root: JsonSchema): Survey | InvalidJsonSchema => {
  const seen = new Set<string>()
  let count = 0
  let areWellFormed = true
  let problem: string | undefined
  let foreign: InvalidJsonSchema | undefined
  const elsewhere = eachSchema(root, ({ depth, path, schema }) => {
    const isOurs = isWellFormed(schema)
    foreign = isPlain(schema) && (isOurs || !hasFunctions(schema)) ? undefined : foreignAt(path, schema)
    if (foreign !== undefined) return false
    areWellFormed &&= isOurs
    if (depth > limits.depth) problem = `it is nested more than ${limits.depth} deep`
    if (++count > limits.subschemas) problem = `it has more than ${limits.subschemas} subschemas`
    if (problem !== undefined) return false
    for (const keyword of Object.keys(schema)) seen.add(keyword)
    if (Array.isArray(schema["items"])) seen.add("items[]")
    if (Array.isArray(schema["enum"]) && schema["enum"].length === 0) seen.add("enum[]")
    return true
  })
  if (foreign !== undefined) return foreign
  return problem === undefined
    ? { seen, elsewhere, size: count, isWellFormed: areWellFormed && elsewhere.size === 0 }
    : invalid("TooLarge", [], problem)
}

/** A schema of a library may have a `type` as well, and would be read as no more than that. */
const hasFunctions = (schema: JsonSchema): boolean => Object.values(schema).some((value) => typeof value === "function")

const foreignAt = (path: Path, schema: JsonSchema): InvalidJsonSchema =>
  invalid(
    "Malformed",
    path,
    `expected a JSON Schema, which is a literal's object without functions; this is ${show(schema)}`
  )

type Form = (stated: unknown) => boolean

const isBoolean: Form = (stated) => typeof stated === "boolean"
const isText: Form = (stated) => typeof stated === "string"
const isNumber: Form = (stated) => typeof stated === "number" && Number.isFinite(stated)
const isCount: Form = (stated) => Number.isSafeInteger(stated) && Number(stated) >= 0
const isSchema: Form = (stated) => typeof stated === "boolean" || isObject(stated)
const isSchemas: Form = (stated) => Array.isArray(stated) && stated.length > 0 && stated.every(isSchema)
const isNamedSchemas: Form = (stated) => isObject(stated) && Object.values(stated).every(isSchema)
const isAnything: Form = () => true

const areUnique = (items: ReadonlyArray<unknown>): boolean => new Set(items).size === items.length

const isEnum: Form = (stated) => Array.isArray(stated) && stated.length > 0
const isDivisor: Form = (stated) => isNumber(stated) && Number(stated) > 0
const isPattern: Form = (stated) => typeof stated === "string" && isRegExp(stated)
const isNames: Form = (stated) => Array.isArray(stated) && stated.every(isText) && areUnique(stated)
const isKnownDraft: Form = (stated) => declaredDraft(stated) !== undefined
const isType: Form = (stated) =>
  isStandard(stated) || (Array.isArray(stated) && stated.length > 0 && stated.every(isStandard) && areUnique(stated))

const of = (form: Form, keywords: string): ReadonlyArray<readonly [string, Form]> =>
  keywords.split(" ").map((keyword) => [keyword, form])

const forms: ReadonlyMap<string, Form> = new Map([
  ...of(isAnything, "const default example"),
  ...of(isBoolean, "deprecated readOnly uniqueItems writeOnly"),
  ...of(isText, "$comment $ref contentEncoding contentMediaType description format title"),
  ...of(isKnownDraft, "$schema"),
  ...of(isNumber, "exclusiveMaximum exclusiveMinimum maximum minimum"),
  ...of(isCount, "maxItems maxLength maxProperties minItems minLength minProperties"),
  ...of(isSchema, "additionalProperties contains else if items not propertyNames then"),
  ...of(isSchemas, "allOf anyOf oneOf"),
  ...of(isNamedSchemas, "$defs definitions properties"),
  ...of(Array.isArray, "examples"),
  ...of(isEnum, "enum"),
  ...of(isDivisor, "multipleOf"),
  ...of(isPattern, "pattern"),
  ...of(isNames, "required"),
  ...of(isType, "type")
])

/**
 * Whether a schema, without those inside of it, needs neither a repair nor its draft's meta-schema: each keyword is one
 * that all drafts since 7 read alike, with a value of the form that they give it.
 */
const isWellFormed = (schema: JsonSchema): boolean => {
  for (const keyword of Object.keys(schema)) {
    const form = forms.get(keyword)
    if (form === undefined ? !isExtension(keyword) : !form(schema[keyword])) return false
  }
  return true
}

const isExtension = (keyword: string): boolean => keyword.startsWith("x-") && keyword !== "x-nullable"

/** The draft that a `$schema` names; `undefined` for a custom meta-schema. */
const declaredDraft = (uri: unknown): Draft | undefined => {
  if (typeof uri !== "string") return undefined
  const name = /^https?:\/\/json-schema\.org\/(?:draft\/(2019-09|2020-12)|(draft-0[34567]))\//.exec(uri)
  const found = name?.[1] ?? name?.[2]
  // Drafts 3 and 5 differ from 4 in nothing that is not repaired as a loose dialect.
  if (found === "draft-03" || found === "draft-05") return "draft-04"
  // The values of the table are drafts.
  return found as Draft | undefined
}

const of2020 = keywordsIn("$dynamicAnchor $dynamicRef prefixItems")
const since2019 = keywordsIn(
  "$anchor $defs $recursiveAnchor $recursiveRef dependentRequired dependentSchemas maxContains minContains " +
    "unevaluatedItems unevaluatedProperties"
)
const until2019 = keywordsIn("$recursiveAnchor $recursiveRef additionalItems items[]")
const until7 = keywordsIn("definitions dependencies")

/** `seen` are the keywords of all subschemas; `items[]` stands for `items` as a list. */
const evidentDraft = (seen: ReadonlySet<string>): Draft => {
  const has = (keywords: ReadonlySet<string>): boolean => [...keywords].some((keyword) => seen.has(keyword))
  if (has(of2020)) return "2020-12"
  if (has(until2019)) return has(since2019) ? "2019-09" : "draft-07"
  return has(until7) && !has(since2019) ? "draft-07" : "2020-12"
}
