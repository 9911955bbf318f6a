/** What is asked about the parameters of an entry. */
import * as Json from "@wield/core/Json"
import type { Entry } from "../ManifestEntry.js"

/** The schemas of its properties by their names; none where it says nothing of them. */
export const propertiesOf = (schema: unknown): Json.JsonSchema =>
  Json.isObject(schema) && Json.isObject(schema["properties"]) ? schema["properties"] : {}

export const parameterNames = (schema: Json.JsonSchema): ReadonlyArray<string> => Object.keys(propertiesOf(schema))

/** Looked up, not searched for: a document from outside may have tens of thousands. */
export const hasParameter = (schema: Json.JsonSchema, name: string): boolean =>
  Object.hasOwn(propertiesOf(schema), name)

export const takesOthers = (schema: Json.JsonSchema): boolean =>
  schema["additionalProperties"] !== undefined
    ? schema["additionalProperties"] !== false
    : "unevaluatedProperties" in schema || declaresElsewhere(schema)

/** Whether parameters may be declared elsewhere than in `properties`. */
export const declaresElsewhere = (schema: Json.JsonSchema): boolean =>
  ["$ref", "allOf", "anyOf", "if", "oneOf", "patternProperties"].some((keyword) => keyword in schema)

export const without = (schema: Json.JsonSchema, isLeftOut: (name: string) => boolean): Json.JsonSchema => {
  const { properties, required } = schema
  if (!Json.isObject(properties) || !Object.keys(properties).some(isLeftOut)) return schema
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isLeftOut(name))),
    ...(Array.isArray(required)
      ? { required: required.filter((name: unknown) => typeof name !== "string" || !isLeftOut(name)) }
      : {})
  }
}

/** The parameters once the call context is filled in: hidden fields are required unless they may be absent. */
export const filledParameters = (entry: Entry): Json.JsonSchema => {
  const { context, function: definition, optionalContext } = entry
  if (context.length === 0) return definition.parameters
  const { required, ...schema } = definition.parameters
  const foldedSet = (names: ReadonlyArray<string>) => new Set(names.map((name) => name.toLowerCase()))
  const [hidden, optional] = [foldedSet(context), foldedSet(optionalContext)]
  const isHidden = (name: unknown): boolean => typeof name === "string" && hidden.has(name.toLowerCase())
  const filled = parameterNames(schema).filter((name) => isHidden(name) && !optional.has(name.toLowerCase()))
  const visible = Array.isArray(required) ? required.filter((name) => !isHidden(name)) : []
  return { ...schema, required: [...visible, ...filled] }
}

/** Entries that keep a conversation's messages. No model is offered them. */
export const saveMessage = "InternalSaveChatMessage"
export const getMessages = "InternalGetChatMessages"

const names: ReadonlySet<string> = new Set([saveMessage, getMessages].map((name) => name.toLowerCase()))

export const isInternal = (entry: { readonly function: { readonly name: string } }): boolean =>
  names.has(entry.function.name.toLowerCase())

/** Whether a query is a document of GraphQL rather than SQL, where nothing else tells. */
export const looksLikeGraphQl = (query: string | undefined): boolean =>
  // No statement of SQL begins so.
  /^(?:\s|#[^\n]*(?:\n|$))*(?:\{|(?:query|mutation|subscription|fragment)\b)/.test(query ?? "")
