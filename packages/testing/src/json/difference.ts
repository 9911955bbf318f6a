/** Finds the first difference of two JSON values. The order of keys does not count. */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"

export interface Difference {
  readonly path: ReadonlyArray<string | number>
  /** `undefined` if there is no value. */
  readonly left: unknown
  readonly right: unknown
}

/** `isSame` compares values that are neither two objects nor two arrays. */
export const firstDifference = (
  left: unknown,
  right: unknown,
  isSame: (left: unknown, right: unknown) => boolean = Object.is,
  path: ReadonlyArray<string | number> = []
): Difference | undefined => {
  if (Array.isArray(left) && Array.isArray(right)) {
    for (let index = 0; index < Math.max(left.length, right.length); index++) {
      const difference = firstDifference(left[index], right[index], isSame, [...path, index])
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (Json.isObject(left) && Json.isObject(right)) {
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const difference = firstDifference(own(left, key), own(right, key), isSame, [...path, key])
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return isSame(left, right) ? undefined : { path, left, right }
}

const own = (value: { readonly [key: string]: unknown }, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** The path in JSONPath. */
const renderPath = (path: ReadonlyArray<string | number>): string =>
  path.length === 0 ? "$" : `$.${Issue.pathToText(path)}`.replace("$.[", "$[")

export const renderDifference = (difference: Difference, left: string, right: string): string =>
  `at ${renderPath(difference.path)}, ${left} ${renderValue(difference.left)}, ${right} ${renderValue(difference.right)}`

const renderValue = (value: unknown): string => {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value))
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
