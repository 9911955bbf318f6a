/** The body of an operation: the properties of an object are parameters; any other is one, `body`. */
import * as Json from "@wield/core/Json"
import type { Path } from "../ManifestProblem.js"
import type { Importing } from "./Importing.js"
import { isSameType, type Kind, kindOf, mergePatch, preferredType } from "./mediaType.js"
import type { Found } from "./operations.js"
import { isResolved, type Resolve } from "./reference.js"
import { annotations, type Converted } from "./schemas.js"
import type { ParameterPlace } from "../ManifestEntry.js"
import { describe, type Parameters } from "./operationParameters.js"
import { styles } from "../rest/check.js"

export interface Body {
  readonly contentType: string
  readonly body?: string
}

/** "unsupported", with an error, where a body that the operation needs cannot be sent. */
export const declareBody = (found: Found, importing: Importing, into: Parameters): Body | "unsupported" | undefined => {
  const stated = found.object["requestBody"] ?? undefined
  if (stated === undefined) return undefined
  const at = [...found.at, "requestBody"]
  const warn = (rule: string, problem: string) => importing.note("warning", rule, problem, at)
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
      importing.note("error", "unsupported-body", problem, at)
      return "unsupported"
    }
    warn(types.length === 0 ? "body-without-content" : "unsupported-body", `the body is left out: ${reason}`)
    return undefined
  }
  const media = keywordsOf(content[contentType], importing.resolve)
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
  const encoder = encoderOf(encoding, kind, importing, [...path.slice(0, -1), "encoding"])
  if (properties !== undefined) {
    for (const [name, { isRequired, schema }] of properties) {
      const converted = importing.inputs.convert(schema, [...path, "properties", name])
      // In a multipart body a binary string is a file.
      const part = kind === "multipart" ? withFiles(schema, converted, importing.resolve) : converted
      into.add({ name, place: encoder.placeOf(name, schema), isRequired, schema: part })
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
    schema: describe(requestBody["description"], whole, importing)
  })
  return { contentType: written(contentType), body }
}

/** What the program asks for; merge-patch where a PATCH takes a part of an object. */
const chosenType = ({ operation }: Found, content: Json.JsonSchema, { options, resolve }: Importing) => {
  const types = Object.keys(content).filter((type) => kindOf(type) !== "unsupported")
  for (const wanted of options.contentTypes ?? []) {
    const given = types.find((type) => isSameType(type, wanted))
    if (given !== undefined) return given
  }
  const merging = operation.method === "PATCH" ? mergePatch(types) : undefined
  if (merging === undefined) return preferredType(types)
  const media = content[merging]
  return isObjectSchema(Json.isObject(media) ? media["schema"] : undefined, resolve) ? merging : preferredType(types)
}

const keywordsOf = (schema: unknown, resolve: Resolve): Json.JsonSchema => {
  const resolved = resolve(schema)
  return isResolved(resolved) ? resolved : {}
}

const isObjectSchema = (schema: unknown, resolve: Resolve): boolean => {
  const { allOf, properties, type } = keywordsOf(schema, resolve)
  return [type].flat().includes("object") || Json.isObject(properties) || Array.isArray(allOf)
}

/** A range of media types is one that the program may choose from. */
const written = (contentType: string): string => {
  if (contentType.includes("/") && !contentType.includes("*")) return contentType
  if (kindOf(contentType) === "json") return "application/json"
  return isText(contentType) ? "text/plain" : "application/octet-stream"
}

const isText = (contentType: string): boolean =>
  /^text\/|[/+](xml|yaml|sdp|graphql)\b|x-ndjson|jsonl/i.test(contentType)

const textOrFile = (schema: unknown, contentType: string, importing: Importing, path: Path): Converted => {
  if (!isText(contentType)) {
    return withFiles({ type: "string", format: "binary" }, { schema: {}, references: new Set() }, importing.resolve)
  }
  const converted = importing.inputs.convert(schema ?? {}, path)
  // XML is described by objects: the model has to write the text.
  const isString = Json.isObject(converted.schema) && converted.schema["type"] === "string"
  return isString
    ? converted
    : { schema: { type: "string", description: `The body, as ${contentType}` }, references: new Set() }
}

const encoderOf = (encoding: Json.JsonSchema, kind: Kind, importing: Importing, at: Path) => {
  const { note, resolve } = importing
  const isMultipart = kind === "multipart"
  const stated = (name: string): Partial<ParameterPlace> => {
    const fields: Json.JsonSchema = Json.isObject(encoding[name]) ? encoding[name] : {}
    const { contentType, explode, headers } = fields
    const [allowReserved, style] = [fields["allowReserved"] ?? undefined, fields["style"] ?? undefined]
    if (
      isMultipart &&
      Json.isObject(headers) &&
      Object.keys(headers).some((one) => one.toLowerCase() !== "content-type")
    ) {
      const problem = `the part ${name} is sent without the headers ${Object.keys(headers).join(", ")}`
      note("warning", "unsupported-encoding", problem, [...at, name, "headers"])
    }
    const known = styles.body.find((one) => one === style)
    if (style !== undefined && known === undefined) {
      const problem = `fields have the styles ${styles.body.join(", ")}, not ${JSON.stringify(style)}: ${name} is sent without one`
      note("warning", "unsupported-encoding", problem, [...at, name, "style"])
    }
    const reserved = !isMultipart && allowReserved === true ? { allowReserved } : {}
    // By the standard a content type says nothing beside one of the others.
    if (known !== undefined || typeof explode === "boolean" || allowReserved !== undefined) {
      return { style: known ?? "form", ...(typeof explode === "boolean" ? { explode } : {}), ...reserved }
    }
    return typeof contentType === "string" && !/[,*]/.test(contentType) ? { contentType } : {}
  }
  return {
    placeOf: (name: string, schema: unknown): ParameterPlace => {
      if (kind !== "form" && !isMultipart) return { in: "body" }
      const place = stated(name)
      const shape = isMultipart ? fileShapeOf(schema, resolve) : undefined
      if (shape === "mixed") {
        const problem = `the part ${name} may be a file or something else: it is sent as text, and a file cannot be given`
        note("warning", "unsupported-encoding", problem, [...at.slice(0, -1), "schema", "properties", name])
      } else if (shape !== undefined) {
        const { contentType } = place
        return { in: "body", ...(contentType === undefined ? {} : { contentType }), isFile: true }
      }
      // Without a style an object of a form is one JSON text.
      return Object.keys(place).length === 0 && kind === "form" && isObject(schema, resolve)
        ? { in: "body", contentType: "application/json" }
        : { in: "body", ...place }
    },
    /** The place of a body that is one parameter: the style of all its fields. */
    placeOfWhole: (): ParameterPlace => {
      const places = kind === "form" || isMultipart ? Object.keys(encoding).map(stated) : []
      const [first = {}, ...others] = places
      if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
        const problem = "the fields of a body that is no plain object are written alike, but their encodings differ"
        note("warning", "unsupported-encoding", problem, at)
        return { in: "body" }
      }
      return { in: "body", ...first }
    }
  }
}

const isObject = (schema: unknown, resolve: Resolve): boolean => {
  const { properties, type } = keywordsOf(schema, resolve)
  return [type].flat().includes("object") || (type === undefined && Json.isObject(properties))
}

/** Files in a multipart body. A model has no bytes: it gives a text, or base64, and may say what the file is called. */
const fileSchema: Json.JsonSchema = {
  type: "object",
  properties: {
    content: { type: "string" },
    encoding: { enum: ["utf-8", "base64"], description: "How `content` is written; utf-8 unless given" },
    filename: { type: "string" },
    contentType: { type: "string" }
  },
  required: ["content"],
  additionalProperties: false
}

/** OpenAPI 3.0 says `format: binary`; 3.1 a media type, without an encoding. */
const isFile = (schema: unknown, resolve: Resolve): boolean => {
  const resolved = resolve(schema)
  if (!isResolved(resolved)) return false
  const { contentEncoding, contentMediaType, format, type } = resolved
  const isString = type === undefined || [type].flat().includes("string")
  return isString && (format === "binary" || (typeof contentMediaType === "string" && contentEncoding === undefined))
}

const isFiles = (schema: unknown, resolve: Resolve): boolean => {
  const { items } = keywordsOf(schema, resolve)
  return items !== undefined && isFile(items, resolve)
}

/** What of a part is a file; `mixed` for a union of a file and something else. */
const fileShapeOf = (schema: unknown, resolve: Resolve): "file" | "files" | "either" | "mixed" | undefined => {
  if (isFile(schema, resolve)) return "file"
  if (isFiles(schema, resolve)) return "files"
  const { anyOf, oneOf } = keywordsOf(schema, resolve)
  const members = anyOf ?? oneOf
  if (!Array.isArray(members)) return undefined
  const shapes = new Set(
    members
      .filter((member) => keywordsOf(member, resolve)["type"] !== "null")
      .map((member) => (isFile(member, resolve) ? "file" : isFiles(member, resolve) ? "files" : undefined))
  )
  if (!shapes.has("file") && !shapes.has("files")) return undefined
  if (shapes.has(undefined)) return "mixed"
  return shapes.size === 2 ? "either" : shapes.has("file") ? "file" : "files"
}

const withFiles = (schema: unknown, converted: Converted, resolve: Resolve): Converted => {
  const stated = Json.isObject(converted.schema) ? converted.schema : {}
  const { description } = stated
  const about = typeof description === "string" ? { description } : {}
  const shape = fileShapeOf(schema, resolve)
  if (shape === "file") return { schema: { ...fileSchema, ...about }, references: new Set() }
  if (shape === "either") {
    const anyOf = [fileSchema, { type: "array", items: fileSchema }]
    return { schema: { anyOf, ...about }, references: new Set() }
  }
  if (shape !== "files") return converted
  const { maxItems, minItems } = stated
  const bounds = Object.entries({ minItems, maxItems }).filter(([, bound]) => bound !== undefined)
  return {
    schema: { type: "array", items: fileSchema, ...Object.fromEntries(bounds), ...about },
    references: new Set()
  }
}

interface Property {
  readonly schema: unknown
  readonly isRequired: boolean
}

type Properties = ReadonlyMap<string, Property>

/** Keywords that say nothing of an object but what its properties are. */
const plain = new Set(
  (
    "$ref $schema $id $comment $defs type properties required allOf additionalProperties title description default example " +
    "examples nullable deprecated readOnly writeOnly xml externalDocs discriminator"
  ).split(" ")
)

const objectOf = (
  schema: unknown,
  resolve: Resolve,
  isLeftOut: (property: unknown) => boolean,
  parts: ReadonlyArray<string>
): Properties | undefined => {
  const found = collect(schema, resolve, 0, new Set())
  if (found === undefined || (found.schemas.size === 0 && !found.isClosed)) return undefined
  const properties = new Map<string, Property>()
  const absent = new Set<string>()
  for (const [name, [first, ...others]] of found.schemas) {
    if ([first, ...others].some(isLeftOut)) absent.add(name)
    else {
      const joined = others.length === 0 ? first : { allOf: [first, ...others] }
      properties.set(name, { schema: joined, isRequired: found.required.has(name) })
    }
  }
  for (const name of [...found.required, ...parts]) {
    if (properties.has(name) || absent.has(name)) continue
    properties.set(name, { schema: {}, isRequired: found.required.has(name) })
  }
  return properties
}

interface Collected {
  readonly schemas: Map<string, Array<unknown>>
  readonly required: Set<string>
  isClosed: boolean
}

const collect = (schema: unknown, resolve: Resolve, depth: number, seen: Set<object>): Collected | undefined => {
  const resolved = resolve(schema)
  if (!isResolved(resolved) || depth > 20 || saysMore(schema)) return undefined
  const { additionalProperties, allOf, properties, required, type } = resolved
  const isObject =
    type === "object" ||
    (Array.isArray(type) && type.includes("object") && type.every((one) => one === "object" || one === "null")) ||
    (type === undefined &&
      (Json.isObject(properties) || Array.isArray(allOf) || (depth > 0 && Array.isArray(required))))
  if (!isObject) return undefined
  if (Object.keys(resolved).some((keyword) => !plain.has(keyword) && !keyword.startsWith("x-"))) return undefined
  // What may have any further property is only whole if it stays an object.
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  const found: Collected = {
    schemas: new Map(),
    required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === "string") : []),
    isClosed: additionalProperties === false
  }
  if (Json.isObject(properties))
    for (const [name, property] of Object.entries(properties)) found.schemas.set(name, [property])
  for (const branch of Array.isArray(allOf) ? allOf : []) {
    const known = resolve(branch)
    // What is there twice says nothing more; read each time, a few lines would be read without end.
    if (seen.has(known)) continue
    seen.add(known)
    const part = collect(branch, resolve, depth + 1, seen)
    if (part === undefined) return undefined
    for (const [name, schemas] of part.schemas)
      found.schemas.set(name, [...(found.schemas.get(name) ?? []), ...schemas])
    for (const name of part.required) found.required.add(name)
    found.isClosed ||= part.isClosed
  }
  return found
}

/** Since 3.1 what stands beside a reference counts. */
const saysMore = (schema: unknown): boolean =>
  Json.isObject(schema) &&
  typeof schema["$ref"] === "string" &&
  Object.keys(schema).some((keyword) => keyword !== "$ref" && !annotations.has(keyword) && !keyword.startsWith("x-"))
