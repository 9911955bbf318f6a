/**
 * Values of Postgres, from the text that it writes of them, as JSON. The
 * session writes dates in ISO 8601 and bytes in hexadecimal.
 */
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import { parse as parseArray } from "postgres-array"
import { ofBytes, ofInteger, ofJson, ofNumber } from "./cell.js"

type Read = (text: string) => unknown

const itself: Read = (text) => text
const whole: Read = (text) => ofInteger(BigInt(text))
const float: Read = (text) => ofNumber(Number(text))
/** `2026-01-31 10:00:00+00`; the space and the short zone are not ISO 8601. */
const timestamp: Read = (text) => text.replace(/^(\d+-\d\d-\d\d) /, "$1T").replace(/([+-]\d\d)( BC)?$/, "$1:00$2")
const bytes: Read = (text) =>
  Either.match(Encoding.decodeHex(text.replace(/^\\x/, "")), { onLeft: () => text, onRight: ofBytes })

/** By the object identifiers that every Postgres has; others are text. */
const reads: ReadonlyMap<number, Read> = new Map([
  [16, (text: string) => text === "t"],
  [17, bytes],
  ...[20, 21, 23, 26].map((type) => [type, whole] as const),
  ...[700, 701].map((type) => [type, float] as const),
  ...[114, 3802].map((type) => [type, ofJson] as const),
  ...[1114, 1184].map((type) => [type, timestamp] as const)
])

/** The type of a built-in array's elements. */
const elements: ReadonlyMap<number, number> = new Map([
  [1000, 16],
  [1001, 17],
  [1005, 21],
  [1007, 23],
  [1016, 20],
  [1021, 700],
  [1022, 701],
  [1028, 26],
  [1115, 1114],
  [1185, 1184],
  [199, 114],
  [3807, 3802],
  [1002, 18],
  [1003, 19],
  [1009, 25],
  [1014, 1042],
  [1015, 1043],
  [1182, 1082],
  [1183, 1083],
  [1187, 1186],
  [1231, 1700],
  [1270, 1266],
  [2951, 2950],
  [1041, 869],
  [651, 650],
  [1040, 829],
  [791, 790]
])

/** Whether a type was made in this database, so that only it knows whether it is an array. */
export const isOwnType = (type: number): boolean => type >= 16_384

/** `arrays` has the types of elements of arrays that were made in this database. */
export const valueOf = (text: string | null, type: number, arrays: ReadonlyMap<number, number>): unknown => {
  if (text === null) return null
  const element = elements.get(type) ?? arrays.get(type)
  if (element === undefined) return (reads.get(type) ?? itself)(text)
  return parseArray(text, (inner) => valueOf(inner, element, arrays))
}
