/**
 * References within a document. One that leads out of it is never followed:
 * there is nothing here that could read a file or an address.
 */
import { Json } from "@wield/core"
import * as Either from "effect/Either"

/** The object that a value is or refers to, or why there is none. */
export type Resolve = (value: unknown) => Json.JsonSchema | NotResolved

export interface NotResolved {
  readonly notResolved: string
}

/** No specification means more references to references than this. */
const maxHops = 50

export const resolver =
  (document: Json.JsonSchema): Resolve =>
  (value) => {
    let current = value
    for (let hop = 0; hop < maxHops; hop++) {
      if (!Json.isObject(current)) return { notResolved: `expected an object, found ${kindOf(current)}` }
      const reference = current["$ref"]
      if (typeof reference !== "string") return current
      if (!isLocal(reference)) return { notResolved: outside(reference) }
      current = lookup(document, reference)
      if (current === undefined) return { notResolved: `${quoted(reference)} points at nothing in the document` }
    }
    return { notResolved: "the reference leads to itself" }
  }

export const isResolved = (resolved: Json.JsonSchema | NotResolved): resolved is Json.JsonSchema =>
  typeof resolved["notResolved"] !== "string"

export const isLocal = (reference: string): boolean => reference === "#" || reference.startsWith("#/")

export const outside = (reference: string): string =>
  `${quoted(reference)} leads out of the document, and nothing is ever fetched: give the other document in \`documents\``

/** What a pointer such as `#/components/schemas/Pet` points at. */
export const lookup = (document: unknown, reference: string): unknown => {
  let current = document
  for (const segment of segmentsOf(reference)) {
    if (Array.isArray(current)) current = current[Number(segment)]
    else if (Json.isObject(current) && Object.hasOwn(current, segment)) current = current[segment]
    else return undefined
  }
  return current
}

export const segmentsOf = (reference: string): ReadonlyArray<string> =>
  reference
    .slice(1)
    .split("/")
    .slice(1)
    .map((segment) => decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~"))

/** A pointer in a reference is percent-encoded; one with a bare `%` was not. */
const decoded = (segment: string): string =>
  segment.includes("%")
    ? Either.getOrElse(
        Either.try(() => decodeURIComponent(segment)),
        () => segment
      )
    : segment

const quoted = (reference: string): string => JSON.stringify(reference.slice(0, 200))

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "an array" : typeof value)
