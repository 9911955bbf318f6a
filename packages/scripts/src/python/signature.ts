/**
 * The parameters of a function, with what its docstring says of them.
 */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Parameter } from "../Script.js"
import type { Node } from "../syntax/treeSitter.js"
import { NearestNames } from "@wield/core"
import { defaultOf, reportDefault } from "./default.js"
import { typeOfDefault } from "./defaultType.js"
import { describedBy } from "./describedBy.js"
import type { Docstring, DocumentedParameter } from "./docstring.js"
import { annotationOf } from "./docstringType.js"
import type { Documentation } from "./documentation.js"
import { fieldOf, isField, knownDefault } from "./field.js"
import { itemsOf } from "./literal.js"
import { placeOf } from "../syntax/placeOf.js"
import { type Read, type Reading, report } from "./reading.js"
import { refuse } from "./refusedParameters.js"
import { acceptsNull, isAnything, nullable } from "./schema.js"
import { schemaOfText } from "./types.js"

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
    const schema = describedBy(accepting, documented?.description)
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

/** A model may send the default that it is told; where no type makes a tuple of an array again, that would be another value. */
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
    const told =
      implied?.schema === undefined ? "so any value is accepted" : `so ${implied.said} of its default is taken for it`
    const name = node.childForFieldName("name")?.text ?? node.text
    report(reading, {
      severity: "warning",
      rule: written === undefined ? "missing-type" : "unknown-type",
      message:
        written === undefined
          ? `${subject} has no type, ${told}; annotate it, such as \`${name}: ${implied?.annotation ?? "str"}\``
          : `The type \`${written}\` that the docstring gives ${subject} is not known, ${told}; annotate the parameter`,
      at: node,
      subject
    })
    return implied?.schema ?? {}
  })
