/** How large a type is when it is written out. */
import type { Type } from "./type.js"

/** Types that are used in several places are one value here, and are counted in each. */
export const sizeOf = (type: Type, known: WeakMap<Type, number>): number => {
  const before = known.get(type)
  if (before !== undefined) return before
  const size = 1 + partsOf(type).reduce((sum, part) => sum + sizeOf(part, known), 0)
  known.set(type, size)
  return size
}

const partsOf = (type: Type): ReadonlyArray<Type> => {
  switch (type.kind) {
    case "array":
      return [type.items]
    case "intersection":
    case "union":
      return type.members
    case "object":
      return [
        ...[...type.properties.values()].map((property) => property.type),
        ...(type.index === undefined ? [] : [type.index.value])
      ]
    case "tuple":
      return [...type.elements.map((element) => element.type), ...(type.rest === undefined ? [] : [type.rest])]
    default:
      return []
  }
}
