/** How variables are read from arguments: those that are declared and given, so that defaults apply. */
import * as Json from "@wield/core/Json"
import * as GraphQl from "graphql"
import type { Arguments } from "../Executor.js"

export interface VariableReader {
  readonly name: string
  readonly definition: GraphQl.VariableDefinitionNode
  /** The parameters that it is read from: its own, or those named `variable_field`. */
  readonly parameters: ReadonlyArray<string>
  readonly read: (parameters: Arguments) => unknown
}

export const isRequired = (definition: GraphQl.VariableDefinitionNode): boolean =>
  definition.type.kind === GraphQl.Kind.NON_NULL_TYPE && definition.defaultValue === undefined

export const readersOf = (
  operation: GraphQl.OperationDefinitionNode,
  parameters: ReadonlyArray<string>,
  schema: GraphQl.GraphQLSchema | undefined
): ReadonlyArray<VariableReader> => {
  const definitions = operation.variableDefinitions ?? []
  const declared = new Set(definitions.map((definition) => definition.variable.name.value))
  // What is a variable of its own is no part of another.
  const parts = parameters.filter((parameter) => !declared.has(parameter))
  return definitions.map((definition) => {
    const name = definition.variable.name.value
    const type = schema === undefined ? undefined : typeIn(schema, definition.type)
    const known = type ?? typeIn(ownTypes, definition.type)
    const coerce = (value: unknown): unknown => (known === undefined ? value : coerceType(value, known))
    const isNullable = definition.type.kind !== GraphQl.Kind.NON_NULL_TYPE
    if (parameters.includes(name)) {
      return { name, definition, parameters: [name], read: (given) => present(coerce(own(given, name)), isNullable) }
    }
    const object = objectOf(name, parts, type)
    return {
      name,
      definition,
      parameters: object.parameters,
      read: (given) => {
        // Messages are saved with fields that the entry does not declare. Where it declares parts, one of them may be
        // hidden: an argument named like the whole would take its place.
        const value = object.parameters.length > 0 ? object.read(given) : own(given, name)
        return present(coerce(value), isNullable)
      }
    }
  })
}

/** A model that may not leave anything out sends null for what it does not mean; a variable that cannot be null has its default then. */
const present = (value: unknown, isNullable: boolean): unknown => (value === null && !isNullable ? undefined : value)

/** An own property: `$toString` is not what every object has. */
const own = (parameters: Arguments, name: string): unknown =>
  Object.hasOwn(parameters, name) ? parameters[name] : undefined

/** There is an overload for each kind of node; a valid document has input types for its variables. */
const typeIn = (schema: GraphQl.GraphQLSchema, node: GraphQl.TypeNode): GraphQl.GraphQLInputType | undefined =>
  GraphQl.typeFromAST(schema, node as Parameters<typeof GraphQl.typeFromAST>[1]) as GraphQl.GraphQLInputType | undefined

/** Where no schema is known, the types are that GraphQL itself has. */
const ownTypes = new GraphQl.GraphQLSchema({ types: GraphQl.specifiedScalarTypes, assumeValid: true })

const coerceType = (value: unknown, type: GraphQl.GraphQLInputType): unknown => {
  if (value === undefined || value === null) return value
  if (GraphQl.isNonNullType(type)) return coerceType(value, type.ofType)
  if (GraphQl.isListType(type)) {
    return Array.isArray(value) ? value.map((item) => coerceType(item, type.ofType)) : coerceType(value, type.ofType)
  }
  if (!GraphQl.isInputObjectType(type)) return coerceNamed(value, type.name)
  if (!Json.isObject(value)) return value
  const fields = type.getFields()
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field === undefined ? item : coerceType(item, field.type)]
    })
  )
}

interface ObjectReader {
  readonly parameters: ReadonlyArray<string>
  readonly read: (parameters: Arguments) => unknown
}

const nothing: ObjectReader = { parameters: [], read: () => undefined }

/**
 * An input object from parameters named after its fields, as with Acorn: `filter_status` is `status` of `$filter`.
 * Names may have underscores, so the schema decides; without it the rest of the name is one field.
 */
const objectOf = (
  prefix: string,
  parameters: ReadonlyArray<string>,
  type: GraphQl.GraphQLInputType | undefined,
  ancestors: ReadonlySet<GraphQl.GraphQLInputObjectType> = new Set()
): ObjectReader => {
  const inner = GraphQl.isNonNullType(type) ? type.ofType : type
  const parts = parameters.filter((parameter) => parameter.startsWith(`${prefix}_`))
  if (parts.length === 0 || (inner !== undefined && !GraphQl.isInputObjectType(inner))) return nothing
  if (inner === undefined) {
    return together(
      parts.map((parameter) => ({
        field: parameter.slice(prefix.length + 1),
        parameters: [parameter],
        read: (given) => own(given, parameter)
      }))
    )
  }
  if (ancestors.has(inner)) return nothing
  const within = new Set(ancestors).add(inner)
  return together(
    Object.values(inner.getFields()).map((field) => {
      const name = `${prefix}_${field.name}`
      return parts.includes(name)
        ? { field: field.name, parameters: [name], read: (given: Arguments) => own(given, name) }
        : { field: field.name, ...objectOf(name, parts, field.type, within) }
    })
  )
}

const together = (fields: ReadonlyArray<ObjectReader & { readonly field: string }>): ObjectReader => ({
  parameters: fields.flatMap((field) => field.parameters),
  read: (given) => {
    const present = fields
      .map((field) => [field.field, field.read(given)] as const)
      .filter(([, value]) => value !== undefined)
    return present.length === 0 ? undefined : Object.fromEntries(present)
  }
})

/** Values as the scalars of GraphQL take them, where a JSON Schema is looser; others are for the API to refuse. */
const coerceNamed = (value: unknown, type: string): unknown => {
  switch (type) {
    case "Int":
      return typeof value === "string" && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value
    case "Float":
      return typeof value === "string" && /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value) ? finite(value) : value
    case "Boolean":
      return value === "true" ? true : value === "false" ? false : value
    case "String":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : value
    case "ID":
      return typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : value
    default:
      return value
  }
}

const finite = (text: string): unknown => (Number.isFinite(Number(text)) ? Number(text) : text)
