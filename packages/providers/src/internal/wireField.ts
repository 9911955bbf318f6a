/**
 * Fields of a body whose shape is not known yet. A field of the wrong type is
 * an absent one: a format decides which fields it cannot do without.
 */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import { WireError } from "../WireError.js"

export type Fields = Json.JsonObject

/** Where something stands in a body. */
export type Path = ReadonlyArray<string | number>

/** A body was parsed from JSON text, so that each object in it is JSON. */
export const isObject = (value: unknown): value is Json.JsonObject => Json.isObject(value)

/** As `isObject`, for lists. */
export const isList = (value: unknown): value is ReadonlyArray<Json.Json> => Array.isArray(value)

/** A field of any type. Some clients and servers write `null` for every field that they do not state. */
export const statedField = (value: unknown, key: string): Json.Json | undefined =>
  isObject(value) ? (value[key] ?? undefined) : undefined

/** The first key that something is stated under: of an object with one, what kind it is. */
export const statedKey = (value: unknown): string | undefined =>
  isObject(value) ? Object.keys(value).find((key) => value[key] !== null) : undefined

export const stringField = (value: unknown, key: string): string | undefined => {
  const field = isObject(value) ? value[key] : undefined
  return typeof field === "string" ? field : undefined
}

export const numberField = (value: unknown, key: string): number | undefined => {
  const field = isObject(value) ? value[key] : undefined
  return typeof field === "number" && Number.isFinite(field) ? field : undefined
}

/** A place in a list; some servers write it as a text. */
export const indexField = (value: unknown, key: string): number | undefined => {
  const field = isObject(value) ? value[key] : undefined
  return typeof field === "string" && /^\d{1,9}$/.test(field) ? Number(field) : numberField(value, key)
}

/** A place in a list as a key: some servers write it as a text, and an object may have no text. */
export const placeKey = (place: unknown): string => (typeof place === "object" ? JSON.stringify(place) : String(place))

export const objectField = (value: unknown, key: string): Json.JsonObject | undefined => {
  const field = isObject(value) ? value[key] : undefined
  return isObject(field) ? field : undefined
}

/** The items of a list; none where there is no list. */
export const listField = (value: unknown, key: string): ReadonlyArray<Json.Json> => {
  const field = isObject(value) ? value[key] : undefined
  return isList(field) ? field : []
}

/**
 * An object whose fields of these names are lists, or not there. Some servers write an empty list as `{}`, one entry without
 * a list around it, several as an object by their numbers, and null for an entry that is not there.
 */
export const withLists = (fields: Fields, ...keys: ReadonlyArray<string>): Fields => {
  let all = fields
  for (const key of keys) {
    const entries = otherEntriesOf(all[key])
    if (entries === undefined) continue
    const { [key]: _, ...rest } = all
    all = entries.length === 0 ? rest : { ...rest, [key]: entries }
  }
  return all
}

/** The list of a body that says by another field that it is whole: some servers write `null` for an empty one. */
export const listOf = (body: Fields, key: string, ending: string): Json.Json | undefined =>
  body[key] === null && stringField(body, ending) !== undefined ? [] : withLists(body, key)[key]

/** The entries of what is a list otherwise than it should be. */
const otherEntriesOf = (value: Json.Json | undefined): ReadonlyArray<Json.Json> | undefined => {
  if (isList(value)) return value.includes(null) ? value.filter((entry) => entry !== null) : undefined
  if (!isObject(value)) return undefined
  return Object.keys(value).every((key) => /^\d+$/.test(key)) ? Object.values(value) : [value]
}

export const wireError = (format: string, path: Path, expected: string, received: unknown): WireError =>
  new WireError({ format, path, expected, received: Issue.show(received) })

/** Says for a format that a body is not what it should be. */
export const failIn =
  (format: string) =>
  (path: Path, expected: string, received: unknown): Either.Either<never, WireError> =>
    Either.left(wireError(format, path, expected, received))
