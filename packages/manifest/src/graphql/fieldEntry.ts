/** The tool of one field of the query or mutation type, with the document that asks for it. */
import type { Json } from "@wield/core"
import * as GraphQl from "graphql"
import type { Options } from "../FromGraphQl.js"
import { hiddenAmong } from "../load/context.js"
import * as ManifestEntry from "../ManifestEntry.js"
import { unusedName } from "../openapi/names.js"
import * as ManifestProblem from "../ManifestProblem.js"
import { describe, withDeprecation } from "./description.js"
import { inputSchemas } from "./inputSchema.js"
import { argumentList, selectionOf } from "./selection.js"

/** The options that say how tools are made, none of them left open. */
export type Settings = {
  readonly [Option in Exclude<keyof Options, "operations" | "fields" | "include" | "exclude" | "name">]-?: NonNullable<
    Options[Option]
  >
}

export interface Importing {
  readonly schema: GraphQl.GraphQLSchema
  readonly options: Settings
  readonly isTaken: (name: string) => boolean
  /** The name of a tool, which is taken from then on. */
  readonly toolNameOf: (name: string, kind: Kind) => string
  readonly problems: Array<ManifestProblem.ManifestProblem>
}

export type Kind = "query" | "mutation"

export const warn = ({ problems }: Importing, tool: string | undefined, rule: string, message: string): void => {
  problems.push(ManifestProblem.make({ severity: "warning", rule, message, tool }))
}

const warnOfAll = (importing: Importing, tool: string, rule: string, names: ReadonlyArray<string>, message: string) => {
  if (names.length === 0) return
  const rest = names.length > shown ? ` and ${names.length - shown} more` : ""
  warn(importing, tool, rule, `${names.slice(0, shown).join(", ")}${rest}: ${message}`)
}

const shown = 10

export const fieldEntry = (field: GraphQl.GraphQLField<unknown, unknown>, kind: Kind, importing: Importing) => {
  const { options } = importing
  const name = importing.toolNameOf(field.name, kind)
  const written = documentOf(field, kind, name, importing)
  if (written === undefined) return undefined
  return entryOf(
    {
      name,
      kind,
      description: withDeprecation(describe(field, options), field),
      parameters: written.variables.map((variable) => ({
        ...variable,
        isRequired: GraphQl.isRequiredArgument(variable.input)
      })),
      query: written.query,
      // The answer of a document with one field is that field's.
      path: `/${field.name}`
    },
    importing
  )
}

export const entryOf = (
  tool: {
    readonly name: string
    readonly kind: Kind
    readonly description: string | undefined
    readonly parameters: ReadonlyArray<Parameter>
    readonly query: string
    readonly path: string | undefined
  },
  importing: Importing
): ManifestEntry.ApiEntry => {
  const { description, kind, name, parameters, path, query } = tool
  const names = parameters.map((parameter) => parameter.name)
  return ManifestEntry.api({
    name,
    description,
    parameters: schemaOf(parameters, name, importing),
    context: hiddenAmong(names, importing.options.context),
    // A query changes nothing; of a mutation nothing is known.
    facts: kind === "query" ? { isReadOnly: true, isDestructive: false, isIdempotent: true } : {},
    api: { name: importing.options.api, query, result: { schema: undefined, path } }
  })
}

export interface Parameter extends Variable {
  readonly isRequired: boolean
}

const schemaOf = (parameters: ReadonlyArray<Parameter>, tool: string, importing: Importing): Json.JsonSchema => {
  const { options, problems } = importing
  const { cut, definitions, properties, unmapped } = inputSchemas(parameters, options)
  for (const scalar of unmapped) {
    const message = `What the scalar ${scalar} looks like in JSON is not known, and a text is assumed: give its JSON Schema in \`scalars\``
    // Once, whatever it is used in.
    if (!problems.some((problem) => problem.message === message)) {
      warn(importing, undefined, "scalar-without-schema", message)
    }
  }
  const tooDeep = "input fields are left out, for they lie too deep: raise maxInputDepth"
  warnOfAll(importing, tool, "input-too-deep", cut, tooDeep)
  return {
    type: "object",
    properties,
    required: parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

const documentOf = (field: GraphQl.GraphQLField<unknown, unknown>, kind: Kind, tool: string, importing: Importing) => {
  const { options, schema } = importing
  const type = GraphQl.getNamedType(field.type)
  const advice = "Raise maxFields, or write an operation that selects what is needed"
  // A selection that is too large loses a level everywhere rather than whatever comes last.
  for (let maxDepth = options.maxDepth; maxDepth > 0; maxDepth--) {
    const variables = makeVariables()
    const given = argumentList(field.args, [], variables, options)
    const selection = GraphQl.isCompositeType(type)
      ? selectionOf(type, schema, variables, { ...options, maxDepth })
      : { text: "", needingArguments: [] }
    if (selection.text === undefined) continue
    const body = `${field.name}${given} ${selection.text}`
    // A field that turned out to have nothing to select took its variables with it.
    const named = new Set(Array.from(body.matchAll(/\$(\w+)/g), ([, name]) => name))
    const used = variables.all().filter(({ name }) => named.has(name))
    if (used.length > maxVariables) {
      const message = `No tool is made: it would have ${used.length} parameters, and at most ${maxVariables} are taken`
      warn(importing, tool, "too-many-parameters", message)
      return undefined
    }
    const declared = used.length === 0 ? "" : `(${used.map(declaration).join(", ")})`
    if (maxDepth < options.maxDepth) {
      const message = `Down to depth ${options.maxDepth}, the answer has more than ${options.maxFields} fields; it is selected down to depth ${maxDepth}. ${advice}`
      warn(importing, tool, "selection-too-large", message)
    }
    const needing =
      "fields are left out of the answer, for they have required arguments: write an operation that gives them"
    warnOfAll(importing, tool, "field-needs-arguments", selection.needingArguments, needing)
    const document = GraphQl.parse(`${kind} ${field.name}${declared} { ${body} }`, { noLocation: true })
    // No schema should lead to a document that it does not allow; a tool that can only fail would be worse than none.
    const [error] = GraphQl.validate(schema, document)
    if (error === undefined) return { query: GraphQl.print(document), variables: used }
    const message = `No tool is made, for the document would be invalid: ${error.message}`
    warn(importing, tool, "invalid-document", message)
    return undefined
  }
  const message = `No tool is made: the answer has more than ${options.maxFields} fields already at depth 1. ${advice}`
  warn(importing, tool, "selection-too-large", message)
  return undefined
}

/** The time to check a document grows with the square of their number. */
const maxVariables = 1_000

/** An argument or an input field: both have what is needed here. */
export type Input = GraphQl.GraphQLInputField

interface Variable {
  readonly name: string
  readonly input: Input
}

export type Variables = ReturnType<typeof makeVariables>

const makeVariables = () => {
  const declared = new Map<string, Input>()
  return {
    /** Declares a variable under the first of the names that is free, and gives it. */
    declare: (names: readonly [string, ...Array<string>], input: Input) => {
      const name = names.find((one) => !declared.has(one)) ?? unusedName(names[0], declared)
      declared.set(name, input)
      return name
    },
    all: () => [...declared].map(([name, input]) => ({ name, input }))
  }
}

/** `$limit: Int = 10` */
const declaration = ({ input, name }: Variable): string => `$${name}: ${input.type}${defaultOf(input)}`

const defaultOf = (input: Input): string => {
  if (input.defaultValue === undefined) return ""
  // What the schema's text says is exact where a number in JavaScript is not.
  const value = input.astNode?.defaultValue ?? GraphQl.astFromValue(input.defaultValue, input.type)
  return value === null || value === undefined ? "" : ` = ${GraphQl.print(value)}`
}
