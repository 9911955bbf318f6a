/**
 * Schemas that need neither a repair nor their draft's meta-schema: each keyword
 * is one that all drafts since 7 read alike, with a value of the form that they
 * give it. Others may be valid too; those are looked at more closely.
 */
import { isObject, type JsonSchema } from "../Json.js"
import { declaredDraft } from "./draft.js"
import { isRegExp } from "./pattern.js"
import { isStandard } from "./typeNames.js"

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

/** Of one schema, without those inside of it. */
export const isWellFormed = (schema: JsonSchema): boolean => {
  for (const keyword of Object.keys(schema)) {
    const form = forms.get(keyword)
    if (form === undefined ? !isExtension(keyword) : !form(schema[keyword])) return false
  }
  return true
}

const isExtension = (keyword: string): boolean => keyword.startsWith("x-") && keyword !== "x-nullable"
