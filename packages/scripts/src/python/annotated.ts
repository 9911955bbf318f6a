/**
 * What stands beside the type in `Annotated[T, ...]`.
 */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Node } from "../syntax/treeSitter.js"
import { describedBy } from "./describedBy.js"
import { fieldOf, isField } from "./field.js"
import { itemsOf, literalOf } from "./literal.js"
import { outsideNameOf } from "./qualifiedName.js"
import type { Owner, Reading } from "./reading.js"

/** The first text is the description; what is known of no one says nothing, as Python has it. */
export const annotated = (
  schema: Json.JsonSchema,
  metadata: ReadonlyArray<Node>,
  reading: Reading,
  owner: Owner
): Json.JsonSchema => {
  let result = schema
  let text: string | undefined
  for (const part of metadata) {
    const node = part.type === "type" ? (itemsOf(part)[0] ?? part) : part
    if (isField(node, reading)) {
      result = fieldOf(node, reading, owner).apply(result)
    } else {
      text ??= textOf(node, reading)
      result = { ...result, ...boundOf(node, reading) }
    }
  }
  // A field that describes it comes first; what the type says of itself is told besides.
  return result["description"] === schema["description"] ? describedBy(result, text) : result
}

/** A text, or `Doc("…")`. */
const textOf = (node: Node, reading: Reading): string | undefined => {
  const isDoc = node.type === "call" && outsideNameOf(node.childForFieldName("function"), reading.module) === "Doc"
  const value = literalOf(isDoc ? (firstArgument(node) ?? node) : node)
  return Either.isRight(value) && typeof value.right === "string" ? value.right : undefined
}

/** The bounds of `annotated_types`. */
const boundOf = (node: Node, reading: Reading): Json.JsonSchema => {
  if (node.type !== "call") return {}
  const keyword = bounds.get(outsideNameOf(node.childForFieldName("function"), reading.module))
  const argument = firstArgument(node)
  const value = argument === undefined ? undefined : Either.getOrUndefined(literalOf(argument))
  return keyword === undefined || typeof value !== "number" ? {} : { [keyword]: value }
}

const firstArgument = (call: Node): Node | undefined => {
  const list = call.childForFieldName("arguments")
  return list === null ? undefined : itemsOf(list)[0]
}

const bounds: ReadonlyMap<string, string> = new Map([
  ["annotated_types.Ge", "minimum"],
  ["annotated_types.Gt", "exclusiveMinimum"],
  ["annotated_types.Le", "maximum"],
  ["annotated_types.Lt", "exclusiveMaximum"],
  ["annotated_types.MultipleOf", "multipleOf"]
])
