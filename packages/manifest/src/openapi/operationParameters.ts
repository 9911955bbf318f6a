/** The parameters that an operation and its path declare. */
import * as Json from "@wield/core/Json"
import type { ParameterPlace } from "../ManifestEntry.js"
import { isJson } from "../rest/mediaType.js"
import type { Path } from "../ManifestProblem.js"
import type { Importing } from "./Importing.js"
import type { Found } from "./operations.js"
import { isResolved } from "./reference.js"
import type { Converted } from "./schemas.js"
import { credentialFaults } from "./security.js"
import { makeNames, parameterNameOf, shorten } from "./names.js"
import { styles } from "../rest/check.js"

type In = "path" | "query" | "header" | "cookie"

interface Parameter {
  readonly in: In
  readonly name: string
  readonly object: Json.JsonSchema
  readonly at: Path
}

const order: ReadonlyArray<In> = ["path", "query", "header", "cookie"]

/** Those that the standard ignores, as media types and security schemes say them, and those that the request sets. */
const ignoredHeaders = /^(accept|authorization|connection|content-(length|type)|expect|transfer-encoding)$/i

/** Undefined, with an error, where a parameter that the operation needs cannot be sent. */
export const declareParameters = (found: Found, importing: Importing, into: Parameters) => {
  const placeholders = new Set<string>()
  const headers = new Map<string, string>()
  const declared = allOf(found, importing)
  for (const place of order) {
    for (const parameter of declared.values()) {
      if (parameter.in !== place || isLeftOut(parameter, importing)) continue
      const { name, object } = parameter
      const isRequired = place === "path" || object["required"] === true
      const { contentType, schema } = schemaOf(parameter, importing)
      const only = place === "header" && isRequired ? onlyValue(schema) : undefined
      if (only !== undefined) {
        headers.set(name, only)
        continue
      }
      const sent = placeOf(parameter, contentType, schema)
      if (typeof sent === "string") {
        const { method, path } = found.operation
        const problem = isRequired
          ? `${method} ${path} is left out: its parameter ${name} cannot be sent: ${sent}`
          : `the parameter ${name} is left out: ${sent}`
        importing.note(isRequired ? "error" : "warning", "unsupported-style", problem, parameter.at)
        if (isRequired) return undefined
        continue
      }
      const described = describe(object["description"], schema, importing)
      into.add({ name, place: sent, isRequired, schema: described })
      if (place === "path") placeholders.add(name)
    }
  }
  return { placeholders, headers }
}

const allOf = (found: Found, importing: Importing): ReadonlyMap<string, Parameter> => {
  const all = new Map<string, Parameter>()
  const faultOf = credentialFaults(found, importing)
  const add = (item: unknown, at: Path): void => {
    const leaveOut = (rule: string, reason: string, name = "") =>
      importing.note("warning", rule, `the parameter ${name === "" ? "" : `${name} `}is left out: ${reason}`, at)
    const object = importing.resolve(item)
    if (!isResolved(object)) return leaveOut("unresolved-reference", object.notResolved)
    const { in: stated, name } = object
    const place = order.find((one) => one === stated)
    if (place === undefined || typeof name !== "string" || name === "") {
      const expected = `expected a \`name\` and \`in\` one of ${order.join(", ")}, found in: ${JSON.stringify(stated)}`
      return leaveOut("unsupported-parameter", expected)
    }
    if (place === "header" && ignoredHeaders.test(name)) return
    const credential = place === "path" ? undefined : faultOf(place, name)
    if (credential !== undefined) return leaveOut("credential-parameter", credential, name)
    const { path } = found.operation
    if (place === "path" && !path.includes(`{${name}}`)) {
      return leaveOut("parameter-without-placeholder", `the path ${path} has no {${name}}`)
    }
    all.set(`${place} ${name}`, { in: place, name, object, at })
  }
  for (const [{ parameters }, at] of [
    [found.pathItem, found.at.slice(0, -1)],
    [found.object, found.at]
  ] as const) {
    if (Array.isArray(parameters)) parameters.forEach((item, index) => add(item, [...at, "parameters", index]))
  }
  return all
}

const isLeftOut = ({ in: place, object }: Parameter, { options }: Importing): boolean =>
  options.isDeprecatedLeftOut === true &&
  object["deprecated"] === true &&
  object["required"] !== true &&
  place !== "path"

const schemaOf = ({ at, object }: Parameter, importing: Importing) => {
  const { content } = object
  const [entry] = Json.isObject(content) ? Object.entries(content) : []
  if (entry === undefined) {
    return {
      schema: importing.inputs.convert(object["schema"] ?? {}, [...at, "schema"]),
      contentType: undefined
    }
  }
  const [contentType, stated] = entry
  const media = importing.resolve(stated)
  const schema = isResolved(media) ? (media["schema"] ?? {}) : {}
  return { schema: importing.inputs.convert(schema, [...at, "content", contentType, "schema"]), contentType }
}

const placeOf = ({ in: place, object }: Parameter, contentType: string | undefined, { schema }: Converted) => {
  const { allowReserved, explode } = object
  // In YAML, a key without a value is null.
  const stated = object["style"] ?? undefined
  if (contentType !== undefined) {
    return isJson(contentType) || isScalar(schema)
      ? { in: place, contentType }
      : `its value is written as ${contentType}, for which there is no text`
  }
  const style = styles[place].find((one) => one === stated)
  if (stated !== undefined && style === undefined) {
    return `parameters in ${place} have the styles ${styles[place].join(", ")}, not ${JSON.stringify(stated)}`
  }
  if (place === "cookie" && explode !== false && !isScalar(schema)) {
    return "a cookie has no text for a list or an object, unless `explode` is false"
  }
  const needed = style ?? (isScalar(schema) ? undefined : defaults[place])
  return {
    in: place,
    ...(needed === undefined ? {} : { style: needed }),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(place === "query" && allowReserved === true ? { allowReserved } : {})
  }
}

/** By the standard; a style makes no difference to a scalar. */
const defaults = { path: "simple", query: "form", header: "simple", cookie: "form" } as const

const scalars = new Set<unknown>(["string", "number", "integer", "boolean", "null"])

const isScalar = (schema: unknown): boolean => {
  if (!Json.isObject(schema)) return false
  const { type } = schema
  return Array.isArray(type)
    ? type.every((one) => scalars.has(one))
    : scalars.has(type) || Array.isArray(schema["enum"])
}

/** A header such as a version that the API wants and that has one value; a brace would be a placeholder. */
const onlyValue = ({ schema }: Converted): string | undefined => {
  if (!Json.isObject(schema)) return undefined
  const values = schema["const"] !== undefined ? [schema["const"]] : schema["enum"]
  const [only, ...others] = Array.isArray(values) ? values : []
  return typeof only === "string" && others.length === 0 && /^[\x20-\x7e]*$/.test(only) && !/[{}]/.test(only)
    ? only
    : undefined
}

export const describe = (description: unknown, converted: Converted, { options }: Importing): Converted => {
  const { references, schema } = converted
  if (typeof description !== "string" || description.trim() === "" || !Json.isObject(schema)) return converted
  return {
    references,
    schema: { ...schema, description: shorten(description, options.maxParameterDescription ?? 500) }
  }
}

export type Parameters = ReturnType<typeof parameters>

export const parameters = () => {
  const properties = new Map<string, unknown>()
  const places = new Map<string, ParameterPlace>()
  const required: Array<string> = []
  const references = new Set<string>()
  const takeName = makeNames()
  return {
    properties,
    places,
    required,
    references,
    /** Adds one; gives the name that it has in the tool. */
    add: (parameter: {
      readonly name: string
      readonly place: ParameterPlace
      readonly isRequired: boolean
      readonly schema: Converted
    }) => {
      const { isRequired, name, place, schema } = parameter
      const plain = parameterNameOf(name).slice(0, 64)
      const unused = takeName(properties.has(plain) ? `${place.in}_${plain}` : plain)
      properties.set(unused, schema.schema)
      places.set(unused, unused === name ? place : { ...place, name })
      if (isRequired) required.push(unused)
      for (const reference of schema.references) references.add(reference)
      return unused
    }
  }
}
