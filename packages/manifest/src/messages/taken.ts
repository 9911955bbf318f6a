/** Which names the call of an entry takes. One that keeps messages need not declare parameters. */
import * as Json from "@wield/core/Json"
import { Kind, type TypeNode } from "graphql"
import { read } from "../graphql/document.js"
import { looksLikeGraphQl, parameterNames, propertiesOf } from "../load/parameters.js"
import type { ApiEntry } from "../ManifestEntry.js"
import { parse } from "../sql/Statement.js"
import { allNames } from "./fields.js"

export interface Taken {
  readonly names: ReadonlyArray<string>
  readonly numeric: ReadonlySet<string>
}

export const parametersTaken = (entry: ApiEntry, forAll: ReadonlyArray<string>): Taken => {
  const { api, function: definition } = entry
  const declared = parameterNames(definition.parameters)
  const numeric = new Set(declared.filter((name) => isNumber(definition.parameters, name)))
  if (api.path !== undefined) {
    // A REST API is sent what is declared, or else all.
    const others = declared.length > 0 ? declared : forAll
    return { names: [...new Set([...templateNames(entry), ...others])], numeric }
  }
  if (!looksLikeGraphQl(api.query)) {
    const { placeholders } = parse(api.query ?? "", "postgres")
    return { names: [...new Set(placeholders.map(({ name }) => name))], numeric }
  }
  const variables = read(entry, undefined).document?.operation.variableDefinitions ?? []
  for (const { type, variable } of variables) if (numbers.has(namedType(type))) numeric.add(variable.name.value)
  return { names: variables.map(({ variable }) => variable.name.value), numeric }
}

/** The entry with parameters of all that it is called with, as executors want them. */
export const addParameters = (entry: ApiEntry, names: ReadonlyArray<string>): ApiEntry => {
  const { parameters } = entry.function
  const properties = propertiesOf(parameters)
  const added = names.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, {}] as const)
  const all = { ...properties, ...Object.fromEntries(added) }
  return { ...entry, function: { ...entry.function, parameters: { ...parameters, properties: all } } }
}

/** What a save is called with where its entry declares nothing. */
export const savedNames = (context: ReadonlyArray<string>): ReadonlyArray<string> => [...allNames, ...context]

export const readNames = (context: ReadonlyArray<string>): ReadonlyArray<string> => ["limit", ...context]

const templateNames = ({ api }: ApiEntry): ReadonlyArray<string> =>
  [api.path ?? "", ...Object.values(api.headers)].flatMap((text) =>
    [...text.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name]) => name ?? [])
  )

const isNumber = (parameters: Json.JsonSchema, name: string): boolean => {
  const schema = propertiesOf(parameters)[name]
  const type = Json.isObject(schema) ? schema["type"] : undefined
  return [type].flat().some((one) => one === "integer" || one === "number")
}

/** GraphQL's own, and what APIs call the longer ones. */
const numbers: ReadonlySet<string> = new Set(["Int", "Float", "Long", "BigInt"])

const namedType = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type))
