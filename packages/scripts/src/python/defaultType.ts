/**
 * The type that follows from a default, where nothing else says one.
 */
import type { Json } from "@wield/core"
import type { Node } from "../syntax/treeSitter.js"
import { computedOf } from "./computed.js"
import type { Reading } from "./reading.js"

interface DefaultType {
  /** Absent where anything may be meant. */
  readonly schema: Json.JsonSchema | undefined
  /** To be read in a sentence: "the type integer". */
  readonly said: string
  /** What may be written in Python. */
  readonly annotation: string
}

export const typeOfDefault = (node: Node, reading: Reading): DefaultType | undefined => {
  switch (node.type) {
    case "none":
      return { schema: undefined, said: "", annotation: "str | None" }
    case "true":
    case "false":
      return typed("boolean", "bool")
    case "list":
      return typed("array", "list")
    case "dictionary":
      return typed("object", "dict")
    // Arrays to JSON, but the function may be written for what they are.
    case "tuple":
    case "set":
      return { schema: undefined, said: "", annotation: node.type }
  }
  const type = computedOf(node, reading)?.type
  return type === undefined ? undefined : typed(type, annotations[type])
}

const annotations = { integer: "int", number: "float", string: "str" } as const

const typed = (type: string, annotation: string): DefaultType => ({
  schema: { type },
  said: `the type ${type}`,
  annotation
})
