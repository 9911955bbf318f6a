/** The values of a module's names that are known without running it: bound once at the top level, never changed. */
import type { Module } from "../python/module.js"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"

export type Constants = ReadonlyMap<string, Node>

export const constantsOf = (root: Node, module: Module): Constants => {
  const changed = changedNames(root)
  const topLevel = new Set(root.namedChildren.flatMap((statement) => statement.namedChildren.map(({ id }) => id)))
  const constants = new Map<string, Node>()
  for (const [name, binding] of module.bindings) {
    if (binding.kind !== "value" || binding.value === undefined || !binding.isConstant) continue
    // Below an `if` or a `try`, whether it is bound is not known either.
    if (topLevel.has(binding.node.id) && !changed.has(name)) constants.set(name, binding.value)
  }
  return constants
}

/** Names whose values may be changed in place, or by a function: `TOOLS.append(…)`, `TOOLS[0]["x"] = …`, `global TOOLS`. */
const changedNames = (root: Node): ReadonlySet<string> => {
  const changed = new Set<string>()
  for (const node of root.descendantsOfType(changing)) {
    if (node.type === "global_statement") {
      for (const child of node.namedChildren) changed.add(child.text)
    } else if (node.type === "call") {
      const called = field(node, "function")
      if (called?.type === "attribute" && mutators.has(field(called, "attribute")?.text ?? "")) {
        addRoot(field(called, "object"), changed)
      }
      // What is handed to a function outside of a function's body may be changed by it.
      if (!isWithinFunction(node)) {
        for (const argument of itemsOf(field(node, "arguments"))) addRoot(argument, changed)
      }
    } else if (node.type === "delete_statement") {
      for (const child of node.namedChildren) addRoot(child, changed)
    } else if (node.type === "for_statement") {
      // `for tool in TOOLS: tool["strict"] = True`
      if (!isWithinFunction(node)) addNames(field(node, "right"), changed)
    } else {
      const target = field(node, "left")
      if (target?.type !== "identifier" || node.type === "augmented_assignment") addRoot(target, changed)
    }
  }
  return withSources(root, changed)
}

/** What another name stands for is changed with that: `first = TOOLS[0]`, then `first["strict"] = True`. */
const withSources = (root: Node, changed: Set<string>): ReadonlySet<string> => {
  const assignments = root.descendantsOfType(["assignment", "named_expression"])
  for (let before = -1; before < changed.size;) {
    before = changed.size
    for (const node of assignments) {
      const name = (field(node, "left") ?? field(node, "name"))?.text ?? ""
      const value = field(node, "right") ?? field(node, "value")
      // The parts of a new list are still the same.
      if (changed.has(name)) addNames(value, changed)
    }
  }
  return changed
}

const changing = ["assignment", "augmented_assignment", "call", "delete_statement", "for_statement", "global_statement"]

const mutators: ReadonlySet<string> = new Set(
  "add append clear discard extend insert pop popitem remove reverse setdefault sort update".split(" ")
)

/** `TOOLS` of `TOOLS[0]["function"].x`. */
const addRoot = (node: Node | undefined, names: Set<string>): void => {
  if (node?.type === "identifier") names.add(node.text)
  else if (node?.type === "subscript") addRoot(field(node, "value"), names)
  else if (node?.type === "attribute") addRoot(field(node, "object"), names)
}

const addNames = (node: Node | undefined, names: Set<string>): void => {
  for (const { text } of node?.descendantsOfType("identifier") ?? []) names.add(text)
}

const isWithinFunction = (node: Node): boolean => {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (outer.type === "function_definition" || outer.type === "lambda") return true
  }
  return false
}
