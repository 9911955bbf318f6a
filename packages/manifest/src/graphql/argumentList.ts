/** What a generated document writes after a field's name: its arguments, each by a variable. */
import * as GraphQl from "graphql"
import { takenInputs } from "./description.js"
import type { Input, Settings, Variables } from "./fieldEntry.js"

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
