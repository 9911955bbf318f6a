/** References inside of a document, as JSON Pointers. */
import { isObject, type JsonSchema } from "../Json.js"
import type { Path } from "./keywords.js"

/** What a reference such as `#/$defs/Order` points at; `undefined` for any other kind and where nothing is. */
export const resolveLocal = (reference: string, root: JsonSchema): JsonSchema | undefined => {
  if (!reference.startsWith("#")) return undefined
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: unknown = root
  for (const key of keysOf(reference)) {
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isObject(at) ? at : undefined
}

export const pathOfPointer = (reference: string): Path =>
  keysOf(reference).map((key) => (/^(0|[1-9]\d*)$/.test(key) ? Number(key) : key))

const keysOf = (reference: string): ReadonlyArray<string> =>
  reference
    .slice(2)
    .split("/")
    .map((segment) => decodeToken(segment).replaceAll("~1", "/").replaceAll("~0", "~"))

const decodeToken = (segment: string): string => {
  // A `%` that encodes nothing stands for itself; the decoder throws at it.
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
