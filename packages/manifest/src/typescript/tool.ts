/** One tool as code. */
import type { Json, Loss } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import { lookup } from "../openapi/reference.js"
import { type Doc, list, print } from "./Doc.js"
import { expression, fields, type Refer } from "./expression.js"
import { literal, text } from "./literal.js"
import { type Node, nothing, type Property } from "./Node.js"
import { objectType, typeOf } from "./type.js"
import { read, type ReadOptions } from "./read.js"

export interface Generating {
  readonly name: string
  readonly description: string | undefined
  readonly parameters: Json.JsonSchema
  readonly result: Json.JsonSchema | undefined
  readonly facts: Facts.Facts
  readonly hidden: ReadonlyArray<string>
}

export type ToolCode = ReturnType<typeof toolCode>

type Reading = Pick<ReadOptions, "root" | "nameOf" | "isValid">

export const toolCode = (
  tool: Generating,
  identifier: string,
  parametersType: string,
  parameters: Reading,
  result: Reading | undefined
) => {
  // Tools stand behind all definitions.
  const refer: Refer = (name) => name
  const losses: Array<Loss.Loss> = []
  const shared = { subject: tool.name, losses }
  const properties = fieldsOf(parameters.root, { ...shared, ...parameters })
  const success = result === undefined ? undefined : read(result.root, ["result"], { ...shared, ...result })
  const options: ReadonlyArray<Doc> = [
    ...(tool.description === undefined ? [] : [`description: ${text(tool.description)}`]),
    ...(properties.length === 0 ? [] : [["parameters: ", fields(properties, refer)]]),
    ["success: ", success === undefined ? "Schema.Unknown" : expression(success, refer)],
    "failure: Schema.Unknown",
    'failureMode: "return"'
  ]
  const hidden = hiddenOf(tool, properties)
  const isClient = tool.facts.kind === "client"
  const lines = [
    ...annotationsOf(tool.facts),
    ...(isClient ? [".pipe(Facts.client)"] : []),
    ...(hidden.length === 0 ? [] : [[".pipe(", list("Hidden.fields(", hidden, ")"), ")"]])
  ]
  const parametersInterface =
    properties.length === 0
      ? ""
      : `/** The parameters of ${identifier}. */\n${print([`export interface ${parametersType} `, objectType(properties, undefined)])}\n\n`
  const types = [
    text(tool.name),
    properties.length === 0 ? "{}" : parametersType,
    success === undefined ? "unknown" : typeOf(success)
  ]
  const typed = list("TypedTools.Tool<", types, ">")
  const client: Doc = isClient ? ["Facts.Client<", typed, ">"] : typed
  const type: Doc =
    hidden.length === 0
      ? client
      : ["Hidden.Hidden<", ...hidden.flatMap((name, index) => (index === 0 ? [name] : [" | ", name])), "> & ", client]
  const made = print([
    `export const ${identifier}: `,
    type,
    " = Tool.make(",
    text(tool.name),
    ", ",
    broken(options),
    ")"
  ])
  return {
    declared: parametersInterface,
    code: made + lines.map((line) => `\n  ${print(line, 2)}`).join(""),
    losses
  }
}

const broken = (options: ReadonlyArray<Doc>): Doc => [
  "{\n",
  ...options.map((option, index): Doc => `  ${print(option, 2)}${index === options.length - 1 ? "\n" : ",\n"}`),
  "}"
]

const fieldsOf = (root: Json.JsonSchema, options: ReadOptions): ReadonlyArray<Property> => {
  const lose = (keyword: string, reason: string): void => {
    options.losses.push({ subject: options.subject, path: [], keyword, reason })
  }
  const { additionalProperties } = root
  if (additionalProperties !== undefined && additionalProperties !== false) {
    lose("additionalProperties", "a tool has the parameters that it names, and no others")
  }
  let node = read(root, [], options)
  // A root that is a reference: what it leads to is a definition, and its fields are the parameters.
  const { $ref: reference } = root
  if (node._tag === "Reference" && typeof reference === "string")
    node = read(lookup(options.root, reference), [], options)
  if (node._tag === "Object") {
    if (node.checks.length > 0) lose("minProperties, maxProperties", "a tool's parameters are checked one by one")
    return node.properties
  }
  if (node._tag === "Union") {
    lose(
      "anyOf",
      "a tool has one list of parameters: those of all branches, of which only the common ones are required"
    )
    return together(node.members)
  }
  if (Object.keys(root).length > 0) lose("type", "the parameters of a tool are an object; it has none")
  return []
}

const together = (branches: ReadonlyArray<Node>): ReadonlyArray<Property> => {
  const objects = branches.flatMap((branch) => (branch._tag === "Object" ? [branch] : []))
  const names = [...new Set(objects.flatMap(({ properties }) => properties.map(({ name }) => name)))]
  return names.map((name): Property => {
    const all = objects.flatMap(({ properties }) => properties.filter((property) => property.name === name))
    const nodes = all
      .map(({ node }) => node)
      .filter(
        (node, index, every) => every.findIndex((other) => JSON.stringify(other) === JSON.stringify(node)) === index
      )
    const [only] = nodes
    return {
      name,
      node:
        nodes.length === 1 && only !== undefined ? only : { _tag: "Union", members: nodes, about: nothing, checks: [] },
      isRequired: all.length === branches.length && all.every(({ isRequired }) => isRequired)
    }
  })
}

const annotationsOf = (facts: Facts.Facts): ReadonlyArray<Doc> => {
  const { disclosure, examples, isDestructive, isIdempotent, isOpenWorld, isReadOnly, isSequential, kind, title } =
    facts
  const stated: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["Tool.Title", title, undefined],
    ["Facts.ToolKind", kind === "client" ? "local" : kind, Facts.unstated.kind],
    ["Tool.Readonly", isReadOnly, Facts.unstated.isReadOnly],
    ["Tool.Destructive", isDestructive, Facts.unstated.isDestructive],
    ["Tool.Idempotent", isIdempotent, Facts.unstated.isIdempotent],
    ["Tool.OpenWorld", isOpenWorld, Facts.unstated.isOpenWorld],
    ["Facts.ToolDisclosure", disclosure, Facts.unstated.disclosure],
    ["Facts.Sequential", isSequential, Facts.unstated.isSequential],
    ["Facts.Examples", examples.length === 0 ? undefined : examples, undefined]
  ]
  return stated.flatMap(([tag, value, unstated]): ReadonlyArray<Doc> =>
    value === unstated ? [] : [[".annotate(", tag, ", ", literal(value), ")"]]
  )
}

const hiddenOf = ({ hidden }: Generating, properties: ReadonlyArray<Property>): ReadonlyArray<string> => {
  const folded = new Set(hidden.map((name) => name.toLowerCase()))
  return properties.flatMap(({ name }) => (folded.has(name.toLowerCase()) ? [text(name)] : []))
}
