/**
 * A discriminator says by which value of a property the branches of a union are
 * distinguished. Where the branches themselves do not say it, several would fit
 * one value, and `oneOf` would refuse what the API takes.
 */
import { Json } from "@wield/core"
import { isResolved, type Resolve, segmentsOf } from "./reference.js"

export const branchesByDiscriminator = (
  branches: ReadonlyArray<unknown>,
  discriminator: unknown,
  resolve: Resolve
): ReadonlyArray<unknown> => {
  if (!Json.isObject(discriminator)) return branches
  const { mapping, propertyName } = discriminator
  if (typeof propertyName !== "string") return branches
  return branches.map((branch) => {
    if (!Json.isObject(branch) || typeof branch["$ref"] !== "string") return branch
    const reference = branch["$ref"]
    if (isTold(branch, propertyName, resolve, new Set())) return branch
    const names = namesOf(reference, mapping)
    return {
      allOf: [branch],
      properties: { [propertyName]: names.length === 1 ? { const: names[0] } : { enum: names } },
      required: [propertyName]
    }
  })
}

/** A mapping leads from a value to a reference or to the bare name of a schema; without one the name is the value. */
const namesOf = (reference: string, mapping: unknown): ReadonlyArray<string> => {
  const name = segmentsOf(reference).at(-1) ?? reference
  const mapped = Json.isObject(mapping)
    ? Object.entries(mapping).flatMap(([value, target]) => (target === reference || target === name ? [value] : []))
    : []
  return mapped.length === 0 ? [name] : mapped
}

const maxSeen = 200

/** Whether the branch restricts the property by itself. */
const isTold = (branch: unknown, property: string, resolve: Resolve, seen: Set<object>): boolean => {
  const resolved = resolve(branch)
  if (!isResolved(resolved)) return true
  // It was looked at, without result.
  if (seen.has(resolved) || seen.size > maxSeen) return false
  seen.add(resolved)
  const { allOf, properties } = resolved
  if (Json.isObject(properties) && Object.hasOwn(properties, property)) {
    const stated = resolve(properties[property])
    if (isResolved(stated) && (stated["const"] !== undefined || Array.isArray(stated["enum"]))) return true
  }
  // A branch that is itself a union tells its own branches apart.
  if (Array.isArray(resolved["oneOf"]) || Array.isArray(resolved["anyOf"])) return true
  return Array.isArray(allOf) && allOf.some((part) => isTold(part, property, resolve, seen))
}
