/** What the specification allows, of a value that is not quite so. */
import type * as Sdk from "@modelcontextprotocol/client"
import * as Json from "@wield/core/Json"
import type { Fields } from "./nulls.js"

export type SpecType = keyof typeof Sdk.specTypeSchemas

export const makeRepair = (sdk: typeof Sdk) => {
  /** Leaves out optional fields that are odd, and those that the specification does not know. */
  return (type: SpecType, value: Fields, isKept: (field: string) => boolean = () => false) => {
    let mended: unknown = value
    for (let round = 0; round < 8; round++) {
      const checked = sdk.specTypeSchemas[type]["~standard"].validate(mended)
      // The SDK's schemas check at once, and a type of the specification is an object.
      if ("value" in checked && checked.issues === undefined) return { value: checked.value as Fields }
      const problems = "issues" in checked ? (checked.issues ?? []) : []
      // A field with many is left out as a whole: to take them out one by one takes the square of their number.
      const isMany = problems.length > mostProblems
      const done = new Set<string | undefined>()
      // From the end: what an array leaves out moves what comes after.
      for (const { message, path = [] } of problems.slice().reverse()) {
        const whole = path.map((key) => (typeof key === "object" ? key.key : key)).map(String)
        if (isMany && done.has(whole[0])) continue
        done.add(whole[0])
        const keys = isMany ? whole.slice(0, 1) : whole
        // A field that is missing is the fault of what should have it.
        while (keys.length > 0 && at(mended, keys) === undefined) keys.pop()
        const [first] = keys
        if (first === undefined || isKept(first)) {
          const place = path.map((key) => (typeof key === "object" ? key.key : key)).join(".")
          return { problem: place === "" ? message : `${place}: ${message}` }
        }
        mended = without(mended, keys)
      }
    }
    return { problem: "too much of it is not as it should be" }
  }
}

const mostProblems = 20

const at = (value: unknown, keys: ReadonlyArray<string>): unknown =>
  keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? // It has the key.
          (inner as { readonly [key: string]: unknown })[key]
        : undefined,
    value
  )

const without = (value: unknown, [key = "", ...inner]: ReadonlyArray<string>): unknown => {
  if (Array.isArray(value)) {
    return inner.length === 0
      ? value.filter((_, index) => String(index) !== key)
      : value.map((item, index) => (String(index) === key ? without(item, inner) : item))
  }
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      name !== key ? [[name, field]] : inner.length === 0 ? [] : [[name, without(field, inner)]]
    )
  )
}
