/**
 * Looks for what must not get past the parser: keys by which an object's
 * prototype could be replaced, and nesting so deep that later stages would
 * overflow the stack. Without recursion, for the same reason.
 */
import { isObject } from "../Json.js"

export interface Problem {
  readonly path: ReadonlyArray<string | number>
  readonly expected: string
  readonly received: string
}

interface Place {
  readonly value: object
  readonly depth: number
  readonly key: string | number | undefined
  readonly parent: Place | undefined
}

export const inspect = (root: object, maxDepth: number): Problem | undefined => {
  const places: Array<Place> = [{ value: root, depth: 1, key: undefined, parent: undefined }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { depth, value } = place
    if (depth > maxDepth) {
      return { path: [], expected: `arguments nested at most ${maxDepth} deep`, received: "a deeper nesting" }
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const item: unknown = value[index]
        if (typeof item === "object" && item !== null)
          places.push({ value: item, depth: depth + 1, key: index, parent: place })
      }
      continue
    }
    for (const [key, item] of Object.entries(value)) {
      if (key === "__proto__" || (key === "constructor" && isObject(item) && Object.hasOwn(item, "prototype"))) {
        return { path: pathOf(place, key), expected: "no key of this name", received: "one" }
      }
      if (typeof item === "object" && item !== null) places.push({ value: item, depth: depth + 1, key, parent: place })
    }
  }
  return undefined
}

const pathOf = (place: Place, key: string): ReadonlyArray<string | number> => {
  const path: Array<string | number> = [key]
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.key !== undefined) path.unshift(at.key)
  return path
}
