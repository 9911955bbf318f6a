/** The tool of one field of the query or mutation type, with the document that asks for it. */
import type { Facts, Json } from "@wield/core"
import {
  astFromValue,
  getNamedType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLSchema,
  isCompositeType,
  isRequiredArgument,
  parse,
  print,
  validate
} from "graphql"
import { hiddenAmong } from "../load/context.js"
import * as ManifestEntry from "../ManifestEntry.js"
import { argumentList, isStaying } from "./argumentList.js"
import { describe, withDeprecation } from "./description.js"
import { type InputOptions, inputSchemas, property } from "./inputSchema.js"
import { selectionOf, type SelectionOptions } from "./selection.js"
import type { Report } from "./report.js"

export interface FieldOptions extends InputOptions, SelectionOptions {
  readonly api: string
  readonly context: ReadonlyArray<string>
}

export type Kind = "query" | "mutation"

export const fieldEntry = (
  field: GraphQLField<unknown, unknown>,
  kind: Kind,
  name: string,
  schema: GraphQLSchema,
  options: FieldOptions,
  report: Report
): ManifestEntry.ApiEntry | undefined => {
  const written = documentOf(field, kind, name, schema, options, report)
  if (written === undefined) return undefined
  return ManifestEntry.api({
    name,
    description: withDeprecation(describe(field, options.readsComments), field.deprecationReason),
    parameters: parametersOf(
      written.variables.map(({ input, name }) => ({ name, input, isRequired: isRequiredArgument(input) })),
      options,
      report,
      name
    ),
    context: hiddenAmong(
      written.variables.map((variable) => variable.name),
      options.context
    ),
    facts: factsOf(kind),
    api: {
      name: options.api,
      query: written.query,
      // The answer of a document with one field is that field's.
      result: { schema: undefined, path: `/${field.name}` }
    }
  })
}

/** A query changes nothing; of a mutation nothing is known. */
export const factsOf = (kind: Kind): Partial<Facts.Facts> =>
  kind === "query" ? { isReadOnly: true, isDestructive: false, isIdempotent: true } : {}

export interface Parameter {
  readonly name: string
  readonly input: Input
  readonly isRequired: boolean
}

/** The JSON Schema of parameters that are variables of a document. */
export const parametersOf = (
  parameters: ReadonlyArray<Parameter>,
  options: InputOptions,
  report: Report,
  tool: string
): Json.JsonSchema => {
  const schemas = inputSchemas(
    parameters.map(({ input }) => input.type),
    options
  )
  const properties = parameters.map(({ input, name }) => [
    name,
    property(schemas.of(input.type), input, options.readsComments)
  ])
  const definitions = schemas.definitions()
  for (const scalar of schemas.unmapped()) report.scalar(scalar)
  report.list(
    tool,
    "input-too-deep",
    schemas.cut(),
    "input fields are left out, for they lie too deep: raise maxInputDepth"
  )
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

interface Written {
  readonly query: string
  readonly variables: ReadonlyArray<Variable>
}

const documentOf = (
  field: GraphQLField<unknown, unknown>,
  kind: Kind,
  name: string,
  schema: GraphQLSchema,
  options: FieldOptions,
  report: Report
): Written | undefined => {
  const type = getNamedType(field.type)
  // A selection that is too large loses a level everywhere rather than whatever comes last.
  for (let maxDepth = options.maxDepth; maxDepth > 0; maxDepth--) {
    const variables = make()
    const given = argumentList(
      field.args.filter((argument) => options.takesDeprecated || isStaying(argument)),
      [],
      variables,
      options
    )
    const selection = isCompositeType(type)
      ? selectionOf(type, schema, variables, { ...options, maxDepth })
      : { text: "", needingArguments: [] }
    if (selection.text === undefined) continue
    const body = `${field.name}${given} ${selection.text}`
    // A field that turned out to have nothing to select took its variables with it.
    const used = variables.all().filter((variable) => new RegExp(`\\$${variable.name}\\b`).test(body))
    const declared = used.length === 0 ? "" : `(${used.map(declaration).join(", ")})`
    if (maxDepth < options.maxDepth) {
      report.add(
        name,
        "selection-too-large",
        `Down to depth ${options.maxDepth}, the answer has more than ${options.maxFields} fields; it is selected down to depth ${maxDepth}. Raise maxFields, or write an operation that selects what is needed`
      )
    }
    report.list(
      name,
      "field-needs-arguments",
      selection.needingArguments,
      "fields are left out of the answer, for they have required arguments: write an operation that gives them"
    )
    return checked(`${kind} ${field.name}${declared} { ${body} }`, used, schema, name, report)
  }
  report.add(
    name,
    "selection-too-large",
    `No tool is made: the answer has more than ${options.maxFields} fields already at depth 1. Raise maxFields, or write an operation that selects what is needed`
  )
  return undefined
}

/** No schema should lead to a document that it does not allow itself; a tool that can only fail would be worse than none. */
const checked = (
  text: string,
  variables: ReadonlyArray<Variable>,
  schema: GraphQLSchema,
  name: string,
  report: Report
): Written | undefined => {
  const document = parse(text, { noLocation: true })
  const [error] = validate(schema, document)
  if (error === undefined) return { query: print(document), variables }
  report.add(name, "invalid-document", `No tool is made, for the document would be invalid: ${error.message}`)
  return undefined
}

/** An argument or an input field: both have what is needed here. */
export type Input = GraphQLInputField

interface Variable {
  readonly name: string
  readonly input: Input
}

export interface Variables {
  /** Declares a variable under the first of the names that is free, and gives it. */
  readonly declare: (names: readonly [string, ...Array<string>], input: Input) => string
  readonly all: () => ReadonlyArray<Variable>
}

const make = (): Variables => {
  const declared = new Map<string, Input>()
  return {
    declare: (names, input) => {
      const name = freeName(names, declared)
      declared.set(name, input)
      return name
    },
    all: () => [...declared].map(([name, input]) => ({ name, input }))
  }
}

const freeName = (names: readonly [string, ...Array<string>], taken: ReadonlyMap<string, unknown>): string => {
  const free = names.find((name) => !taken.has(name))
  if (free !== undefined) return free
  for (let number = 2; ; number++) if (!taken.has(`${names[0]}_${number}`)) return `${names[0]}_${number}`
}

/** `$limit: Int = 10` */
const declaration = ({ input, name }: Variable): string => `$${name}: ${input.type}${defaultOf(input)}`

const defaultOf = (input: {
  readonly type: GraphQLInputType
  readonly defaultValue?: unknown
  readonly astNode?: Input["astNode"]
}): string => {
  if (input.defaultValue === undefined) return ""
  // What the schema's text says is exact where a number in JavaScript is not.
  const value = input.astNode?.defaultValue ?? astFromValue(input.defaultValue, input.type)
  return value === null || value === undefined ? "" : ` = ${print(value)}`
}
