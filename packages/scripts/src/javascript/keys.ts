/**
 * What tells a type from another of the same name with other arguments. Written
 * out, the key of a type that holds another twice, which holds another twice, and
 * so on, would fill the memory: so equal types have one number, and a key names
 * parts by theirs.
 */
import type { Type } from "./type.js"

export type Keys = (type: Type) => number

export const makeKeys = (): Keys => {
  const known = new WeakMap<object, number>()
  const numbers = new Map<string, number>()
  const numberOf = (value: object): number => {
    const before = known.get(value)
    if (before !== undefined) return before
    const entries = value instanceof Map ? [...value] : Object.entries(value)
    const parts = entries.map(([name, part]) => [
      name,
      typeof part === "object" && part !== null ? [numberOf(part)] : part
    ])
    const text = JSON.stringify([Array.isArray(value), parts])
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    known.set(value, number)
    return number
  }
  return numberOf
}
