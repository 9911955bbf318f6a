/**
 * The variables that a generated document declares. Each is a parameter of the
 * tool, with a name that no other has.
 */
import { astFromValue, type GraphQLInputField, type GraphQLInputType, print } from "graphql"

/** An argument or an input field: both have what is needed here. */
export type Input = GraphQLInputField

export interface Variable {
  readonly name: string
  readonly input: Input
}

export interface Variables {
  /** Declares a variable under the first of the names that is free, and gives it. */
  readonly declare: (names: readonly [string, ...Array<string>], input: Input) => string
  readonly all: () => ReadonlyArray<Variable>
}

export const make = (): Variables => {
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
export const declaration = ({ input, name }: Variable): string => `$${name}: ${input.type}${defaultOf(input)}`

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
