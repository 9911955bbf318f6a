/** The fields that a message is saved with, and how their names may be written. */
import * as Json from "@wield/core/Json"
import type { ApiEntry } from "../ManifestEntry.js"
import * as ManifestProblem from "../ManifestProblem.js"
import { Kind, type TypeNode } from "graphql"
import { read } from "../graphql/document.js"
import { looksLikeGraphQl, parameterNames, propertiesOf } from "../load/parameters.js"
import { parse } from "../sql/Statement.js"

export interface Fields {
  readonly role: string
  readonly content: string
  readonly name: string | null
  /** JSON text. */
  readonly functionCall: string | null
}

/** Other names are the same without case and underscores: `function_call`. */
export const foldName = (name: string): string => name.toLowerCase().replaceAll("_", "")

/** By their folded names; Acorn's own files know the role as `messageType` too. */
const aliases: { readonly [name: string]: string } = { messagetype: "role" }

export const fieldOf = (name: string): string => {
  const key = foldName(name)
  return Object.hasOwn(aliases, key) ? (aliases[key] ?? key) : key
}

const messageFields: ReadonlySet<string> = new Set(
  "role content name functioncall uuid timestamp numtokens metadata".split(" ")
)

/** How they are written where an API is sent all of them. */
export const allNames: ReadonlyArray<string> =
  "role content name functionCall function_call uuid timestamp numTokens".split(" ")

/** A field of the context named as one of a message would be written over it, or be written over. */
export const contextFaults = (entry: ApiEntry): ReadonlyArray<ManifestProblem.Fault> =>
  [...entry.context.entries()]
    .filter(([, name]) => overlaps(name))
    .map(([at, name]) => ManifestProblem.error("context-overlap", overlapping(name), ["context", at]))

export const overlaps = (name: string): boolean => messageFields.has(fieldOf(name)) || fieldOf(name) === "limit"

export const overlapping = (name: string): string =>
  `The context field ${JSON.stringify(name)} has the name of a field of messages; give it another name`

/** Which names the call of an entry takes, and which of them are numbers; `forAll` where it declares no parameters. */
export const parametersTaken = (entry: ApiEntry, forAll: ReadonlyArray<string>) => {
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
