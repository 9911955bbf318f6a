/** The keywords of JSON Schema that are kept; what a specification has besides says nothing of values. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const annotations = words("title description default deprecated")

export const holdsOne = words(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties"
)

export const holdsList = words("allOf anyOf oneOf prefixItems")

export const holdsNamed = words("dependentSchemas patternProperties properties")

const asserting = words(
  "const contentEncoding contentMediaType dependentRequired enum exclusiveMaximum exclusiveMinimum format maxContains " +
    "maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties multipleOf pattern " +
    "required type uniqueItems"
)

export const kept: ReadonlySet<string> = new Set([
  ...annotations,
  ...asserting,
  ...holdsList,
  ...holdsNamed,
  ...holdsOne
])
