/** What a call that keeps messages is called with. */
import * as Either from "effect/Either"
import type { Arguments } from "../Executor.js"
import type { Call } from "./calls.js"
import { fieldOf } from "./fields.js"

/** Values of the context by their names, and those of the message by their folded ones. */
export interface Values {
  readonly context: { readonly [name: string]: unknown }
  readonly message: { readonly [field: string]: unknown }
}

/** By the names as the entry spells them. Fails with the field of the context that has no value. */
export const argumentsOf = ({ entry, taken }: Call, values: Values): Either.Either<Arguments, string> => {
  const context = new Map(Object.entries(values.context).map(([name, value]) => [name.toLowerCase(), value]))
  const missing = entry.context.find(
    (name) => !entry.optionalContext.includes(name) && (context.get(name.toLowerCase()) ?? undefined) === undefined
  )
  if (missing !== undefined) return Either.left(missing)
  return Either.right(
    Object.fromEntries(
      taken.names.flatMap((name) => {
        const key = fieldOf(name)
        const isOfMessage = Object.hasOwn(values.message, key)
        const value = isOfMessage ? values.message[key] : context.get(name.toLowerCase())
        return value === undefined ? [] : [[name, taken.numeric.has(name) ? numberOf(value) : value]]
      })
    )
  )
}

/** Times are ISO 8601 texts unless the API wants a number; ids of conversations are texts. */
const numberOf = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  const number = /^[+-]?\d+(?:\.\d+)?$/.test(value) ? Number(value) : Date.parse(value)
  return Number.isNaN(number) ? value : number
}
