/**
 * Looks for what must not get past the parser: keys by which an object's
 * prototype could be replaced, and nesting so deep that later stages would
 * overflow the stack. Without recursion, for the same reason.
 */
import { isObject, isPlain } from "../Json.js"
import { foreign } from "./json.js"

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

/** Whether there is nothing to find; most values are safe, and this walk is the cheaper one. */
const isSafe = (value: object, depth: number): boolean => {
  if (depth === 0) return false
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === "object" && item !== null && !isSafe(item, depth - 1)) return false
    }
    return true
  }
  if (isLost(value)) return false
  // What is left is an object.
  const fields = value as { readonly [key: string]: unknown }
  for (const key in fields) {
    if (key === "__proto__" || key === "constructor") return false
    const item = fields[key]
    if (typeof item === "object" && item !== null && !isSafe(item, depth - 1)) return false
  }
  return true
}

export const nestedAtMost = (depth: number): string => `arguments nested at most ${depth} deep`

export const inspect = (root: object, maxDepth: number): Problem | undefined => {
  // Of a date, or an error, all that it says would be lost.
  const isLiteral = Object.getPrototypeOf(root) === Object.prototype
  if (!isLiteral && /Date|Error|RegExp|Boolean|Number|String/.test(Object.prototype.toString.call(root))) {
    return { path: [], expected: "a JSON object", received: foreign(root) }
  }
  // A bounded depth bounds this recursion, too.
  if (isSafe(root, maxDepth)) return undefined
  const places: Array<Place> = [{ value: root, depth: 1, key: undefined, parent: undefined }]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const { depth, value } = place
    if (depth > maxDepth) {
      return { path: [], expected: nestedAtMost(maxDepth), received: "a deeper nesting" }
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        const item: unknown = value[index]
        if (typeof item === "object" && item !== null)
          places.push({ value: item, depth: depth + 1, key: index, parent: place })
      }
      continue
    }
    if (isLost(value)) return { path: pathOf(place), expected: "a JSON value", received: foreign(value) }
    for (const [key, item] of Object.entries(value)) {
      if (key === "__proto__" || (key === "constructor" && isObject(item) && Object.hasOwn(item, "prototype"))) {
        return { path: pathOf(place, key), expected: "no key of this name", received: "one" }
      }
      if (typeof item === "object" && item !== null) places.push({ value: item, depth: depth + 1, key, parent: place })
    }
  }
  return undefined
}

/** A Map or a promise is `{}` as JSON: a person would approve that. */
const isLost = (value: object): boolean =>
  Object.getPrototypeOf(value) !== Object.prototype &&
  !isPlain(value) &&
  (Symbol.iterator in value || typeof Reflect.get(value, "then") === "function")

const pathOf = (place: Place, ...keys: ReadonlyArray<string>): ReadonlyArray<string | number> => {
  const path: Array<string | number> = [...keys]
  for (let at: Place | undefined = place; at !== undefined; at = at.parent)
    if (at.key !== undefined) path.unshift(at.key)
  return path
}
