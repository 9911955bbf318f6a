/** Whether two JSON values are the same, whatever the order of their keys. */
import { Json } from "@wield/core"

export const isSameJson = (left: unknown, right: unknown): boolean => {
  // Without recursion: a body may be nested deeper than the stack.
  const pairs: Array<readonly [unknown, unknown]> = [[left, right]]
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [one, other] = pair
    if (Object.is(one, other)) continue
    if (Array.isArray(one) && Array.isArray(other)) {
      if (one.length !== other.length) return false
      one.forEach((item, index) => pairs.push([item, other[index]]))
    } else if (Json.isObject(one) && Json.isObject(other)) {
      const keys = Object.keys(one)
      if (keys.length !== Object.keys(other).length) return false
      for (const key of keys) {
        if (!Object.hasOwn(other, key)) return false
        pairs.push([one[key], other[key]])
      }
    } else return false
  }
  return true
}
