/** What is wrong with an entry that calls a GraphQL API. */
import type { GraphQLSchema } from "graphql"
import { Json } from "@wield/core"
import type { ApiEntry } from "../ManifestEntry.js"
import type { Fault } from "../Problem.js"
import { read } from "./document.js"
import { isRequired, readersOf } from "./variableReaders.js"

export const check = (entry: ApiEntry, schema: GraphQLSchema | undefined): ReadonlyArray<Fault> => {
  const { document, faults } = read(entry, schema)
  if (document === undefined || isGivenInCode(entry)) return faults
  const properties = entry.function.parameters["properties"]
  const names = Json.isObject(properties) ? Object.keys(properties) : []
  const hasOthers = openKeywords.some((keyword) => entry.function.parameters[keyword] !== undefined)
  const readers = readersOf(document.operation, names, schema)
  const given = new Set(readers.flatMap((reader) => reader.parameters))
  return [
    ...faults,
    ...(hasOthers
      ? []
      : readers
          .filter((reader) => reader.parameters.length === 0)
          .map(({ definition, name }): Fault => ({
            severity: isRequired(definition) ? "error" : "warning",
            rule: "variable-without-parameter",
            message: isRequired(definition)
              ? `The document needs the variable $${name}, but there is no parameter of this name: add one`
              : `The document declares the variable $${name}, but there is no parameter of this name, so that it is never given: add one, or take the variable out`,
            path: ["api", "query"],
            offset: definition.loc?.start
          }))),
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

/** Messages are saved and read by the program, with fields that no model gives. */
const isGivenInCode = (entry: ApiEntry): boolean =>
  ["internalsavechatmessage", "internalgetchatmessages"].includes(entry.function.name.toLowerCase())

/** Where a schema has these at its root, its `properties` are not all the parameters there are. */
const openKeywords = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"]
