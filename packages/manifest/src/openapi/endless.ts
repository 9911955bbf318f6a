/** Whether a definition comes back to itself without a value in between: no value could be checked by it. */
import { Json } from "@wield/core"

export const endless = (name: string, definition: (name: string) => unknown): boolean => {
  const seen = new Set<string>()
  const waiting = [...namesInPlace(definition(name))]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === name) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...namesInPlace(definition(next)))
  }
  return false
}

/** The definitions that are applied to the same value as the schema. */
const namesInPlace = (schema: unknown): ReadonlyArray<string> => {
  if (!Json.isObject(schema)) return []
  const reference = schema["$ref"]
  const own = typeof reference === "string" ? [reference.slice("#/$defs/".length)] : []
  return [
    ...own,
    ...lists.flatMap((keyword) => {
      const branches = schema[keyword]
      return Array.isArray(branches) ? branches.flatMap(namesInPlace) : []
    }),
    ...single.flatMap((keyword) => namesInPlace(schema[keyword]))
  ]
}

const lists = ["allOf", "anyOf", "oneOf"]
const single = ["not", "if", "then", "else"]
