/**
 * Selections as configurations say them.
 */
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { NearestNames } from "@wield/core"

/** A list, or its members with commas between them; nothing, where there is null. */
const Names = Schema.Union(Schema.String, Schema.Array(Schema.String), Schema.Null).annotations({
  message: () => ({
    message: 'must be a list of names, or names with commas between them, such as "fs, web_search"',
    override: true
  })
})

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const Configuration = Schema.Struct({
  visible_tools: optional(Names),
  enabled_tools: optional(Names),
  mapping_tools: optional(
    Schema.Record({ key: Schema.String, value: Names }).annotations({
      message: () => 'must be an object of names by alias, such as { "fs": "fs_cat, fs_ls" }'
    })
  ),
  global_tools: optional(Names)
}).annotations({ message: () => 'must be an object with keys such as "enabled_tools"' })

type NamesOf = string | ReadonlyArray<string> | null | undefined

export const namesOf = (names: NamesOf): ReadonlyArray<string> =>
  (typeof names === "string" ? names.split(",") : (names ?? []))
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** `all` alone, or among others. */
export const enabledOf = (names: NamesOf): "all" | ReadonlyArray<string> => {
  const listed = namesOf(names)
  return listed.includes("all") ? "all" : listed
}

/** A key without a value, as YAML has it. */
const withoutNoAliases = (value: unknown): unknown => {
  if (!Json.isObject(value) || value["mapping_tools"] !== null) return value
  const { mapping_tools: _, ...rest } = value
  return rest
}

const keys = Object.keys(Configuration.fields)

/** Each as `path: what is wrong`. */
export const decodeConfiguration = (
  value: unknown
): Either.Either<Schema.Schema.Type<typeof Configuration>, ReadonlyArray<string>> => {
  const decoded = Schema.decodeUnknownEither(Configuration, { errors: "all" })(withoutNoAliases(value))
  if (Either.isLeft(decoded)) {
    return Either.left(
      ParseResult.ArrayFormatter.formatErrorSync(decoded.left).map(({ message, path }) =>
        path.length === 0 ? message : `${path.join(".")}: ${message}`
      )
    )
  }
  // The configuration holds much else, but nothing else that is almost one of these.
  const misspelt = Object.keys(Object(value)).flatMap((key) => {
    const meant = keys.includes(key) ? undefined : NearestNames.nearest(key, keys, 2)
    return meant === undefined ? [] : [`${key}: is not known; ${meant} is`]
  })
  return misspelt.length > 0 ? Either.left(misspelt) : Either.right(decoded.right)
}
