/**
 * Which keywords a meta-schema of somebody's own turns on. Up to draft 7 there
 * is no saying; since then a meta-schema lists vocabularies, and a keyword of
 * one that it does not list says nothing about a value.
 */
import { isObject, type JsonSchema } from "../Json.js"
import type { Normalised } from "./normalise.js"

const wordsOf = (keywords: string): ReadonlyArray<string> => keywords.split(" ")

/** Those that say something about values, by the last part of the vocabulary's address. */
const vocabularies: { readonly [name: string]: ReadonlyArray<string> } = {
  applicator: wordsOf(
    "additionalItems additionalProperties allOf anyOf contains dependentSchemas else if items not oneOf " +
      "patternProperties prefixItems properties propertyNames then"
  ),
  unevaluated: wordsOf("unevaluatedItems unevaluatedProperties"),
  validation: wordsOf(
    "const dependentRequired enum exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties " +
      "maximum minContains minItems minLength minProperties minimum multipleOf pattern required type uniqueItems"
  )
}

/** Whether a keyword says anything, as far as the meta-schema is among the documents. */
export const vocabularyOf = (
  { draft, schema }: Normalised,
  documents: { readonly [uri: string]: JsonSchema } = {}
): ((keyword: string) => boolean) => {
  const address = schema["$schema"]
  const meta = typeof address === "string" && Object.hasOwn(documents, address) ? documents[address] : undefined
  const stated = meta?.["$vocabulary"]
  if (!isObject(stated) || draft.startsWith("draft-")) return () => true
  const names = new Set(Object.keys(stated).map((uri) => uri.slice(uri.lastIndexOf("/") + 1)))
  // Draft 2019-09 has the unevaluated keywords among the applicators.
  if (draft === "2019-09" && names.has("applicator")) names.add("unevaluated")
  const silent = new Set(Object.entries(vocabularies).flatMap(([name, keywords]) => (names.has(name) ? [] : keywords)))
  return (keyword) => !silent.has(keyword)
}
