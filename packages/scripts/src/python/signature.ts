/** The parameters of a function, with what its docstring says of them. */
import type { Json } from "@wield/core"
import * as NearestNames from "@wield/core/NearestNames"
import type { Parameter } from "../Script.js"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { compute } from "./computed.js"
import type { Docstring, Documentation, DocumentedParameter } from "./docstring.js"
import { valueOf } from "./field.js"
import { about, type Reading } from "./reading.js"
import { acceptsNull, describe, isAnything, nullable } from "./schema.js"
import { schemaOfText } from "./types.js"
import { namesTo } from "../syntax/names.js"

/** `undefined` where a parameter cannot be given by name: the function is no tool then, and the problems say why. */
export const parametersOf = (
  definition: Node,
  documentation: Documentation,
  docstring: Docstring,
  reading: Reading
): ReadonlyArray<Parameter> | undefined => {
  const nodes = itemsOf(field(definition, "parameters"))
  const declared = nodes.flatMap((node) => declarationOf(node) ?? [])
  const isGivenByName = refuse(nodes, reading)
  reportUndeclared(declared, documentation, docstring, reading)
  // Read for what there is to tell of them, also where the function is no tool.
  const parameters = declared.map((declaration) => {
    const within = about(reading, `${reading.subject}.${declaration.name}`)
    return parameterOf(declaration, documentation, docstring.parameters.get(declaration.name), within)
  })
  return isGivenByName ? parameters : undefined
}

interface Declaration {
  readonly node: Node
  readonly name: string
  readonly type: Node | undefined
  readonly value: Node | undefined
}

const declarationOf = (node: Node): Declaration | undefined => {
  const name = node.type === "identifier" ? node : (field(node, "name") ?? node.namedChildren[0])
  return name?.type === "identifier" && declaring.includes(node.type)
    ? { node, name: name.text, type: field(node, "type"), value: field(node, "value") }
    : undefined
}

const declaring = ["identifier", "typed_parameter", "default_parameter", "typed_default_parameter"]

const reportUndeclared = (
  declared: ReadonlyArray<Declaration>,
  documentation: Documentation,
  docstring: Docstring,
  { report, subject }: Reading
): void => {
  const names = declared.map(({ name }) => name)
  for (const name of docstring.parameters.keys()) {
    if (names.includes(name)) continue
    const nearest = NearestNames.nearest(name, names)
    const meant = nearest === undefined ? "" : ` (did you mean \`${nearest}\`?)`
    const message = `The docstring of ${subject} describes \`${name}\`, which is no parameter${meant}; models do not read this`
    report.warning("unknown-parameter", message, { place: placeOf(documentation.node), subject })
  }
}

const parameterOf = (
  { name, node, type, value }: Declaration,
  documentation: Documentation,
  documented: DocumentedParameter | undefined,
  reading: Reading
): Parameter => {
  const { report, subject } = reading
  const declared =
    type === undefined
      ? undeclaredType(node, value, documentation, documented, reading)
      : reading.schemaOf(type, reading)
  const { hasDefault, known, typed } = valueOf(value, declared, reading)
  // `x: int = None` means `Optional[int]`, as it did before PEP 484 was amended.
  const schema = describe(known === null ? nullable(typed) : typed, documented?.description)
  // As in Loki, an argument that may be None and has no default can be left out: the function is then given None.
  const isRequired = !hasDefault && (isAnything(schema) || !acceptsNull(typed) || type === undefined)
  if (documented?.isOptional === true && isRequired) {
    const message = `The docstring calls ${subject} optional, but the function cannot be called without it; give it a default`
    report.warning("optional-without-default", message, { place: placeOf(node), subject })
  }
  const isTold = known !== undefined && (value === undefined || !isAnything(typed) || isSameInJson(value))
  return { name, schema: isTold ? { ...schema, default: known } : schema, isRequired }
}

/** A model may send the default it reads; where no type makes a tuple of an array again, that would be another value. */
const isSameInJson = (value: Node): boolean =>
  !["tuple", "set", "call", "attribute"].includes(value.type) && value.descendantsOfType(["tuple", "set"]).length === 0

const undeclaredType = (
  node: Node,
  value: Node | undefined,
  documentation: Documentation,
  documented: DocumentedParameter | undefined,
  reading: Reading
): Json.JsonSchema => {
  const { report, subject } = reading
  const written = documented?.type
  const inText = { ...reading, textPlace: placeOf(documentation.node) }
  const schema = written === undefined ? undefined : schemaOfText(annotationOf(written), inText)
  if (schema !== undefined) return schema
  const implied = value && typeOfDefault(value, reading)
  const consequence =
    implied?.schema === undefined ? "so any value is accepted" : `so ${implied.said} of its default is taken for it`
  const example = `\`${field(node, "name")?.text ?? node.text}: ${implied?.annotation ?? "str"}\``
  const at = { place: placeOf(node), subject }
  if (written === undefined) {
    report.warning("missing-type", `${subject} has no type, ${consequence}; annotate it, such as ${example}`, at)
  } else {
    const message = `The type \`${written}\` that the docstring gives ${subject} is not known, ${consequence}; annotate the parameter`
    report.warning("unknown-type", message, at)
  }
  return implied?.schema ?? {}
}

/** The type that follows from a default, where nothing else says one; without a schema where anything may be meant. */
const typeOfDefault = (node: Node, reading: Reading) => {
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

const typed = (type: string, annotation: string) => ({
  schema: { type },
  said: `the type ${type}`,
  annotation
})

/** A model names each argument: it can give neither further ones nor ones by position. */
const refuse = (nodes: ReadonlyArray<Node>, { report, subject }: Reading): boolean => {
  const separator = nodes.findIndex((node) => node.type === "positional_separator")
  let isGivenByName = true
  for (const [index, node] of nodes.entries()) {
    const message =
      index < separator ? unsupported(`\`${node.text}\` stands before \`/\`; take the \`/\` out`) : refusal(node)
    if (message === undefined) continue
    report.error("unsupported-parameter", message, { place: placeOf(node), subject })
    isGivenByName = false
  }
  return isGivenByName
}

const refusal = (node: Node): string | undefined => {
  if (node.type === "tuple_pattern" || field(node, "name")?.type === "tuple_pattern") {
    return `\`${node.text}\` is Python 2 and names no parameter; declare one parameter and take it apart in the function`
  }
  const inner = node.type === "typed_parameter" ? (node.namedChildren[0] ?? node) : node
  const name = inner.text.replace(/^\*+\s*/, "")
  switch (inner.type) {
    case "list_splat_pattern":
      return unsupported(`in place of \`${inner.text}\` declare a list, \`${name}: list[str]\``)
    case "dictionary_splat_pattern":
      return unsupported(`in place of \`${inner.text}\` name each parameter, or declare \`${name}: dict[str, Any]\``)
    default:
      return undefined
  }
}

const unsupported = (advice: string): string =>
  `*args/**kwargs/positional-only parameters are not supported in tool functions: ${advice}`

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

const words = namesTo(
  ["string strings strs text", "str"],
  ["integer integers ints", "int"],
  ["number numbers floats double", "float"],
  ["boolean booleans bools", "bool"],
  ["array sequence", "list"],
  ["dictionary mapping dicts", "dict"],
  ["none null", "None"],
  ["any", "Any"]
)
