/** Where each parameter of an entry goes, worked out once. */
import * as Json from "@wield/core/Json"
import type { ApiEntry, ParameterPlace } from "../ManifestEntry.js"
import { pathTemplate, placeholdersOf, template } from "./template.js"
import { wireName } from "./names.js"
import { declaresElsewhere, parameterNames } from "../load/parameters.js"

export interface Placed {
  readonly parameter: string
  readonly name: string
  readonly place: ParameterPlace | undefined
}

export const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] as const

export type Method = (typeof methods)[number]

export const methodOf = (entry: ApiEntry): Method | undefined => {
  const name = (entry.api.method ?? "GET").toUpperCase()
  return methods.find((method) => method === name)
}

/** Left-over arguments go into the body of these. */
export const takesBody = (method: Method): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS"

/** The last one: all rules ask for the plan of one entry, then for that of the next. */
let last: { readonly entry: WeakRef<ApiEntry>; readonly plan: Plan } | undefined

export const planOf = (entry: ApiEntry): Plan => {
  if (last?.entry.deref() === entry) return last.plan
  const plan = makePlan(entry)
  last = { entry: new WeakRef(entry), plan }
  return plan
}

const makePlan = (entry: ApiEntry) => {
  const { api } = entry
  const method = methodOf(entry) ?? "GET"
  const path = pathTemplate(api.path ?? "")
  const headers = Object.entries(api.headers).map(([name, value]) => ({ name, value: template(value) }))
  const places = Object.entries(api.parameters).map(([parameter, place]): Placed => ({
    parameter,
    name: place.name ?? parameter,
    place
  }))
  const inTemplates = new Map<string, Placed>()
  const placeholders = [...path.segments, ...path.pairs.map(({ value }) => value), ...headers.map(({ value }) => value)]
  for (const { name } of placeholders.flatMap(placeholdersOf)) inTemplates.set(name, parameterOf(places, name))
  const usedInTemplates = new Set([...inTemplates.values()].map(({ parameter }) => parameter))
  const free = places.filter(({ parameter }) => !usedInTemplates.has(parameter))
  const rest: "body" | "query" = takesBody(method) ? "body" : "query"
  const placedNames = new Set([...usedInTemplates, ...places.map(({ parameter }) => parameter), api.body])
  const cursor = api.pagination === undefined ? [] : [api.pagination.parameter]
  // What a next page is asked with need not be a parameter that the model sees.
  const leftOver = [...new Set([...parameterNames(entry.function.parameters), ...cursor])]
    .filter((name) => !placedNames.has(name))
    .map((name): Placed => ({ parameter: name, name, place: undefined }))
  const of = (where: ParameterPlace["in"]): ReadonlyArray<Placed> => [
    ...free.filter(({ parameter, place }) => place?.in === where && parameter !== api.body),
    ...(where === rest ? leftOver : [])
  ]
  const query = of("query")
  const body = of("body")
  const all = new Set([...placedNames, ...leftOver.map(({ parameter }) => parameter)])
  return {
    method,
    path,
    headers,
    placed: { query, header: of("header"), cookie: of("cookie"), body },
    parameterOf: (name: string) => inTemplates.get(name) ?? parameterOf(places, name),
    /** Parameters that the schema allows without naming them, and where they go. */
    further: isOpen(entry.function.parameters) ? { isUsed: (name: string) => all.has(name), in: rest } : undefined,
    /** Names of the query and the form that no key of an object may take, as `wireName` has them. */
    taken: new Set(
      [
        ...[...path.fixed, ...path.pairs.map(({ name }) => name)].map(nameOfPair),
        ...query.map(({ name }) => name),
        ...body.map(({ name }) => name),
        ...cursor
      ].map(wireName)
    ),
    body: api.body,
    /** How it is written: a file's bytes are the body; of a form, the style of each field. */
    bodyPlace: api.body === undefined ? undefined : api.parameters[api.body],
    contentType: api.contentType
  }
}

export type Plan = ReturnType<typeof makePlan>

/** A placeholder is the name that the API knows a path parameter by, or the parameter's own. */
const parameterOf = (places: ReadonlyArray<Placed>, placeholder: string): Placed =>
  places.find(({ name, place }) => place?.in === "path" && name === placeholder) ?? {
    parameter: placeholder,
    name: placeholder,
    place: places.find(({ parameter }) => parameter === placeholder)?.place
  }

const nameOfPair = (pair: string): string => pair.split("=", 1)[0] ?? ""

/** Whether the schema says that there may be more than it names; one that says nothing is taken at its word. */
const isOpen = (schema: Json.JsonSchema): boolean => {
  const { additionalProperties, patternProperties } = schema
  return additionalProperties === true || Json.isObject(additionalProperties) || Json.isObject(patternProperties)
}

export const isUnlisted = (schema: Json.JsonSchema): boolean => isOpen(schema) || declaresElsewhere(schema)
