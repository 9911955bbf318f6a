/** What is wrong with an entry that calls a GraphQL API. */
import type { GraphQLSchema } from "graphql"
import { declaresElsewhere, isInternal, parameterNames } from "../load/parameters.js"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../ManifestProblem.js"
import { read } from "./document.js"
import { isRequired, readersOf, type VariableReader } from "./variableReaders.js"

export const check = (entry: ApiEntry, schema: GraphQLSchema | undefined): ReadonlyArray<Fault> => {
  const { document, faults } = read(entry, schema)
  // Messages are saved and read by the program, with fields that no model gives.
  if (document === undefined || isInternal(entry)) return faults
  const names = parameterNames(entry.function.parameters)
  const readers = readersOf(document.operation, names, schema)
  const given = new Set(readers.flatMap((reader) => reader.parameters))
  return [
    ...faults,
    ...(declaresElsewhere(entry.function.parameters)
      ? []
      : readers.filter((reader) => reader.parameters.length === 0).map(missingParameter)),
    ...names
      .filter((name) => !given.has(name))
      .map((name): Fault => ({
        severity: "warning",
        rule: "parameter-without-variable",
        message: `The parameter ${name} goes nowhere: the document declares no variable $${name}. Declare it, or take the parameter out`,
        path: ["function", "parameters", "properties", name]
      }))
  ]
}

const missingParameter = ({ definition, name }: VariableReader): Fault => {
  const message = isRequired(definition)
    ? `The document needs the variable $${name}, but there is no parameter of this name: add one`
    : `The document declares the variable $${name}, but there is no parameter of this name, so that it is never given: add one, or take the variable out`
  const severity = isRequired(definition) ? "error" : "warning"
  const rule = "variable-without-parameter"
  return { severity, rule, message, path: ["api", "query"], offset: definition.loc?.start }
}
