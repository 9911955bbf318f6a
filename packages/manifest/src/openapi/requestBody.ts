/**
 * What an operation takes as its body: the properties of an object become
 * parameters beside the others; whatever else it is becomes one parameter,
 * `body`.
 */
import { Json } from "@wield/core"
import { shortened } from "./description.js"
import type { Importing, Path } from "./Importing.js"
import { encoderOf } from "./encoding.js"
import { withFiles } from "./files.js"
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

/** "unsupported", with an error, where a body that the operation needs cannot be sent. */
export const declareBody = (
  found: Found,
  tool: string,
  importing: Importing,
  into: Parameters
): Body | "unsupported" | undefined => {
  const stated = found.object["requestBody"]
  if (stated === undefined) return undefined
  const at = [...found.at, "requestBody"]
  const warn = (rule: string, problem: string) => importing.note("warning", rule, problem, at, tool)
  const requestBody = importing.resolve(stated)
  if (!isResolved(requestBody)) {
    warn("unresolved-reference", `the body is left out: ${requestBody.notResolved}`)
    return undefined
  }
  const { method } = found.operation
  const content = requestBody["content"]
  const contentType = chosenType(found, Json.isObject(content) ? content : {}, importing)
  if (!Json.isObject(content) || contentType === undefined) {
    const types = Json.isObject(content) ? Object.keys(content) : []
    const reason = types.length === 0 ? "it has no media type" : `no body of the type ${types.join(" or ")} can be sent`
    if (types.length > 0 && requestBody["required"] === true) {
      const problem = `${method} ${found.operation.path} is left out: ${reason}`
      importing.note("error", "unsupported-body", problem, at, tool)
      return "unsupported"
    }
    warn(types.length === 0 ? "body-without-content" : "unsupported-body", `the body is left out: ${reason}`)
    return undefined
  }
  const resolved = importing.resolve(content[contentType])
  const media: Json.JsonSchema = isResolved(resolved) ? resolved : {}
  const path = [...at, "content", contentType, "schema"]
  const schema = media["schema"]
  const encoding = Json.isObject(media["encoding"]) ? media["encoding"] : {}
  const kind = kindOf(contentType)
  const properties =
    kind === "other"
      ? undefined
      : objectOf(schema, importing.resolve, importing.inputs.isLeftOut, Object.keys(encoding))
  if (method === "GET" || method === "HEAD" || method === "OPTIONS") {
    // A generator gives every operation a body; one without a field says nothing.
    if (properties?.size !== 0) warn("body-of-get", `the body is left out: ${method} requests have none`)
    return undefined
  }
  const encoder = encoderOf(encoding, kind, importing, [...path.slice(0, -1), "encoding"], tool)
  if (properties !== undefined) {
    for (const [name, property] of properties) {
      into.add({
        name,
        place: encoder.placeOf(name, property.schema),
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
    place: isFileBody ? { in: "body", isFile: true } : encoder.placeOfWhole(),
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
  const types = Object.keys(content).filter((type) => kindOf(type) !== "unsupported")
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
const written = (contentType: string): string => {
  if (!contentType.includes("*")) return contentType
  if (kindOf(contentType) === "json") return "application/json"
  return isText(contentType) ? "text/plain" : "application/octet-stream"
}

/** In a multipart body a binary string is a file. */
const partOf = (schema: unknown, isMultipart: boolean, importing: Importing, path: Path): Converted => {
  const converted = importing.inputs.convert(schema, path)
  return isMultipart ? withFiles(schema, converted, importing.resolve) : converted
}

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
