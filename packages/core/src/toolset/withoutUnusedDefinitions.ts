/**
 * A JSON Schema without the definitions that nothing in it refers to: what only
 * a hidden property was described by must not be shown either.
 */
import { isObject, type JsonSchema } from "../Json.js"

const containers = ["$defs", "definitions"] as const

export const withoutUnusedDefinitions = (schema: JsonSchema): JsonSchema => {
  const { $defs: _defs, definitions: _definitions, ...root } = schema
  const used = new Set<string>()
  const waiting: Array<unknown> = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== "object" || value === null) continue
    for (const [keyword, item] of Object.entries(value)) {
      // An anchor can be referred to from anywhere, by a name of its own.
      if (keyword === "$anchor" || keyword === "$dynamicAnchor" || keyword === "$dynamicRef") return schema
      const definition = keyword === "$ref" ? definitionOf(schema, item) : undefined
      if (definition === undefined || used.has(definition.pointer)) {
        waiting.push(item)
      } else {
        used.add(definition.pointer)
        waiting.push(definition.value)
      }
    }
  }
  const kept = containers.flatMap((container) => {
    const definitions = schema[container]
    if (!isObject(definitions)) return []
    const referred = Object.entries(definitions).filter(([name]) => used.has(pointerOf(container, name)))
    return referred.length === 0 ? [] : [[container, Object.fromEntries(referred)] as const]
  })
  return { ...root, ...Object.fromEntries(kept) }
}

interface Definition {
  readonly pointer: string
  readonly value: unknown
}

const definitionOf = (schema: JsonSchema, reference: unknown): Definition | undefined => {
  if (typeof reference !== "string") return undefined
  for (const container of containers) {
    const definitions = schema[container]
    if (!isObject(definitions)) continue
    for (const [name, value] of Object.entries(definitions)) {
      const pointer = pointerOf(container, name)
      if (reference === pointer || reference.startsWith(`${pointer}/`)) return { pointer, value }
    }
  }
  return undefined
}

const pointerOf = (container: string, name: string): string =>
  `#/${container}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
