/** The keywords of JSON Schema that are kept; what a specification has besides says nothing of values. */

export const annotations: ReadonlySet<string> = new Set(["title", "description", "default", "deprecated"])

export const holdsOne: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

export const holdsList: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])

export const holdsNamed: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties", "properties"])

const asserting = [
  "const",
  "contentEncoding",
  "contentMediaType",
  "dependentRequired",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maxContains",
  "maximum",
  "maxItems",
  "maxLength",
  "maxProperties",
  "minContains",
  "minimum",
  "minItems",
  "minLength",
  "minProperties",
  "multipleOf",
  "pattern",
  "required",
  "type",
  "uniqueItems"
]

export const kept: ReadonlySet<string> = new Set([
  ...annotations,
  ...asserting,
  ...holdsList,
  ...holdsNamed,
  ...holdsOne
])
