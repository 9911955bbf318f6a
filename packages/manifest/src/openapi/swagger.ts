/**
 * Swagger 2.0 as OpenAPI 3.0, as far as an import reads it. References into `definitions` stay; others are written
 * out.
 */
import * as Json from "@wield/core/Json"
import { isResolved, type Resolve, resolver, withSiblings } from "./reference.js"

type Fields = { readonly [name: string]: unknown }

export const fromSwagger = (document: Json.JsonSchema, documentUrl: string | undefined): Json.JsonSchema => {
  const resolve = resolver(document)
  const servers = (schemes: unknown): Fields => ({ servers: serversOf(document, schemes, documentUrl) })
  const operation = (object: Json.JsonSchema, shared: ReadonlyArray<unknown>): Fields => {
    const { parameters, responses, schemes } = object
    const consumes = object["consumes"] ?? document["consumes"]
    const produces = object["produces"] ?? document["produces"]
    const own = Array.isArray(parameters) ? resolveAll(parameters, resolve) : []
    const names = new Set(own.map(keyOf))
    const all = [...resolveAll(shared, resolve).filter((one) => !names.has(keyOf(one))), ...own]
    const isOf =
      (...places: ReadonlyArray<unknown>) =>
      (one: unknown) =>
        Json.isObject(one) && places.includes(one["in"])
    const [body] = all.filter(isOf("body")).filter(Json.isObject)
    const fields = all.filter(isOf("formData")).filter(Json.isObject)
    return {
      ...object,
      ...((schemes ?? undefined) === undefined ? {} : servers(schemes)),
      // A missing name or place is reported when parameters are declared.
      parameters: Array.isArray(parameters ?? [])
        ? all
            .filter((one) => !isOf("body", "formData")(one))
            .map((one) => (Json.isObject(one) ? parameterOf(one) : one))
        : parameters,
      ...(body === undefined ? {} : { requestBody: bodyOf(body, consumes) }),
      ...(fields.length === 0 ? {} : { requestBody: formOf(fields, consumes) }),
      ...(Json.isObject(responses)
        ? { responses: mapValues(responses, (response) => responseOf(response, produces, resolve)) }
        : {})
    }
  }
  const pathItem = (item: unknown): unknown => {
    const resolved = withSiblings(item, resolve)
    if (!isResolved(resolved)) return item
    const { parameters } = resolved
    const shared = Array.isArray(parameters) ? parameters : []
    const { parameters: _, ...rest } = mapValues(resolved, (stated, method) => {
      const object = methods.has(method) ? withSiblings(stated, resolve) : undefined
      return object !== undefined && isResolved(object) ? operation(object, shared) : stated
    })
    return Array.isArray(parameters ?? []) ? rest : { ...rest, parameters }
  }
  const paths = withSiblings(document["paths"], resolve)
  return {
    ...document,
    openapi: "3.0.4",
    ...servers(document["schemes"]),
    paths: isResolved(paths)
      ? mapValues(paths, (item, path) => (path.startsWith("x-") ? item : pathItem(item)))
      : document["paths"],
    components: { securitySchemes: mapValues(objectOf(document["securityDefinitions"]), schemeOf) }
  }
}

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch"])

const objectOf = (value: unknown): Json.JsonSchema => (Json.isObject(value) ? value : {})

const mapValues = (object: Json.JsonSchema, change: (value: unknown, name: string) => unknown): Fields =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))

/** One that leads nowhere stays, and is reported when it is declared. */
const resolveAll = (parameters: ReadonlyArray<unknown>, resolve: Resolve): ReadonlyArray<unknown> =>
  parameters.map((parameter) => {
    const resolved = resolve(parameter)
    return isResolved(resolved) ? resolved : parameter
  })

const keyOf = (parameter: unknown): string => {
  const { in: place, name } = objectOf(parameter)
  return `${String(place)} ${String(name)}`
}

/** https before http, which the standard leaves to the program: credentials go with each request. */
const serversOf = (document: Json.JsonSchema, stated: unknown, documentUrl: string | undefined) => {
  const { basePath, host } = document
  const path = typeof basePath === "string" ? basePath : ""
  if (typeof host !== "string") return [{ url: path === "" ? "/" : path }]
  const used = documentUrl !== undefined && /^http:/i.test(documentUrl) ? "http" : "https"
  const schemes =
    Array.isArray(stated) && stated.length > 0 ? stated.filter((one) => /^https?$/.test(String(one))) : [used]
  return schemes
    .toSorted()
    .reverse()
    .map((scheme) => ({ url: `${String(scheme)}://${host}${path}` }))
}

/** What stands in a parameter beside the keywords of its schema. */
const ofParameter = new Set("name in required description collectionFormat allowEmptyValue deprecated".split(" "))

const schemaOf = (parameter: Json.JsonSchema): Fields => {
  const fields = Object.entries(parameter).filter(([name]) => !ofParameter.has(name))
  return parameter["type"] === "file" ? { type: "string", format: "binary" } : Object.fromEntries(fields)
}

const styleOf = (parameter: Json.JsonSchema): Fields => {
  const { in: place, items, type } = parameter
  const collectionFormat = parameter["collectionFormat"] ?? "csv"
  if (type !== "array") return {}
  if (objectOf(items)["type"] === "array") return { style: "lists of lists" }
  const commas = place === "query" || place === "formData" ? "form" : "simple"
  return {
    style: collectionFormat === "csv" ? commas : (formats[String(collectionFormat)] ?? collectionFormat),
    explode: collectionFormat === "multi"
  }
}

/** In OpenAPI's words. What it has no word for, or not in this place, is reported when the parameter is declared. */
const formats: { readonly [format: string]: string } = {
  multi: "form",
  pipes: "pipeDelimited",
  ssv: "spaceDelimited",
  tsv: "tabDelimited"
}

const parameterOf = (parameter: Json.JsonSchema): Fields => {
  const { deprecated, description, in: place, name, required } = parameter
  // A reference that leads nowhere.
  if ("$ref" in parameter) return parameter
  return {
    name,
    in: place,
    required,
    description,
    deprecated,
    schema: schemaOf(parameter),
    ...styleOf(parameter)
  }
}

const typesOf = (types: unknown): ReadonlyArray<string> =>
  Array.isArray(types) && types.length > 0 ? types.map(String) : ["application/json"]

const contentOf = (types: ReadonlyArray<string>, media: Fields): Fields =>
  Object.fromEntries(types.map((type) => [type, media]))

const bodyOf = ({ description, required, schema }: Json.JsonSchema, consumes: unknown): Fields => ({
  description,
  required,
  content: contentOf(typesOf(consumes), { schema })
})

const multipart = "multipart/form-data"
const form = "application/x-www-form-urlencoded"

const formOf = (fields: ReadonlyArray<Json.JsonSchema>, consumes: unknown): Fields => {
  const types = typesOf(consumes).filter((type) => type === multipart || type === form)
  const unstated = fields.some(({ type }) => type === "file") ? multipart : form
  const by = (change: (field: Json.JsonSchema) => unknown): Fields =>
    Object.fromEntries(fields.map((field) => [String(field["name"]), change(field)]))
  const required = fields.filter((field) => field["required"] === true).map(({ name }) => name)
  return {
    required: required.length > 0,
    content: contentOf(types.length === 0 ? [unstated] : types, {
      schema: {
        type: "object",
        properties: by((field) => ({ ...schemaOf(field), description: field["description"] })),
        required
      },
      encoding: by((field) => styleOf(field))
    })
  }
}

const responseOf = (response: unknown, produces: unknown, resolve: Resolve): unknown => {
  const resolved = resolve(response)
  if (!isResolved(resolved) || !Json.isObject(resolved["schema"])) return response
  const { schema, ...rest } = resolved
  // A file is what its media type says.
  return { ...rest, content: contentOf(typesOf(produces), schema["type"] === "file" ? {} : { schema }) }
}

const schemeOf = (scheme: unknown): unknown => {
  const { authorizationUrl, flow, scopes, tokenUrl, type } = objectOf(scheme)
  if (type === "basic") return { type: "http", scheme: "basic" }
  if (type !== "oauth2") return scheme
  return { type, flows: { [flows[String(flow)] ?? String(flow)]: { authorizationUrl, tokenUrl, scopes } } }
}

const flows: { readonly [flow: string]: string } = {
  application: "clientCredentials",
  accessCode: "authorizationCode"
}
