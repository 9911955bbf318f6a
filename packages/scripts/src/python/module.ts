/** What the names of a module mean: its imports, classes, functions and values. */
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"

export type Binding =
  /** Something of another module, by its full name: `typing.List`. */
  | { readonly kind: "import"; readonly name: string }
  | { readonly kind: "class"; readonly node: Node; readonly decorators: ReadonlyArray<Node> }
  | { readonly kind: "function"; readonly node: Node; readonly decorators: ReadonlyArray<Node> }
  /** `X = value`, `X: type = value`; without a value where it is no plain assignment. */
  | {
      readonly kind: "value"
      readonly node: Node
      readonly value: Node | undefined
      /** Bound once, and so always the same. */
      readonly isConstant: boolean
    }
  /** `type X = value`. */
  | {
      readonly kind: "alias"
      readonly node: Node
      readonly value: Node
      /** `type X[T] = value`: what stands in the brackets. */
      readonly parameters: Node | undefined
    }

export type FunctionBinding = Extract<Binding, { kind: "function" }>

export interface Module {
  readonly bindings: ReadonlyMap<string, Binding>
  /** Every function of the module itself, in order, also those that a later one of the same name replaces. */
  readonly functions: ReadonlyArray<FunctionBinding>
  /** Any name may be bound by `from … import *`, which says none. */
  readonly importsAll: boolean
}

export const nameOfDefinition = (node: Node): string => node.childForFieldName("name")?.text ?? ""

export const moduleOf = (root: Node): Module => {
  const bindings = new Map<string, Binding>()
  const functions: Array<FunctionBinding> = []
  const bind = (name: string, binding: Binding, isFallback: boolean): void => {
    const before = bindings.get(name)
    // `except ImportError:` and `else:` stand in for what was bound first.
    if (before !== undefined && isFallback) return
    bindings.set(name, binding.kind === "value" && before !== undefined ? { ...binding, isConstant: false } : binding)
  }
  const define = (node: Node, decorators: ReadonlyArray<Node>, where: Where): void => {
    if (node.type === "class_definition") {
      bind(nameOfDefinition(node), { kind: "class", node, decorators }, where.isFallback)
    } else if (node.type === "function_definition" && where.isExecuted) {
      const binding = { kind: "function", node, decorators } as const
      bind(nameOfDefinition(node), binding, where.isFallback)
      functions.push(binding)
    }
  }
  const visit = (node: Node, where: Where): void => {
    switch (node.type) {
      case "import_statement":
      case "import_from_statement":
        for (const [name, full] of importsOf(node)) bind(name, { kind: "import", name: full }, where.isFallback)
        return
      case "class_definition":
      case "function_definition":
        return define(node, [], where)
      case "decorated_definition": {
        const definition = node.childForFieldName("definition")
        const decorators = node.namedChildren.filter((child) => child.type === "decorator")
        return definition === null ? undefined : define(definition, decorators, where)
      }
      case "type_alias_statement": {
        const left = node.childForFieldName("left")
        const value = node.childForFieldName("right")
        const [name, parameters] = namedParts(left)
        if (name?.type === "identifier" && value !== null) {
          bind(name.text, { kind: "alias", node, value, parameters }, where.isFallback)
        }
        return
      }
      case "expression_statement": {
        for (const child of itemsOf(node))
          for (const [name, value] of valuesOf(child)) bind(name, value, where.isFallback)
        return
      }
      case "for_statement":
      case "while_statement":
        for (const [name, value] of within(node)) bind(name, value, where.isFallback)
        return
      case "if_statement": {
        const isExecuted = where.isExecuted && !neverWhenImported(node.childForFieldName("condition"))
        for (const child of node.namedChildren) {
          visit(child, child.type === "block" ? { ...where, isExecuted } : { ...where, isFallback: true })
        }
        return
      }
      case "except_clause":
      case "except_group_clause":
        for (const child of node.namedChildren) visit(child, { ...where, isFallback: true })
        return
      case "block":
      case "try_statement":
      case "with_statement":
      case "elif_clause":
      case "else_clause":
      case "finally_clause":
        for (const child of node.namedChildren) visit(child, where)
    }
  }
  for (const statement of root.namedChildren) visit(statement, { isExecuted: true, isFallback: false })
  const importsAll = root.descendantsOfType("wildcard_import").length > 0
  return { bindings, functions, importsAll }
}

/** `X`, `X[T]`. */
const namedParts = (left: Node | null): ReadonlyArray<Node | undefined> => {
  const inner = left === null ? [] : itemsOf(left)
  return inner[0]?.type === "generic_type" ? itemsOf(inner[0]) : inner
}

interface Where {
  /** Not below `if TYPE_CHECKING:` or `if __name__ == "__main__":`, whose functions an import does not define. */
  readonly isExecuted: boolean
  readonly isFallback: boolean
}

const neverWhenImported = (condition: Node | null): boolean =>
  condition !== null && /^(?:\w+\.)?TYPE_CHECKING$|__name__/.test(condition.text)

const importsOf = (node: Node): ReadonlyArray<readonly [name: string, full: string]> => {
  const from = node.childForFieldName("module_name")?.text
  return node.childrenForFieldName("name").flatMap((item): ReadonlyArray<readonly [string, string]> => {
    const imported = item.type === "aliased_import" ? item.childForFieldName("name")?.text : item.text
    if (imported === undefined) return []
    const alias = item.childForFieldName("alias")?.text
    if (from !== undefined) return [[alias ?? imported, `${from}.${imported}`]]
    // `import a.b` binds `a`.
    const first = imported.split(".")[0] ?? imported
    return alias === undefined ? [[first, first]] : [[alias, imported]]
  })
}

type ValueBinding = Extract<Binding, { kind: "value" }>

const valuesOf = (node: Node): ReadonlyArray<readonly [string, ValueBinding]> => {
  if (node.type !== "assignment" && node.type !== "augmented_assignment") return []
  const left = node.childForFieldName("left")
  const right = node.childForFieldName("right") ?? undefined
  const isChain = right?.type === "assignment"
  const inner = isChain ? valuesOf(right) : []
  const value = isChain ? inner[0]?.[1].value : right
  if (left?.type !== "identifier" || node.type === "augmented_assignment") {
    return [...namesIn(left).map((name): [string, ValueBinding] => [name, changed(node)]), ...inner]
  }
  return [[left.text, { kind: "value", node, value, isConstant: true }], ...inner]
}

const changed = (node: Node): ValueBinding => ({ kind: "value", node, value: undefined, isConstant: false })

const namesIn = (node: Node | null | undefined): ReadonlyArray<string> => {
  if (node === null || node === undefined) return []
  return node.type === "identifier" ? [node.text] : node.namedChildren.flatMap(namesIn)
}

/** What a loop may bind: never a constant. */
const within = (loop: Node): ReadonlyArray<readonly [string, ValueBinding]> => [
  ...namesIn(loop.childForFieldName("left")).map((name): [string, ValueBinding] => [name, changed(loop)]),
  ...loop
    .descendantsOfType(["assignment", "augmented_assignment"])
    .flatMap((node) => (node === null ? [] : valuesOf(node)))
    .map(([name, value]): [string, ValueBinding] => [name, changed(value.node)])
]
