/** Options that are given in code. Without types they may be anything, and one that is misspelt would keep nothing out. */
import * as NearestNames from "@wield/core/NearestNames"
import * as SchemaTree from "@wield/core/SchemaTree"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { InvalidConfiguration } from "../ExecutorFactory.js"
import { Expected, faultsOf } from "./decode.js"

/** One field an option. What is `undefined` counts as absent. */
export type Fields<Options> = { readonly [Name in keyof Options]-?: Schema.Schema.AnyNoContext }

export const checkOptions = <Options>(
  fields: Fields<Options>,
  given: unknown
): Effect.Effect<void, InvalidConfiguration> => {
  const stated = Predicate.isRecord(given)
    ? Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
    : given
  const optional = Object.fromEntries(
    Object.entries<Schema.Schema.AnyNoContext>(fields).map(([name, field]) => [name, Schema.optional(field)])
  )
  const read = SchemaTree.decodeNow(Schema.Struct(optional), { errors: "all", onExcessProperty: "error" })(stated)
  if (Either.isRight(read)) return Effect.void
  const faults = faultsOf(read.left).map(({ isOfKey, message, path }) => {
    const hint = NearestNames.hint(String(path.at(-1)), Object.keys(fields))
    return { path: ["options", ...path], message: isOfKey ? `there is no such option${hint}` : message }
  })
  return new InvalidConfiguration({ faults })
}

export const Texts = Schema.Array(Schema.String).annotations({ [Expected]: "an array of texts" })

export const AnyFunction = Schema.declare(
  (value): value is (...given: ReadonlyArray<never>) => unknown => typeof value === "function"
).annotations({ [Expected]: "a function" })

/** A limit: with `Infinity` there is no limit. */
export const Limit = Schema.Number.pipe(Schema.filter((value) => value >= 0)).annotations({
  [Expected]: "a number of at least 0"
})
