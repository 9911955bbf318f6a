/** Generates arguments that a tool's schema allows, and damages them. */
import type { Json, Toolset } from "@wield/core"
import * as Jsons from "@wield/core/Json"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Schema from "effect/Schema"
import { generateSync } from "json-schema-faker"

/** Generated values, and their encoding as a model sends them. */
export interface Inputs {
  readonly arbitrary: FastCheck.Arbitrary<unknown>
  /** Fails for an invalid value, which is then skipped. */
  readonly encode: (value: unknown) => Effect.Effect<unknown, unknown>
}

export const validInputs = (
  entry: Toolset.Entry,
  given: FastCheck.Arbitrary<unknown> | undefined
): Either.Either<Inputs, string> => {
  if (given !== undefined) return Either.right({ arbitrary: given, encode: (value) => decodable(entry, value) })
  if (entry.parameters === undefined) return ofJsonSchema(entry)
  const { parameters } = entry
  return Either.match(
    // The services of a schema are not asked for its values.
    attempt(() => Arbitrary.make(Schema.typeSchema(parameters as Schema.Schema<unknown>))),
    {
      // A declaration without an arbitrary. Its JSON Schema may be enough.
      onLeft: () => ofJsonSchema(entry),
      onRight: (arbitrary) =>
        Either.right({
          arbitrary,
          encode: (value) => Effect.flatMap(entry.encode(value), (encoded) => decodable(entry, throughJson(encoded)))
        })
    }
  )
}

/** Values come from a seed, so they do not shrink. */
const ofJsonSchema = (entry: Toolset.Entry): Either.Either<Inputs, string> => {
  const schema = entry.definition.inputSchema
  const generate = (seed: number): unknown => generateSync(schema, { seed, validateSchemaVersion: false, maxDepth: 6 })
  return Either.map(
    attempt(() => generate(1)),
    () => ({
      arbitrary: FastCheck.noShrink(FastCheck.integer({ min: 1, max: 2 ** 31 - 1 })).map((seed) =>
        // A rare schema throws for some seeds only. Such a value is skipped like an invalid one.
        Either.getOrElse(
          attempt(() => generate(seed)),
          () => undefined
        )
      ),
      encode: (value) => decodable(entry, value)
    })
  )
}

/** Generators throw their errors. */
const attempt = <A>(make: () => A): Either.Either<A, string> =>
  Either.try({ try: make, catch: (error) => (error instanceof Error ? error.message : String(error)) })

const decodable = (entry: Toolset.Entry, value: unknown): Effect.Effect<unknown, unknown> =>
  Effect.as(entry.decode(value), value)

/** Drops `undefined`, as JSON does. */
const throughJson = (value: unknown): unknown => {
  // Its type leaves out that nothing has no text.
  const text = JSON.stringify(value) as string | undefined
  // `parse` gives any.
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

/** A change that may make valid arguments invalid. */
type Damage =
  | { readonly _tag: "Removed"; readonly place: number }
  | { readonly _tag: "Replaced"; readonly place: number; readonly value: Json.Json }
  | { readonly _tag: "Other"; readonly value: Json.Json }
  | { readonly _tag: "Cut"; readonly place: number }

// `jsonValue` generates JSON.
const json = FastCheck.jsonValue() as FastCheck.Arbitrary<Json.Json>

export const damages: FastCheck.Arbitrary<Damage> = FastCheck.oneof(
  FastCheck.record({ _tag: FastCheck.constant("Removed" as const), place: FastCheck.nat() }),
  FastCheck.record({ _tag: FastCheck.constant("Replaced" as const), place: FastCheck.nat(), value: json }),
  FastCheck.record({ _tag: FastCheck.constant("Other" as const), value: json }),
  FastCheck.record({ _tag: FastCheck.constant("Cut" as const), place: FastCheck.nat() })
)

/** The damaged arguments as a model sends them. */
export const applyDamage = (
  input: unknown,
  damage: Damage
): { readonly sent: unknown; readonly isText: boolean } | undefined => {
  const fields = Jsons.isObject(input) ? Object.keys(input) : []
  switch (damage._tag) {
    case "Other":
      return { sent: damage.value, isText: false }
    case "Cut": {
      const text = JSON.stringify(input)
      // At least one character remains: empty text means no arguments.
      return { sent: text.slice(0, 1 + (damage.place % (text.length - 1))), isText: true }
    }
    case "Removed":
    case "Replaced": {
      const field = fields[damage.place % Math.max(1, fields.length)]
      if (field === undefined || !Jsons.isObject(input)) return undefined
      const rest = Object.entries(input).filter(([key]) => key !== field)
      return {
        sent: Object.fromEntries(damage._tag === "Removed" ? rest : [...rest, [field, damage.value]]),
        isText: false
      }
    }
  }
}
