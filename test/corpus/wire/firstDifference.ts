/** Where two JSON values first differ, for a reader of a failed check. */

export const firstDifference = (
  expected: unknown,
  found: unknown,
  path: ReadonlyArray<string | number> = []
): string => {
  if (isObject(expected) && isObject(found) && Array.isArray(expected) === Array.isArray(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      if (!(key in expected)) return at([...path, key], "nothing", show(found[key]))
      if (!(key in found)) return at([...path, key], show(expected[key]), "nothing")
      const inner = firstDifference(expected[key], found[key], [...path, key])
      if (inner !== "") return inner
    }
    return ""
  }
  return Object.is(expected, found) ? "" : at(path, show(expected), show(found))
}

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null

const show = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

const at = (path: ReadonlyArray<string | number>, expected: string, found: string): string =>
  `at ${path.join(".") || "the root"} expected\n  ${expected}\nfound\n  ${found}`
