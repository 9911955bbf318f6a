/** What a document selects of an answer: all down to a depth, but for cycles and what needs arguments. */
import * as GraphQl from "graphql"
import { isDeprecated, takenInputs } from "./description.js"
import type { Input, Settings, Variables } from "./fieldEntry.js"

export const selectionOf = (
  type: GraphQl.GraphQLCompositeType,
  schema: GraphQl.GraphQLSchema,
  variables: Variables,
  options: Settings
) => {
  const needingArguments = new Set<string>()
  let count = 0
  const isTooLarge = (): boolean => count > options.maxFields

  const setOf = (
    type: GraphQl.GraphQLCompositeType,
    path: ReadonlyArray<string>,
    ancestors: ReadonlySet<GraphQl.GraphQLCompositeType>
  ): string | undefined => {
    const within = new Set(ancestors).add(type)
    const own = GraphQl.isUnionType(type) ? [] : fieldsOf(type, fieldTypes(type, new Map()), path, within)
    const members = GraphQl.isAbstractType(type) ? membersOf(type, path, within) : []
    const all = [...(members.length > 0 || own.length === 0 ? ["__typename"] : []), ...own, ...members]
    return own.length + members.length === 0 && path.length > 0 ? undefined : `{ ${all.join(" ")} }`
  }

  /** @param taken The types of the fields that the same answer may have from another member. */
  const fieldsOf = (
    type: GraphQl.GraphQLObjectType | GraphQl.GraphQLInterfaceType,
    names: ReadonlyMap<string, string>,
    path: ReadonlyArray<string>,
    within: ReadonlySet<GraphQl.GraphQLCompositeType>
  ): ReadonlyArray<string> =>
    Object.values(type.getFields()).flatMap((field) => {
      const name = names.get(field.name)
      if (name === undefined || isTooLarge() || (isDeprecated(field) && !options.deprecated)) return []
      if (field.args.some(GraphQl.isRequiredArgument)) {
        needingArguments.add(`${type.name}.${field.name}`)
        return []
      }
      const named = GraphQl.getNamedType(field.type)
      const below = [...path, name]
      if (!GraphQl.isCompositeType(named)) {
        count++
        return [`${written(field, name)}${nested(field, below)}`]
      }
      if (below.length >= options.maxDepth || within.has(named)) return []
      count++
      // Arguments come before those of the fields below, as they are read.
      const given = nested(field, below)
      const set = setOf(named, below, within)
      return set === undefined ? [] : [`${written(field, name)}${given} ${set}`]
    })

  const nested = (field: GraphQl.GraphQLField<unknown, unknown>, path: ReadonlyArray<string>): string =>
    options.nestedArguments ? argumentList(field.args, path, variables, options) : ""

  /** Inline fragments with what each possible type has besides the fields of the abstract one. */
  const membersOf = (
    type: Parameters<GraphQl.GraphQLSchema["getPossibleTypes"]>[0],
    path: ReadonlyArray<string>,
    within: ReadonlySet<GraphQl.GraphQLCompositeType>
  ): ReadonlyArray<string> => {
    const taken = new Map(
      GraphQl.isUnionType(type) ? [] : Object.values(type.getFields()).map((field) => [field.name, undefined])
    )
    return schema.getPossibleTypes(type).flatMap((member) => {
      // Named before it is left out: names must be the same wherever this abstract type is asked, since two
      // selections of it may be put together in one answer.
      const names = fieldTypes(member, taken)
      if (within.has(member)) return []
      const fields = fieldsOf(member, names, path, new Set(within).add(member))
      return fields.length === 0 ? [] : [`... on ${member.name} { ${fields.join(" ")} }`]
    })
  }

  const text = setOf(type, [], new Set())
  return { text: isTooLarge() ? undefined : text, needingArguments: [...needingArguments] }
}

const written = (field: GraphQl.GraphQLField<unknown, unknown>, name: string): string =>
  name === field.name ? name : `${name}: ${field.name}`

/**
 * The names of a type's fields in the answer. Where members of a union have a field of one name and different types,
 * the later one has its type before its name. A field of the abstract type (`undefined`) is not selected again.
 */
const fieldTypes = (
  type: GraphQl.GraphQLObjectType | GraphQl.GraphQLInterfaceType,
  taken: Map<string, string | undefined>
) => {
  const names = new Map<string, string>()
  for (const field of Object.values(type.getFields())) {
    const isTaken = taken.has(field.name)
    const other = taken.get(field.name)
    if (isTaken && other === undefined) continue
    const isSame = !isTaken || other === String(field.type)
    if (!isTaken) taken.set(field.name, String(field.type))
    names.set(field.name, isSame ? field.name : `${type.name}_${field.name}`)
  }
  return names
}

/** `(limit: $orders_limit)`, or nothing. Variables are named by `path`, the fields above this one. */
export const argumentList = (
  given: ReadonlyArray<GraphQl.GraphQLArgument>,
  path: ReadonlyArray<string>,
  variables: Variables,
  options: Settings
): string => {
  const texts = takenInputs(given, options).map(
    (argument) => `${argument.name}: ${valueOf(argument, path, [], variables, options)}`
  )
  return texts.length === 0 ? "" : `(${texts.join(", ")})`
}

/** @param within The argument and the fields in which an input object's field stands. */
const valueOf = (
  input: Input,
  path: ReadonlyArray<string>,
  within: ReadonlyArray<string>,
  variables: Variables,
  options: Settings
): string => {
  const object = options.inputObjects === "flat" ? flattened(input, within.length) : undefined
  if (object === undefined) {
    const nameIn = (parts: ReadonlyArray<string>) => [...path, ...parts, input.name].join("_")
    // Acorn leaves out the argument's own name: `AddReading(metric: { sensorid: $sensorid })`.
    return `$${variables.declare([nameIn(within.slice(1)), nameIn(within)], input)}`
  }
  const fields = takenInputs(Object.values(object.getFields()), options).map(
    (field) => `${field.name}: ${valueOf(field, path, [...within, input.name], variables, options)}`
  )
  return `{ ${fields.join(", ")} }`
}

/**
 * The input object whose fields can be parameters: that of an argument, and those that it requires. One with a default
 * would lose it, and one that takes exactly one field cannot be written with all.
 */
const flattened = (input: Input, depth: number): GraphQl.GraphQLInputObjectType | undefined => {
  if (input.defaultValue !== undefined || depth >= maxFlat) return undefined
  if (depth > 0 && !GraphQl.isNonNullType(input.type)) return undefined
  const type = GraphQl.getNullableType(input.type)
  return GraphQl.isInputObjectType(type) && !type.isOneOf ? type : undefined
}

/** Deeper objects stay objects: beyond this, names of parameters explain nothing. */
const maxFlat = 4
