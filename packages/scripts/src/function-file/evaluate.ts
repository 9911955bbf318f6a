/** The value of an expression with the places of its parts, if nothing has to run to know it. */
import * as Json from "@wield/core/Json"
import * as Either from "effect/Either"
import { literalOf, pairOf } from "../python/literal.js"
import { describeNode, type NotLiteral, notLiteral } from "../python/notLiteral.js"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import type { Constants } from "./constants.js"
import { isRecord, list, type Located, record, scalar } from "./Located.js"

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

const unknown = (node: Node): Either.Either<never, NotLiteral> => Either.left(notLiteral(node, describeNode(node)))

const valueOf = (node: Node, scope: Scope): Evaluated => {
  const inner = (child: Node): Evaluated => valueOf(child, scope)
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
        const what = `the name \`${node.text}\`, which is JSON's and which Python writes \`${meant}\`,`
        return Either.left(notLiteral(node, what))
      }
      if (value === undefined || within.has(node.text)) return unknown(node)
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
      return only === undefined ? unknown(node) : inner(only)
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
    const [body, clause, ...more] = itemsOf(node)
    const name = field(clause, "left")
    const source = field(clause, "right")
    if (body === undefined || clause?.type !== "for_in_clause" || more.length > 0) return yield* unknown(node)
    if (name?.type !== "identifier" || source === undefined) return yield* unknown(node)
    const { items, value } = yield* valueOf(source, scope)
    if (!Json.isArray(value)) return yield* unknown(node)
    const results = items.map((item) =>
      valueOf(body, { ...scope, locals: new Map([...scope.locals, [name.text, item]]) })
    )
    return list(yield* Either.all(results), placeOf(node))
  })

/** `*BASE` stands for the items of a list. */
const itemsIn = (node: Node, inner: Inner): Either.Either<ReadonlyArray<Located>, NotLiteral> => {
  if (node.type !== "list_splat") return Either.map(inner(node), (item) => [item])
  return Either.flatMap(spreadIn(node, inner), ({ items, value }) =>
    Json.isArray(value) ? Either.right(items) : Either.left(notLiteral(node, `${describeNode(node)}, which is no list`))
  )
}

/** `**BASE` stands for the entries of a dict. */
const entriesIn = (node: Node, inner: Inner): Either.Either<ReadonlyArray<readonly [string, Located]>, NotLiteral> => {
  if (node.type === "dictionary_splat") {
    return Either.flatMap(spreadIn(node, inner), ({ entries, value }) =>
      isRecord(value)
        ? Either.right([...entries])
        : Either.left(notLiteral(node, `${describeNode(node)}, which is no dict`))
    )
  }
  return Either.map(
    pairOf(node, inner, ({ value }) => value),
    (pair) => [pair]
  )
}

const spreadIn = (node: Node, inner: Inner): Evaluated => {
  const [spread] = itemsOf(node)
  return spread === undefined ? unknown(node) : inner(spread)
}

/** Lists and texts with `+`, dicts with `|`. */
const joined = (node: Node, inner: Inner): Evaluated =>
  Either.gen(function* () {
    const [left, right] = [field(node, "left"), field(node, "right")]
    const operator = field(node, "operator")?.text
    if (left === undefined || right === undefined) return yield* unknown(node)
    const [one, other] = [yield* inner(left), yield* inner(right)]
    if (operator === "|" && isRecord(one.value) && isRecord(other.value)) {
      return record(new Map([...one.entries, ...other.entries]), placeOf(node))
    }
    if (operator !== "+") return yield* unknown(node)
    if (Json.isArray(one.value) && Json.isArray(other.value)) return list([...one.items, ...other.items], placeOf(node))
    const areTexts = typeof one.value === "string" && typeof other.value === "string"
    return areTexts && one.value.length + other.value.length <= longestText
      ? scalar(one.value + other.value, placeOf(node))
      : yield* unknown(node)
  })

/** `BASE["key"]`, `BASE[0]`. */
const partOf = (node: Node, inner: Inner): Evaluated =>
  Either.gen(function* () {
    const whole = field(node, "value")
    const [index, ...more] = node.childrenForFieldName("subscript")
    if (whole === undefined || index === undefined || more.length > 0) return yield* unknown(node)
    // What is said of `os.environ["NAME"]` is said of all of it.
    const { entries, items } = yield* Either.orElse(inner(whole), () => unknown(node))
    const key = (yield* Either.orElse(inner(index), () => unknown(node))).value
    const found = typeof key === "string" ? entries.get(key) : typeof key === "number" ? items.at(key) : undefined
    return found ?? (yield* unknown(node))
  })
