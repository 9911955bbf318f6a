/**
 * The properties of a body that is an object and nothing but its properties, so
 * that they can stand beside other parameters; the objects of an `allOf` are
 * one.
 */
import { Json } from "@wield/core"
import { annotations } from "./keywords.js"
import { isResolved, type Resolve } from "./reference.js"

export interface Property {
  readonly schema: unknown
  readonly isRequired: boolean
}

type Properties = ReadonlyMap<string, Property>

/** Keywords that say nothing of an object but what its properties are. */
const plain = new Set(
  (
    "$ref $schema $id $comment $defs type properties required allOf additionalProperties title description default example " +
    "examples nullable deprecated readOnly writeOnly xml externalDocs discriminator"
  ).split(" ")
)

export const objectOf = (
  schema: unknown,
  resolve: Resolve,
  isLeftOut: (property: unknown) => boolean,
  parts: ReadonlyArray<string>
): Properties | undefined => {
  const found = collect(schema, resolve, 0, new Set())
  if (found === undefined || (found.schemas.size === 0 && !found.isClosed)) return undefined
  const properties = new Map<string, Property>()
  const absent = new Set<string>()
  for (const [name, [first, ...others]] of found.schemas) {
    if ([first, ...others].some(isLeftOut)) absent.add(name)
    else {
      const joined = others.length === 0 ? first : { allOf: [first, ...others] }
      properties.set(name, { schema: joined, isRequired: found.required.has(name) })
    }
  }
  for (const name of [...found.required, ...parts]) {
    if (properties.has(name) || absent.has(name)) continue
    properties.set(name, { schema: {}, isRequired: found.required.has(name) })
  }
  return properties
}

interface Collected {
  readonly schemas: Map<string, Array<unknown>>
  readonly required: Set<string>
  isClosed: boolean
}

const collect = (schema: unknown, resolve: Resolve, depth: number, seen: Set<object>): Collected | undefined => {
  const resolved = resolve(schema)
  if (!isResolved(resolved) || depth > 20 || saysMore(schema)) return undefined
  const { additionalProperties, allOf, properties, required, type } = resolved
  const isObject =
    type === "object" ||
    (Array.isArray(type) && type.includes("object") && type.every((one) => one === "object" || one === "null")) ||
    (type === undefined &&
      (Json.isObject(properties) || Array.isArray(allOf) || (depth > 0 && Array.isArray(required))))
  if (!isObject) return undefined
  if (Object.keys(resolved).some((keyword) => !plain.has(keyword) && !keyword.startsWith("x-"))) return undefined
  // What may have any further property is only whole if it stays an object.
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  const found: Collected = {
    schemas: new Map(),
    required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []),
    isClosed: additionalProperties === false
  }
  if (Json.isObject(properties))
    for (const [name, property] of Object.entries(properties)) found.schemas.set(name, [property])
  for (const branch of Array.isArray(allOf) ? allOf : []) {
    const known = resolve(branch)
    // What is there twice says nothing more; read each time, a few lines would be read without end.
    if (seen.has(known)) continue
    seen.add(known)
    const part = collect(branch, resolve, depth + 1, seen)
    if (part === undefined) return undefined
    for (const [name, schemas] of part.schemas)
      found.schemas.set(name, [...(found.schemas.get(name) ?? []), ...schemas])
    for (const name of part.required) found.required.add(name)
    found.isClosed ||= part.isClosed
  }
  return found
}

/** Since 3.1 what stands beside a reference counts. */
const saysMore = (schema: unknown): boolean =>
  Json.isObject(schema) &&
  typeof schema["$ref"] === "string" &&
  Object.keys(schema).some((keyword) => keyword !== "$ref" && !annotations.has(keyword) && !keyword.startsWith("x-"))
