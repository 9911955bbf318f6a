/** JSON Pointer (RFC 6901). */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Json from "@wield/core/Json"

export const isPointer = (text: string): boolean => text === "" || (text.startsWith("/") && !/~(?![01])/.test(text))

export const replaceAt = (value: unknown, pointer: string, by: unknown): unknown => {
  const go = (current: unknown, [key, ...rest]: ReadonlyArray<string>): unknown => {
    if (key === undefined) return by
    if (Array.isArray(current)) return current.map((item, index) => (String(index) === key ? go(item, rest) : item))
    if (!Json.isObject(current)) return current
    return Object.fromEntries(
      Object.entries(current).map(([name, item]) => [name, name === key ? go(item, rest) : item])
    )
  }
  return go(value, JsonPointer.keysOf(pointer))
}
