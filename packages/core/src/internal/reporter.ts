/**
 * What is wrong with a value, found by walking schema and value side by side:
 * the same issues as `issuesOf` finds in what Effect's interpreter reports,
 * without the tree of reports in between. Nodes that this does not know are
 * left to the interpreter, one by one.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaTree from "../SchemaTree.js"
import type { Excess } from "../compiler/Emitter.js"
import { type Issue, show } from "../Issue.js"
import { describe } from "./describe.js"
import { issuesOf, telling } from "./issuesOf.js"

type Path = ReadonlyArray<string | number>

/** Where the walk is: most places have no issue, so that only an issue copies it. */
type Place = Array<string | number>

/** Adds what is wrong with the value at the place. */
type Reporter = (value: unknown, place: Place, issues: Array<Issue>) => void

/** The issues of a value that could not be shown to be valid; none where only the interpreter can tell. */
export const reporter = (ast: SchemaTree.Node, excess: Excess): ((value: unknown) => ReadonlyArray<Issue>) => {
  const report = new Reporters(excess).of(ast)
  return (value) => {
    const issues: Array<Issue> = []
    report(value, [], issues)
    return issues
  }
}

/** Of the nodes of one schema: each is made once. */
class Reporters {
  readonly #made = new Map<SchemaTree.Node, Reporter>()
  readonly #options: { readonly errors: "all"; readonly onExcessProperty: Excess }

  constructor(excess: Excess) {
    this.#options = { errors: "all", onExcessProperty: excess }
  }

  of(node: SchemaTree.Node): Reporter {
    let known = this.#made.get(node)
    if (known === undefined) {
      // A recursive schema comes back to a node whose reporter is being made.
      let target: Reporter | undefined
      this.#made.set(node, (value, place, issues) => target?.(value, place, issues))
      known = target = isPlain(node) ? this.#make(node) : this.#interpreted(node)
      this.#made.set(node, known)
    }
    return known
  }

  #make(node: SchemaTree.Node): Reporter {
    switch (node._tag) {
      case "StringKeyword":
        return check(node, (value) => typeof value === "string")
      case "NumberKeyword":
        return check(node, (value) => typeof value === "number")
      case "BooleanKeyword":
        return check(node, (value) => typeof value === "boolean")
      case "UndefinedKeyword":
        return check(node, (value) => value === undefined)
      case "Literal":
        return check(node, (value) => value === node.literal)
      case "UnknownKeyword":
      case "AnyKeyword":
        return () => undefined
      case "TypeLiteral":
        return node.indexSignatures.length === 0 && node.propertySignatures.length > 0
          ? this.#struct(node)
          : this.#interpreted(node)
      case "TupleType":
        return this.#array(node)
      case "Union":
        return node.types.some(mayBeTagged)
          ? this.#interpreted(node)
          : (this.#oneOf(node) ?? this.#optional(node) ?? this.#union(node))
      case "Refinement":
        return this.#refinement(node)
      case "Transformation":
        return node.transformation._tag === "TypeLiteralTransformation"
          ? this.#encodedFirst(node)
          : this.#interpreted(node)
      default:
        return this.#interpreted(node)
    }
  }

  #interpreted(node: SchemaTree.Node): Reporter {
    const parse = SchemaTree.decode(Schema.make<unknown, unknown, never>(node), this.#options)
    return (value, place, issues) => {
      const result = tryParse(parse, value)
      if (isIssue(result)) {
        issues.push({ ...result, path: [...place, ...result.path] })
        return
      }
      if (Either.isEither(result) && Either.isLeft(result)) {
        // Effect's own parser fails with this only.
        for (const issue of issuesOf(result.left as SchemaTree.Problem, [...place])) issues.push(issue)
      }
    }
  }

  #struct(node: SchemaTree.NodeOf<"TypeLiteral">): Reporter {
    const wrong = expectation(node)
    const known = new Set(node.propertySignatures.map(({ name }) => name))
    const properties = node.propertySignatures.map((property) => ({
      name: property.name,
      key: String(property.name),
      isOptional: property.isOptional,
      missing: expectation(property.type),
      report: this.of(property.type)
    }))
    return (value, place, issues) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        issues.push({ path: [...place], expected: wrong(), received: show(value) })
        return
      }
      // What is left is an object.
      const fields = value as { readonly [name: PropertyKey]: unknown }
      if (this.#options.onExcessProperty === "error") {
        for (const key of Reflect.ownKeys(value)) {
          if (known.has(key)) continue
          issues.push({
            path: [...place, String(key)],
            expected: "no argument of this name",
            received: show(fields[key])
          })
        }
      }
      for (const { isOptional, key, missing, name, report } of properties) {
        const has = Object.hasOwn(value, name)
        if (!has && isOptional) continue
        const before = issues.length
        place.push(key)
        report(fields[name], place, issues)
        if (!has && issues.length > before) {
          issues.splice(before, issues.length, { path: [...place], expected: missing(), received: undefined })
        }
        place.pop()
      }
    }
  }

  #array(node: SchemaTree.NodeOf<"TupleType">): Reporter {
    const [rest, ...more] = node.rest
    if (rest === undefined || more.length > 0 || node.elements.length > 0) return this.#interpreted(node)
    const wrong = expectation(node)
    const report = this.of(rest.type)
    return (value, place, issues) => {
      if (!Array.isArray(value)) {
        issues.push({ path: [...place], expected: wrong(), received: show(value) })
        return
      }
      for (let index = 0; index < value.length; index++) {
        place.push(index)
        report(value[index], place, issues)
        place.pop()
      }
    }
  }

  /** Literals, of which none tells more than that it is not the value. */
  #oneOf(node: SchemaTree.NodeOf<"Union">): Reporter | undefined {
    const values: Array<unknown> = []
    for (const type of node.types) {
      if (!isPlain(type) || (type._tag !== "Literal" && type._tag !== "UndefinedKeyword")) return undefined
      values.push(type._tag === "Literal" ? type.literal : undefined)
    }
    const possible = values.filter((value) => value !== undefined).length
    // `indexOf` compares as the interpreter does.
    return possible > 1 ? check(node, (value) => values.indexOf(value) >= 0) : undefined
  }

  /** What may be left out is, where it is there, meant to be the one other member. */
  #optional(node: SchemaTree.NodeOf<"Union">): Reporter | undefined {
    const [member, ...others] = node.types.filter((type) => type._tag !== "UndefinedKeyword")
    if (member === undefined || others.length > 0 || !node.types.every((type) => type === member || isPlain(type))) {
      return undefined
    }
    const report = this.of(member)
    return (value, place, issues) => {
      if (value !== undefined) report(value, place, issues)
    }
  }

  #union(node: SchemaTree.NodeOf<"Union">): Reporter {
    const expected = expectation(node)
    const members = node.types.map((type) => this.of(type))
    return (value, place, issues) => {
      const each: Array<ReadonlyArray<Issue>> = []
      for (const member of members) {
        const own: Array<Issue> = []
        member(value, place, own)
        if (own.length === 0) return
        each.push(own)
      }
      const ofBranch = telling(
        node.types.map((type) => type._tag === "UndefinedKeyword"),
        each,
        place
      )
      for (const issue of ofBranch ?? [{ path: [...place], expected: expected(), received: show(value) }])
        issues.push(issue)
    }
  }

  #refinement(node: SchemaTree.NodeOf<"Refinement">): Reporter {
    const from = node.from
    const isLeaf = from._tag === "StringKeyword" || from._tag === "NumberKeyword" || from._tag === "Refinement"
    // Filters of arrays and structs may report beside what is wrong inside of them.
    if (!isLeaf || !isPlain(from)) return this.#interpreted(node)
    const report = this.of(from)
    const expected = expectation(node)
    return (value, place, issues) => {
      const before = issues.length
      report(value, place, issues)
      if (issues.length === before && Option.isSome(node.filter(value, this.#options, node))) {
        issues.push({ path: [...place], expected: expected(), received: show(value) })
      }
    }
  }

  /** Defaults and new names come after the encoded side, which is what a model gets wrong. */
  #encodedFirst(node: SchemaTree.NodeOf<"Transformation">): Reporter {
    const first = this.of(node.from)
    const whole = this.#interpreted(node)
    return (value, place, issues) => {
      const before = issues.length
      first(value, place, issues)
      if (issues.length === before) whole(value, place, issues)
    }
  }
}

const check = (node: SchemaTree.Node, isRight: (value: unknown) => boolean): Reporter => {
  const expected = expectation(node)
  return (value, place, issues) => {
    if (!isRight(value)) issues.push({ path: [...place], expected: expected(), received: show(value) })
  }
}

/**
 * The interpreter tells the members of a union apart by a property as text, and
 * throws where a model sent one that has none, such as `{"toString":1}`. A
 * schema that throws is the program's mistake. No effect is involved.
 */
const tryParse = <A>(parse: (value: unknown) => A, value: unknown): A | Issue => {
  try {
    return parse(value)
  } catch (error) {
    const path = error instanceof TypeError ? textless(value, []) : undefined
    if (path === undefined) throw error
    return { path, expected: "no key of this name", received: "one" }
  }
}

const isIssue = (result: object): result is Issue => "expected" in result

/** Where an object has a key instead of the method by which it becomes text. */
const textless = (value: unknown, path: Path): Path | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  for (const [key, item] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(key) : key]
    if (key === "toString" && typeof item !== "function") return place
    const inside = textless(item, place)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** The words for a node, found once, when they are needed. */
const expectation = (node: SchemaTree.Node): (() => string) => {
  let words: string | undefined
  return () => (words ??= describe(node))
}

/** An author's own message, other options and fallbacks are the interpreter's business. */
const isPlain = (node: SchemaTree.Node): boolean =>
  SchemaTree.messageOf(node) === undefined && !SchemaTree.hasOptions(node) && !SchemaTree.fallsBack(node)

/** Members that a literal tells apart are reported on by that literal. */
const mayBeTagged = (node: SchemaTree.Node): boolean => {
  switch (node._tag) {
    case "TypeLiteral":
      return node.propertySignatures.some(
        ({ isOptional, type }) => !isOptional && SchemaTree.encodedSide(type)._tag === "Literal"
      )
    case "TupleType":
      return node.elements.length > 0
    case "Refinement":
      return mayBeTagged(node.from)
    case "Transformation":
      return mayBeTagged(node.from)
    case "Declaration":
    case "Suspend":
      return true
    default:
      return false
  }
}
