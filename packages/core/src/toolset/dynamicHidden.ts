/**
 * An input schema in two: what the model sees, and the properties that the call
 * context supplies.
 */
import * as Either from "effect/Either"
import { folded } from "../internal/folded.js"
import { isObject, type JsonSchema } from "../Json.js"
import { InvalidTool } from "../ToolsetError.js"
import { withoutUnusedDefinitions } from "./withoutUnusedDefinitions.js"

export interface SplitSchema {
  readonly visible: JsonSchema
  readonly hidden: JsonSchema | undefined
}

export const splitHidden = (
  tool: string,
  schema: JsonSchema,
  names: ReadonlyArray<string>
): Either.Either<SplitSchema, InvalidTool> => {
  if (names.length === 0) return Either.right({ visible: schema, hidden: undefined })
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const missing = names.filter((name) => !Object.hasOwn(properties, name))
  if (missing.length > 0) return invalid(tool, `the hidden fields ${missing.join(", ")} are not among its properties`)
  const composite = Object.keys(schema).find((keyword) => composites.has(keyword))
  if (composite !== undefined) {
    return invalid(tool, `hidden fields need an input schema without ${composite} at its root, which might name them`)
  }
  const foldedNames = new Set(names.map(folded))
  const clashing = Object.keys(properties).filter((key) => !names.includes(key) && foldedNames.has(folded(key)))
  if (clashing.length > 0) {
    return invalid(tool, `its properties ${clashing.join(", ")} differ from a hidden field only in case`)
  }
  const pick = (isHidden: boolean): JsonSchema => {
    const isPicked = (name: unknown): boolean => names.some((hidden) => hidden === name) === isHidden
    // The root's own examples and default are of a whole call, hidden fields and all.
    const { default: _default, examples: _examples, propertyOrdering, required, ...rest } = schema
    return {
      ...rest,
      properties: Object.fromEntries(Object.entries(properties).filter(([key]) => isPicked(key))),
      // Gemini's.
      ...(Array.isArray(propertyOrdering) ? { propertyOrdering: propertyOrdering.filter(isPicked) } : {}),
      ...(Array.isArray(required) ? { required: required.filter(isPicked) } : {})
    }
  }
  return Either.right({ visible: withoutUnusedDefinitions(pick(false)), hidden: pick(true) })
}

/** Keywords that speak of the object as a whole. */
const composites: ReadonlySet<string> = new Set(
  "$ref allOf anyOf const dependencies dependentRequired dependentSchemas else enum if maxProperties minProperties not oneOf propertyNames then".split(
    " "
  )
)

const invalid = (tool: string, reason: string): Either.Either<never, InvalidTool> =>
  Either.left(new InvalidTool({ tool, reason }))
