/**
 * Other documents that the program has given, put into the specification, so
 * that every reference stays within one document.
 */
import { Json } from "@wield/core"

const key = "x-wield-documents"

/** The address of the specification itself, where it has none. */
const nowhere = "wield:/specification"

export const bundle = (
  root: Json.JsonSchema,
  documents: { readonly [uri: string]: unknown },
  documentUrl: string | undefined
): Json.JsonSchema => {
  const base = documentUrl ?? nowhere
  const pointers = new Map<string, string>([[absolute(base, base), "#"]])
  const others = Object.entries(documents)
  for (const [index, [uri]] of others.entries()) pointers.set(absolute(uri, base), `#/${key}/${index}`)
  const moved = (value: unknown, here: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => moved(item, here))
    if (!Json.isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, held]) => [
        name,
        name === "$ref" && typeof held === "string" ? rewritten(held, here, pointers) : moved(held, here)
      ])
    )
  }
  return {
    // `moved` gives an object for an object.
    ...(moved(root, absolute(base, base)) as Json.JsonSchema),
    [key]: others.map(([uri, document]) => moved(document, absolute(uri, base)))
  }
}

const rewritten = (reference: string, here: string, pointers: ReadonlyMap<string, string>): string => {
  const target = absolute(reference, here)
  const hash = target.indexOf("#")
  const pointer = pointers.get(hash === -1 ? target : target.slice(0, hash))
  if (pointer === undefined) return reference
  const fragment = hash === -1 ? "" : target.slice(hash + 1)
  return fragment === "" ? pointer : fragment.startsWith("/") ? `${pointer}${fragment}` : reference
}

const absolute = (uri: string, base: string): string => (URL.canParse(uri, base) ? new URL(uri, base).href : uri)
