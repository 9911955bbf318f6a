/** What a name in an expression stands for. */
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Binding, Module } from "./module.js"

export type Meaning =
  | { readonly kind: "local"; readonly name: string; readonly binding: Exclude<Binding, { kind: "import" }> }
  /** Of another module or built in. The modules that only name Python's own types are left out: `List`, `uuid.UUID`. */
  | { readonly kind: "outside"; readonly name: string }

/** Its name and its arguments, where it is `Name[...]`, which the grammar says in two ways. */
export const partsOf = (node: Node): readonly [base: Node | undefined, args: ReadonlyArray<Node>] => {
  const [first, parameters] = itemsOf(node)
  switch (node.type) {
    case "type":
      return first === undefined ? [undefined, []] : partsOf(first)
    case "subscript":
      return [field(node, "value"), node.childrenForFieldName("subscript")]
    case "generic_type":
      return [first, itemsOf(parameters)]
    default:
      return [node, []]
  }
}

/** `undefined` for anything but a name. */
export const meaningOf = (node: Node, module: Module): Meaning | undefined => {
  if (node.type === "identifier") {
    const binding = module.bindings.get(node.text)
    if (binding === undefined) return { kind: "outside", name: node.text }
    return binding.kind === "import"
      ? { kind: "outside", name: withoutModule(binding.name) }
      : { kind: "local", name: node.text, binding }
  }
  if (node.type !== "attribute" || !/^[\w.]+$/u.test(node.text.replace(/\p{L}/gu, "x"))) return undefined
  const [first = "", ...rest] = node.text.split(".")
  const binding = module.bindings.get(first)
  if (binding !== undefined && binding.kind !== "import") return undefined
  return { kind: "outside", name: withoutModule([binding?.name ?? first, ...rest].join(".")) }
}

/** The name of what is of another module; empty for everything else. */
export const outsideNameOf = (node: Node | undefined, module: Module): string => {
  const meaning = node && meaningOf(node, module)
  return meaning?.kind === "outside" ? meaning.name : ""
}

/** The same, of what is called; empty where nothing is. */
export const calledName = (node: Node | undefined, module: Module): string =>
  node?.type === "call" ? outsideNameOf(field(node, "function"), module) : ""

export const argumentsOf = (call: Node | undefined): ReadonlyArray<Node> => itemsOf(field(call, "arguments"))

const withoutModule = (name: string): string =>
  name.replace(/^(?:typing|typing_extensions|collections\.abc|collections|builtins|types)\./, "")
