/** The definitions of all tools: those that are the same in several are declared once. */
import type { Json, Loss } from "@wield/core"
import { lookup, segmentsOf } from "../openapi/reference.js"
import type { Node } from "./Node.js"
import { read, type ReadOptions } from "./read.js"
import type { Identifiers } from "./module.js"

export interface Definition {
  readonly name: string
  readonly node: Node
  readonly losses: ReadonlyArray<Loss.Loss>
}

export interface Definitions {
  /** What the references of a schema are called. */
  readonly namesOf: (root: Json.JsonSchema, isValid: ReadOptions["isValid"]) => (reference: string) => string
  readonly all: () => ReadonlyMap<string, Definition>
}

export const definitions = (identifiers: Identifiers): Definitions => {
  const made = new Map<string, Definition>()
  const known = new Map<string, string>()
  const texts = new Map<string, number>()
  const outlines = new WeakMap<object, Outline>()
  const outlineOf = (value: unknown): Outline => {
    if (typeof value !== "object" || value === null) return outline(value, texts)
    const before = outlines.get(value)
    if (before !== undefined) return before
    const found = outline(value, texts)
    outlines.set(value, found)
    return found
  }
  return {
    all: () => made,
    namesOf: (root, isValid) => {
      const names = new Map<string, string>()
      const nameOf = (reference: string): string => {
        const before = names.get(reference)
        if (before !== undefined) return before
        const key = keyOf(reference, root, outlineOf)
        const shared = known.get(key)
        const name = shared ?? identifiers.take(segmentsOf(reference).at(-1) ?? "Root")
        names.set(reference, name)
        if (shared !== undefined) return name
        known.set(key, name)
        const losses: Array<Loss.Loss> = []
        const node = read(lookup(root, reference), [], {
          root,
          subject: name,
          losses,
          nameOf,
          isValid
        })
        made.set(name, { name, node, losses })
        return name
      }
      return nameOf
    }
  }
}

interface Outline {
  readonly number: number
  readonly references: ReadonlyArray<string>
}

const outline = (value: unknown, texts: Map<string, number>): Outline => {
  const text = JSON.stringify(value) ?? ""
  const number = texts.get(text) ?? texts.size
  texts.set(text, number)
  const found = new Set<string>()
  for (const [, reference = ""] of text.matchAll(/"\$ref":("(?:[^"\\]|\\.)*")/g))
    found.add(String(JSON.parse(reference)))
  return { number, references: [...found] }
}

/** What a reference leads to, with all that it leads on to. */
const keyOf = (reference: string, root: Json.JsonSchema, outlineOf: (value: unknown) => Outline): string => {
  const found = new Map<string, number>()
  const waiting = [reference]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    const { number, references } = outlineOf(lookup(root, next))
    found.set(next, number)
    waiting.push(...references)
  }
  return `${reference} ${[...found]
    .map(([one, number]) => `${one}:${number}`)
    .sort()
    .join(" ")}`
}
