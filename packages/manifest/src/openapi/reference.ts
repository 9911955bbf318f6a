/** References within a document. One that leads out of it is never followed: nothing here reads files. */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Json from "@wield/core/Json"

/** The object that a value is or refers to, or why it is missing. */
export type Resolve = (value: unknown) => Json.JsonSchema | NotResolved

export interface NotResolved {
  readonly notResolved: string
}

const maxHops = 50

export const resolver = (document: Json.JsonSchema): Resolve => {
  const targets = new Map<string, unknown>()
  const targetOf = (reference: string): unknown => {
    if (!targets.has(reference)) targets.set(reference, lookup(document, reference))
    return targets.get(reference)
  }
  return (value) => {
    let current = value
    for (let hop = 0; hop < maxHops; hop++) {
      if (!Json.isObject(current)) return { notResolved: `expected an object, found ${kindOf(current)}` }
      const reference = current["$ref"]
      if (typeof reference !== "string") return current
      if (!isLocal(reference)) return { notResolved: outside(reference) }
      current = targetOf(reference)
      if (current === undefined) return { notResolved: `${quoted(reference)} points at nothing in the document` }
    }
    return { notResolved: "the reference leads to itself" }
  }
}

/** The same with what stands beside the reference, which goes before what it leads to. */
export const withSiblings = (value: unknown, resolve: Resolve): Json.JsonSchema | NotResolved => {
  const resolved = resolve(value)
  if (!Json.isObject(value) || !isResolved(resolved) || resolved === value) return resolved
  const { $ref: _, ...beside } = value
  return { ...resolved, ...beside }
}

export const isResolved = (resolved: Json.JsonSchema | NotResolved): resolved is Json.JsonSchema =>
  typeof resolved["notResolved"] !== "string"

export const isLocal = (reference: string): boolean => reference === "#" || reference.startsWith("#/")

export const outside = (reference: string): string =>
  reference.startsWith("#")
    ? `${quoted(reference)} is an anchor: expected a pointer, such as #/components/schemas/Name`
    : `${quoted(reference)} leads out of the document, and nothing is ever fetched: give the other document in \`documents\``

/** What a pointer such as `#/components/schemas/Pet` points at; `components` may itself be a reference. */
export const lookup = (document: unknown, reference: string, hops = { left: maxHops }): unknown => {
  let current = document
  for (const segment of JsonPointer.keysOf(reference)) {
    for (let target = leadingOn(current, segment); target !== undefined; target = leadingOn(current, segment)) {
      if (hops.left-- <= 0) return undefined
      current = lookup(document, target, hops)
    }
    if (Array.isArray(current)) current = current[Number(segment)]
    else if (Json.isObject(current) && Object.hasOwn(current, segment)) current = current[segment]
    else return undefined
  }
  return current
}

const leadingOn = (value: unknown, segment: string): string | undefined => {
  if (!Json.isObject(value) || Object.hasOwn(value, segment)) return undefined
  const reference = value["$ref"]
  return typeof reference === "string" && isLocal(reference) ? reference : undefined
}

const quoted = (reference: string): string => JSON.stringify(reference.slice(0, 200))

const kindOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "an array" : typeof value)

const key = "x-wield-documents"

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
