/**
 * What an operation takes as its body: the properties of an object become
 * parameters beside the others; whatever else it is becomes one parameter,
 * `body`.
 */
import { Json } from "@wield/core"
import type { ParameterPlace } from "../ManifestEntry.js"
import { shortened } from "./description.js"
import type { Importing, Path } from "./Importing.js"
import { isFile, isFiles, withFiles } from "./files.js"
import { isSameType, kindOf, mergePatch, preferred } from "./mediaType.js"
import { objectOf } from "./objectOf.js"
import type { Found } from "./operations.js"
import type { Parameters } from "./Parameters.js"
import { isResolved } from "./reference.js"
import type { Converted } from "./schemas.js"

export interface Body {
  readonly contentType: string
  /** The parameter that is the whole body. */
  readonly body?: string
}

export const declareBody = (found: Found, tool: string, importing: Importing, into: Parameters): Body | undefined => {
  const stated = found.object["requestBody"]
  if (stated === undefined) return undefined
  const at = [...found.at, "requestBody"]
  const requestBody = importing.resolve(stated)
  if (!isResolved(requestBody)) {
    importing.note("warning", "unresolved-reference", `the body is left out: ${requestBody.notResolved}`, at, tool)
    return undefined
  }
  const { method } = found.operation
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") {
    const problem = `the body is left out: ${method} requests have none`
    importing.note("warning", "body-of-get", problem, at, tool)
    return undefined
  }
  const content = requestBody["content"]
  const contentType = chosenType(found, Json.isObject(content) ? content : {}, importing)
  if (!Json.isObject(content) || contentType === undefined) {
    importing.note("warning", "body-without-content", "the body is left out: it has no media type", at, tool)
    return undefined
  }
  const media = content[contentType]
  const path = [...at, "content", contentType, "schema"]
  const schema = Json.isObject(media) ? media["schema"] : undefined
  const encoding = Json.isObject(media) && Json.isObject(media["encoding"]) ? media["encoding"] : {}
  const kind = kindOf(contentType)
  const properties =
    kind === "other"
      ? undefined
      : objectOf(schema, importing.resolve, importing.inputs.isLeftOut, Object.keys(encoding))
  if (properties !== undefined) {
    for (const [name, property] of properties) {
      into.add({
        name,
        place: placeOf(property.schema, encoding[name], kind === "multipart", importing),
        isRequired: property.isRequired,
        schema: partOf(property.schema, kind === "multipart", importing, [...path, "properties", name])
      })
    }
    return { contentType: written(contentType) }
  }
  const whole =
    kind === "other" ? textOrFile(schema, contentType, importing, path) : importing.inputs.convert(schema ?? {}, path)
  const isFileBody = kind === "other" && !isText(contentType)
  const body = into.add({
    name: "body",
    place: { in: "body", ...(isFileBody ? { isFile: true } : {}) },
    isRequired: requestBody["required"] === true,
    schema: described(whole, requestBody["description"], importing)
  })
  return { contentType: written(contentType), body }
}

/** What the program asks for; merge-patch where a PATCH takes a part of an object. */
const chosenType = (
  { operation }: Found,
  content: Json.JsonSchema,
  { options, resolve }: Importing
): string | undefined => {
  const types = Object.keys(content)
  for (const wanted of options.contentTypes ?? []) {
    const given = types.find((type) => isSameType(type, wanted))
    if (given !== undefined) return given
  }
  const merging = operation.method === "PATCH" ? mergePatch(types) : undefined
  if (merging === undefined) return preferred(types)
  const media = content[merging]
  return isObjectSchema(Json.isObject(media) ? media["schema"] : undefined, resolve) ? merging : preferred(types)
}

const isObjectSchema = (schema: unknown, resolve: Importing["resolve"]): boolean => {
  const resolved = resolve(schema)
  if (!isResolved(resolved)) return false
  const { allOf, properties, type } = resolved
  return (Array.isArray(type) ? type : [type]).includes("object") || Json.isObject(properties) || Array.isArray(allOf)
}

/** A range of media types is one that the program may choose from. */
const written = (contentType: string): string => (contentType.includes("*") ? "application/json" : contentType)

/** In a multipart body a binary string is a file. */
const partOf = (schema: unknown, isMultipart: boolean, importing: Importing, path: Path): Converted => {
  const converted = importing.inputs.convert(schema, path)
  return isMultipart ? withFiles(schema, converted, importing.resolve) : converted
}

const placeOf = (schema: unknown, encoding: unknown, isMultipart: boolean, importing: Importing): ParameterPlace => {
  const stated: Json.JsonSchema = Json.isObject(encoding) ? encoding : {}
  const { contentType, explode, style } = stated
  const known = styles.find((one) => one === style)
  return {
    in: "body",
    ...(known === undefined ? {} : { style: known }),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(typeof contentType === "string" && !/[,*]/.test(contentType) ? { contentType } : {}),
    ...(isMultipart && (isFile(schema, importing.resolve) || isFiles(schema, importing.resolve))
      ? { isFile: true }
      : {})
  }
}

const styles = ["form", "spaceDelimited", "pipeDelimited", "deepObject"] as const

const isText = (contentType: string): boolean =>
  /^text\/|[/+](xml|yaml|sdp|graphql)\b|x-ndjson|jsonl/i.test(contentType)

const textOrFile = (schema: unknown, contentType: string, importing: Importing, path: Path): Converted => {
  if (!isText(contentType)) {
    return withFiles({ type: "string", format: "binary" }, { schema: {}, references: new Set() }, importing.resolve)
  }
  const converted = importing.inputs.convert(schema ?? {}, path)
  // What is no string (XML is described by objects) has to be written by the model.
  const isString = Json.isObject(converted.schema) && converted.schema["type"] === "string"
  return isString
    ? converted
    : { schema: { type: "string", description: `The body, as ${contentType}` }, references: new Set() }
}

const described = (converted: Converted, description: unknown, { options }: Importing): Converted => {
  const { references, schema } = converted
  if (typeof description !== "string" || description.trim() === "" || !Json.isObject(schema)) return converted
  const text = shortened(description, options.maxParameterDescription ?? 500)
  return { references, schema: { ...schema, description: text } }
}
