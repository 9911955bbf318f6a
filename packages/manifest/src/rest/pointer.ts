/** JSON Pointer (RFC 6901). */
import * as Json from "@wield/core/Json"

export const isPointer = (text: string): boolean => text === "" || (text.startsWith("/") && !/~(?![01])/.test(text))

const keysOf = (pointer: string): ReadonlyArray<string> =>
  pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))

/** What stands at a pointer; `undefined` if nothing does. */
export const at = (value: unknown, pointer: string): unknown => {
  let current = value
  for (const key of keysOf(pointer)) {
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined
    else if (Json.isObject(current) && Object.hasOwn(current, key)) current = current[key]
    else return undefined
  }
  return current
}

export const replaceAt = (value: unknown, pointer: string, by: unknown): unknown => {
  const go = (current: unknown, [key, ...rest]: ReadonlyArray<string>): unknown => {
    if (key === undefined) return by
    if (Array.isArray(current)) return current.map((item, index) => (String(index) === key ? go(item, rest) : item))
    if (!Json.isObject(current)) return current
    return Object.fromEntries(
      Object.entries(current).map(([name, item]) => [name, name === key ? go(item, rest) : item])
    )
  }
  return go(value, keysOf(pointer))
}
