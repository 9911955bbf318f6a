/** The value of an expression with the places of its parts, if nothing has to run to know it. */
import * as Either from "effect/Either"
import { itemsOf, literalOf } from "../python/literal.js"
import { describeNode, type NotLiteral, notLiteral } from "../python/notLiteral.js"
import { placeOf } from "../syntax/placeOf.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Constants } from "./constants.js"
import { isArray, isRecord, list, type Located, record, scalar } from "./Located.js"

type Evaluated = Either.Either<Located, NotLiteral>

export const evaluate = (node: Node, constants: Constants): Evaluated =>
  valueOf(node, { constants, within: new Set(), locals: new Map(), budget: { left: mostParts } })

/** Beyond what people write: names that hold others twice, which hold others twice, and so on, would fill the memory. */
const mostParts = 100_000
const longestText = 1_048_576

interface Scope {
  readonly constants: Constants
  /** The names whose values are being read: one that leads back to itself has none. */
  readonly within: ReadonlySet<string>
  /** What a comprehension binds. */
  readonly locals: ReadonlyMap<string, Located>
  /** How many more values may be read. */
  readonly budget: { left: number }
}

const valueOf = (node: Node, scope: Scope): Evaluated => {
  const inner = (child: Node): Evaluated => valueOf(child, scope)
  const unknown = (): Evaluated => Either.left(notLiteral(node, describeNode(node)))
  if (--scope.budget.left < 0) return Either.left(notLiteral(node, `an expression of more than ${mostParts} values`))
  switch (node.type) {
    case "identifier": {
      const { budget, constants, locals, within } = scope
      const local = locals.get(node.text)
      if (local !== undefined) {
        budget.left -= local.size
        return Either.right(local)
      }
      const value = constants.get(node.text)
      const meant = inPython.get(node.text)
      if (value === undefined && meant !== undefined) {
        return Either.left(
          notLiteral(node, `the name \`${node.text}\`, which is JSON's and which Python writes \`${meant}\`,`)
        )
      }
      if (value === undefined || within.has(node.text)) return unknown()
      return valueOf(value, { constants, within: new Set([...within, node.text]), locals: new Map(), budget })
    }
    case "list_comprehension":
      return mapped(node, scope)
    case "list":
    case "tuple":
    case "expression_list":
      return Either.map(Either.all(itemsOf(node).map((item) => itemsIn(item, inner))), (items) =>
        list(items.flat(), placeOf(node))
      )
    case "dictionary":
      return Either.map(Either.all(itemsOf(node).map((item) => entriesIn(item, inner))), (entries) =>
        record(new Map(entries.flat()), placeOf(node))
      )
    case "parenthesized_expression": {
      const [only] = itemsOf(node)
      return only === undefined ? unknown() : inner(only)
    }
    case "binary_operator":
      return joined(node, inner)
    case "subscript":
      return partOf(node, inner)
    default:
      return Either.map(literalOf(node), (value) => {
        const literal = scalar(value, placeOf(node))
        scope.budget.left -= literal.size
        return literal
      })
  }
}

/** What people write who have JSON in mind. */
const inPython: ReadonlyMap<string, string> = new Map([
  ["true", "True"],
  ["false", "False"],
  ["null", "None"]
])

type Inner = (node: Node) => Evaluated

/** `[tool["function"]["name"] for tool in TOOLS]`, and nothing beyond it. */
const mapped = (node: Node, scope: Scope): Evaluated =>
  Either.gen(function* () {
    const unknown = Either.left(notLiteral(node, describeNode(node)))
    const [body, clause, ...more] = itemsOf(node)
    const name = clause?.childForFieldName("left")
    const source = clause?.childForFieldName("right")
    if (body === undefined || clause?.type !== "for_in_clause" || more.length > 0) return yield* unknown
    if (name?.type !== "identifier" || source === null || source === undefined) return yield* unknown
    const { items, value } = yield* valueOf(source, scope)
    if (!isArray(value)) return yield* unknown
    const results = items.map((item) =>
      valueOf(body, { ...scope, locals: new Map([...scope.locals, [name.text, item]]) })
    )
    return list(yield* Either.all(results), placeOf(node))
  })

/** `*BASE` stands for the items of a list. */
const itemsIn = (node: Node, inner: Inner): Either.Either<ReadonlyArray<Located>, NotLiteral> => {
  if (node.type !== "list_splat") return Either.map(inner(node), (item) => [item])
  const [spread] = itemsOf(node)
  return spread === undefined
    ? Either.left(notLiteral(node, describeNode(node)))
    : Either.flatMap(inner(spread), ({ items, value }) =>
        isArray(value) ? Either.right(items) : Either.left(notLiteral(node, `${describeNode(node)}, which is no list`))
      )
}

/** `**BASE` stands for the entries of a dict. */
const entriesIn = (node: Node, inner: Inner): Either.Either<ReadonlyArray<readonly [string, Located]>, NotLiteral> => {
  if (node.type === "dictionary_splat") {
    const [spread] = itemsOf(node)
    return spread === undefined
      ? Either.left(notLiteral(node, describeNode(node)))
      : Either.flatMap(inner(spread), ({ entries, value }) =>
          isRecord(value)
            ? Either.right([...entries])
            : Either.left(notLiteral(node, `${describeNode(node)}, which is no dict`))
        )
  }
  return Either.gen(function* () {
    const key = node.childForFieldName("key")
    const value = node.childForFieldName("value")
    if (key === null || value === null) return yield* Either.left(notLiteral(node, describeNode(node)))
    const name = (yield* inner(key)).value
    if (typeof name !== "string") {
      return yield* Either.left(notLiteral(key, `the key ${key.text}, which is no string: JSON has no other keys`))
    }
    return [[name, yield* inner(value)] as const]
  })
}

/** Lists and texts with `+`, dicts with `|`. */
const joined = (node: Node, inner: Inner): Evaluated =>
  Either.gen(function* () {
    const unknown = Either.left(notLiteral(node, describeNode(node)))
    const left = node.childForFieldName("left")
    const right = node.childForFieldName("right")
    const operator = node.childForFieldName("operator")?.text
    if (left === null || right === null) return yield* unknown
    const [one, other] = [yield* inner(left), yield* inner(right)]
    if (operator === "|" && isRecord(one.value) && isRecord(other.value)) {
      return record(new Map([...one.entries, ...other.entries]), placeOf(node))
    }
    if (operator !== "+") return yield* unknown
    if (isArray(one.value) && isArray(other.value)) return list([...one.items, ...other.items], placeOf(node))
    return typeof one.value === "string" &&
      typeof other.value === "string" &&
      one.value.length + other.value.length <= longestText
      ? scalar(one.value + other.value, placeOf(node))
      : yield* unknown
  })

/** `BASE["key"]`, `BASE[0]`. */
const partOf = (node: Node, inner: Inner): Evaluated =>
  Either.gen(function* () {
    const unknown = Either.left(notLiteral(node, describeNode(node)))
    const whole = node.childForFieldName("value")
    const [index, ...more] = node.childrenForFieldName("subscript")
    if (whole === null || index === undefined || more.length > 0) return yield* unknown
    // What is said of `os.environ["NAME"]` is said of all of it.
    const { entries, items } = yield* Either.orElse(inner(whole), () => unknown)
    const key = (yield* Either.orElse(inner(index), () => unknown)).value
    const found = typeof key === "string" ? entries.get(key) : typeof key === "number" ? items.at(key) : undefined
    return found ?? (yield* unknown)
  })
