/**
 * Fields of a body whose shape is not known yet. A field of the wrong type is
 * an absent one: a format decides which fields it cannot do without.
 */
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import { WireError } from "../WireError.js"

export type Fields = { readonly [key: string]: unknown }

export const stringField = (object: Fields, key: string): string | undefined => {
  const value = object[key]
  return typeof value === "string" ? value : undefined
}

export const numberField = (object: Fields, key: string): number | undefined => {
  const value = object[key]
  return typeof value === "number" && Number.isFinite(value) ? value : undefined
}

export const objectField = (object: Fields, key: string): Fields | undefined => {
  const value = object[key]
  return Json.isObject(value) ? value : undefined
}

/** The sum of the counts that are known; `undefined` where none is. */
export const sumOf = (...counts: ReadonlyArray<number | undefined>): number | undefined => {
  let sum: number | undefined
  for (const count of counts) if (count !== undefined) sum = (sum ?? 0) + count
  return sum
}

export const wireError = (
  format: string,
  path: ReadonlyArray<string | number>,
  expected: string,
  received: unknown
): WireError => new WireError({ format, path, expected, received: Issue.show(received) })
