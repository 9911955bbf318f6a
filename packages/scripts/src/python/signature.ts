/** The parameters of a function, with what its docstring says of them. */
import type { Json } from "@wield/core"
import * as NearestNames from "@wield/core/NearestNames"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Parameter } from "../Script.js"
import type { Node } from "../syntax/treeSitter.js"
import { defaultOf, reportDefault } from "./default.js"
import { describe } from "./describe.js"
import type { Docstring, DocumentedParameter } from "./docstring.js"
import type { Documentation } from "./documentation.js"
import { fieldOf, isField, knownDefault } from "./field.js"
import { itemsOf, placeOf } from "../syntax/node.js"
import { type Read, type Reading, report } from "./reading.js"
import { acceptsNull, isAnything, nullable } from "./schema.js"
import { schemaOfText } from "./types.js"
import { compute } from "./computed.js"

/** `undefined` where a parameter cannot be given by name: the function is no tool then, and the problems say why. */
export const parametersOf = (
  definition: Node,
  documentation: Documentation,
  docstring: Docstring,
  reading: Reading
): Read<ReadonlyArray<Parameter> | undefined> =>
  Effect.gen(function* () {
    const name = definition.childForFieldName("name")?.text ?? ""
    const list = definition.childForFieldName("parameters")
    const nodes = list === null ? [] : itemsOf(list)
    const declared = nodes.flatMap((node) => declarationOf(node) ?? [])
    const isGivenByName = refuse(nodes, name, reading)
    reportUndeclared(declared, documentation, docstring, name, reading)
    // Read for what there is to tell of them, also where the function is no tool.
    const parameters = yield* Effect.forEach(declared, (declaration) =>
      parameterOf(declaration, name, documentation, docstring.parameters.get(declaration.name), reading)
    )
    return isGivenByName ? parameters : undefined
  })

interface Declaration {
  readonly node: Node
  readonly name: string
  readonly type: Node | undefined
  readonly value: Node | undefined
}

const declarationOf = (node: Node): Declaration | undefined => {
  const name = node.type === "identifier" ? node : (node.childForFieldName("name") ?? node.namedChildren[0])
  return name?.type === "identifier" && declaring.has(node.type)
    ? {
        node,
        name: name.text,
        type: node.childForFieldName("type") ?? undefined,
        value: node.childForFieldName("value") ?? undefined
      }
    : undefined
}

const declaring: ReadonlySet<string> = new Set([
  "identifier",
  "typed_parameter",
  "default_parameter",
  "typed_default_parameter"
])

const reportUndeclared = (
  declared: ReadonlyArray<Declaration>,
  documentation: Documentation,
  docstring: Docstring,
  subject: string,
  reading: Reading
): void => {
  const names = declared.map(({ name }) => name)
  for (const name of docstring.parameters.keys()) {
    if (names.includes(name)) continue
    const nearest = NearestNames.nearest(name, names)
    report(reading, {
      severity: "warning",
      rule: "unknown-parameter",
      message: `The docstring of ${subject} describes \`${name}\`, which is no parameter${nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`}; models do not read this`,
      at: documentation.node,
      subject
    })
  }
}

const parameterOf = (
  { name, node, type, value }: Declaration,
  functionName: string,
  documentation: Documentation,
  documented: DocumentedParameter | undefined,
  reading: Reading
): Read<Parameter> =>
  Effect.gen(function* () {
    const owner = { subject: `${functionName}.${name}` }
    const declared =
      type === undefined
        ? yield* undeclaredType(node, value, owner.subject, documentation, documented, reading)
        : yield* reading.typeOf(type, owner)
    const field = isField(value, reading) ? fieldOf(value, reading, owner) : undefined
    const typed = field === undefined ? declared : field.apply(declared)
    const given = value === undefined || field !== undefined ? undefined : defaultOf(value, reading)
    const known = given !== undefined && Either.isRight(given) ? given.right : knownDefault(field)
    const hasDefault = value !== undefined && (field === undefined || field.default !== undefined)
    // `x: int = None` means `Optional[int]`, as it did before PEP 484 was amended.
    const accepting = known === null ? nullable(typed) : typed
    const schema = describe(accepting, documented?.description)
    if (given !== undefined && Either.isLeft(given)) reportDefault(given.left, owner, reading)
    // As in Loki, an argument that may be None and has no default can be left out: the function is then given None.
    const isRequired = !hasDefault && (isAnything(schema) || !acceptsNull(typed) || type === undefined)
    if (documented?.isOptional === true && isRequired) {
      report(reading, {
        severity: "warning",
        rule: "optional-without-default",
        message: `The docstring calls ${owner.subject} optional, but the function cannot be called without it; give it a default`,
        at: node,
        subject: owner.subject
      })
    }
    const isTold = known !== undefined && (value === undefined || !isAnything(typed) || isSameInJson(value))
    return { name, schema: isTold ? { ...schema, default: known } : schema, isRequired }
  })

/** A model may send the default it reads; where no type makes a tuple of an array again, that would be another value. */
const isSameInJson = (value: Node): boolean =>
  !["tuple", "set", "call", "attribute"].includes(value.type) && value.descendantsOfType(["tuple", "set"]).length === 0

const undeclaredType = (
  node: Node,
  value: Node | undefined,
  subject: string,
  documentation: Documentation,
  documented: DocumentedParameter | undefined,
  reading: Reading
): Read<Json.JsonSchema> =>
  Effect.gen(function* () {
    const written = documented?.type
    const owner = { subject, place: placeOf(documentation.node) }
    const schema = written === undefined ? undefined : yield* schemaOfText(annotationOf(written), reading, owner)
    if (schema !== undefined) return schema
    const implied = value === undefined ? undefined : typeOfDefault(value, reading)
    const consequence =
      implied?.schema === undefined ? "so any value is accepted" : `so ${implied.said} of its default is taken for it`
    const name = node.childForFieldName("name")?.text ?? node.text
    report(reading, {
      severity: "warning",
      rule: written === undefined ? "missing-type" : "unknown-type",
      message:
        written === undefined
          ? `${subject} has no type, ${consequence}; annotate it, such as \`${name}: ${implied?.annotation ?? "str"}\``
          : `The type \`${written}\` that the docstring gives ${subject} is not known, ${consequence}; annotate the parameter`,
      at: node,
      subject
    })
    return implied?.schema ?? {}
  })

interface DefaultType {
  /** Absent where anything may be meant. */
  readonly schema: Json.JsonSchema | undefined
  /** To be read in a sentence: "the type integer". */
  readonly said: string
  /** What may be written in Python. */
  readonly annotation: string
}

/** The type that follows from a default, where nothing else says one. */
const typeOfDefault = (node: Node, reading: Reading): DefaultType | undefined => {
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
  const type = compute(node, reading)?.type
  return type === undefined ? undefined : typed(type, annotations[type])
}

const annotations = { integer: "int", number: "float", string: "str" } as const

const typed = (type: string, annotation: string): DefaultType => ({
  schema: { type },
  said: `the type ${type}`,
  annotation
})

/** A model names each argument: it can give neither further ones nor ones by position. */
const refuse = (nodes: ReadonlyArray<Node>, subject: string, reading: Reading): boolean => {
  const separator = nodes.findIndex((node) => node.type === "positional_separator")
  const refused = nodes.flatMap((node, index): ReadonlyArray<{ node: Node; advice: string }> => {
    if (index < separator) {
      return [{ node, advice: `\`${node.text}\` stands before \`/\`; take the \`/\` out` }]
    }
    const inner = node.type === "typed_parameter" ? (node.namedChildren[0] ?? node) : node
    if (inner.type === "list_splat_pattern") {
      const name = inner.text.replace(/^\*\s*/, "")
      return [{ node, advice: `in place of \`${inner.text}\` declare a list, \`${name}: list[str]\`` }]
    }
    if (inner.type === "dictionary_splat_pattern") {
      const name = inner.text.replace(/^\*\*\s*/, "")
      return [
        { node, advice: `in place of \`${inner.text}\` name each parameter, or declare \`${name}: dict[str, Any]\`` }
      ]
    }
    return []
  })
  for (const { advice, node } of refused) {
    report(reading, {
      severity: "error",
      rule: "unsupported-parameter",
      message: `*args/**kwargs/positional-only parameters are not supported in tool functions: ${advice}`,
      at: node,
      subject
    })
  }
  const patterns = nodes.filter(
    (node) => node.type === "tuple_pattern" || node.childForFieldName("name")?.type === "tuple_pattern"
  )
  for (const node of patterns) {
    report(reading, {
      severity: "error",
      rule: "unsupported-parameter",
      message: `\`${node.text}\` is Python 2 and names no parameter; declare one parameter and take it apart in the function`,
      at: node,
      subject
    })
  }
  return refused.length + patterns.length === 0
}

/** `list of str` is `list[str]`, `int or None` is `int | None`, `{'a', 'b'}` is a choice. */
const annotationOf = (written: string): string => {
  const text = written
    .trim()
    .replace(/^[`~]+|`+$/g, "")
    .replace(/^:(?:py:)?class:`~?(.*)$/, "$1")
  const choice = /^(?:one of\s+)?\{(.*)\}$/.exec(text)?.[1]
  if (choice !== undefined && !/^\w+\s*:/.test(choice)) return `Literal[${choice}]`
  const alternatives = text.split(/\s+or\s+/)
  if (alternatives.length > 1) return alternatives.map((one) => annotationOf(one.replace(/,$/, ""))).join(" | ")
  const of = /^(list|array|sequence|tuple|set|iterable|dict)s?\s+of\s+(.*)$/i.exec(text)
  if (of !== null) return ofItems(of[1]?.toLowerCase() ?? "", annotationOf(of[2] ?? ""))
  return words.get(text.toLowerCase()) ?? text
}

const ofItems = (collection: string, item: string): string => {
  if (collection === "tuple") return `tuple[${item}, ...]`
  if (collection === "dict") return `dict[str, ${item}]`
  return `${collection === "set" ? "set" : "list"}[${item}]`
}

const words: ReadonlyMap<string, string> = new Map([
  ["string", "str"],
  ["strings", "str"],
  ["strs", "str"],
  ["text", "str"],
  ["integer", "int"],
  ["integers", "int"],
  ["ints", "int"],
  ["number", "float"],
  ["numbers", "float"],
  ["floats", "float"],
  ["double", "float"],
  ["boolean", "bool"],
  ["booleans", "bool"],
  ["bools", "bool"],
  ["array", "list"],
  ["sequence", "list"],
  ["dictionary", "dict"],
  ["mapping", "dict"],
  ["dicts", "dict"],
  ["none", "None"],
  ["null", "None"],
  ["any", "Any"]
])
