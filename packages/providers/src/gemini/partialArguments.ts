/** Gemini's API: arguments that stream in leaf by leaf, each with its place as a JSON path (Vertex AI, `streamFunctionCallArguments`). */
import type { Json } from "@wield/core"
import { either } from "./turn.js"
import { type Fields, stringField } from "../internal/wireField.js"

type Node =
  | { readonly _tag: "Object"; readonly fields: Map<string, Node> }
  | { readonly _tag: "Array"; readonly items: Map<number, Node> }
  | { readonly _tag: "Text"; readonly pieces: Array<string>; isOpen: boolean }
  | { readonly _tag: "Value"; readonly value: Json.Json }

type ObjectNode = Extract<Node, { _tag: "Object" }>

export class PartialArguments {
  readonly #root: ObjectNode = { _tag: "Object", fields: new Map() }

  /** Whether the place was understood. */
  put(part: Fields): boolean {
    const text = either(part, "jsonPath", "json_path")
    const path = typeof text === "string" ? segments(text) : undefined
    if (path === undefined) return false
    let node: Node = this.#root
    path.forEach((segment, index) => {
      const next = path[index + 1]
      node = next === undefined ? node : descend(node, segment, typeof next === "number")
      if (next === undefined) setLeaf(node, segment, part)
    })
    return true
  }

  value(): Json.JsonObject {
    return objectOf(this.#root)
  }
}

/** More than any schema is deep. */
const maxSegments = 200

const segment = /\.([^.[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y

/** `$.recipe.steps[0]['the name']` in its segments; `undefined` for other paths, and for the root. */
const segments = (path: string): ReadonlyArray<string | number> | undefined => {
  const out: Array<string | number> = []
  if (!path.startsWith("$")) return undefined
  segment.lastIndex = 1
  while (segment.lastIndex < path.length) {
    const found = segment.exec(path)
    if (found === null || out.length === maxSegments) {
      segment.lastIndex = 0
      return undefined
    }
    const [, name, index, single, double] = found
    out.push(index === undefined ? (name ?? (single ?? double ?? "").replaceAll(/\\(.)/g, "$1")) : Number(index))
  }
  return typeof out[0] === "string" ? out : undefined
}

const childOf = (node: Node, key: string | number): Node | undefined => {
  if (node._tag === "Object") return node.fields.get(String(key))
  return node._tag === "Array" && typeof key === "number" ? node.items.get(key) : undefined
}

const setChild = (node: Node, key: string | number, child: Node): void => {
  if (node._tag === "Object") node.fields.set(String(key), child)
  else if (node._tag === "Array" && typeof key === "number") node.items.set(key, child)
}

const descend = (node: Node, key: string | number, isArray: boolean): Node => {
  const known = childOf(node, key)
  if (known?._tag === (isArray ? "Array" : "Object")) return known
  const made: Node = isArray ? { _tag: "Array", items: new Map() } : { _tag: "Object", fields: new Map() }
  setChild(node, key, made)
  return made
}

const setLeaf = (node: Node, key: string | number, part: Fields): void => {
  const text = stringField(part, "stringValue") ?? stringField(part, "string_value")
  const willContinue = either(part, "willContinue", "will_continue") === true
  if (text !== undefined) {
    const known = childOf(node, key)
    if (known?._tag === "Text" && known.isOpen) {
      known.pieces.push(text)
      known.isOpen = willContinue
    } else setChild(node, key, { _tag: "Text", pieces: [text], isOpen: willContinue })
    return
  }
  const value = either(part, "numberValue", "number_value") ?? either(part, "boolValue", "bool_value")
  if (typeof value === "number" || typeof value === "boolean") setChild(node, key, { _tag: "Value", value })
  else if ("nullValue" in part || "null_value" in part) setChild(node, key, { _tag: "Value", value: null })
}

// The depth is bounded by `maxSegments`.
const valueOf = (node: Node): Json.Json => {
  switch (node._tag) {
    case "Object":
      return objectOf(node)
    case "Array":
      return Array.from(node.items)
        .sort(([left], [right]) => left - right)
        .map(([, item]) => valueOf(item))
    case "Text":
      return node.pieces.join("")
    case "Value":
      return node.value
  }
}

// Not by assignment: `__proto__` may be the name of a parameter.
const objectOf = (node: ObjectNode): Json.JsonObject =>
  Object.fromEntries(Array.from(node.fields, ([key, field]) => [key, valueOf(field)]))
