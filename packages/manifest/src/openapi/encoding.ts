/** How the fields of a form or of a multipart body are written. */
import { Json } from "@wield/core"
import type { ParameterPlace } from "../ManifestEntry.js"
import { styles } from "../rest/checkPlaces.js"
import { isFile, isFiles } from "./files.js"
import type { Importing, Path } from "./Importing.js"
import type { Kind } from "./mediaType.js"
import { isResolved } from "./reference.js"

export interface Encoder {
  /** The place of a field that is a parameter. */
  readonly placeOf: (name: string, schema: unknown) => ParameterPlace
  /** The place of a body that is one parameter: the style of all its fields. */
  readonly placeOfWhole: () => ParameterPlace
}

export const encoderOf = (
  encoding: Json.JsonSchema,
  kind: Kind,
  importing: Importing,
  at: Path,
  tool: string
): Encoder => {
  const { note, resolve } = importing
  const isMultipart = kind === "multipart"
  const stated = (name: string): Partial<ParameterPlace> => {
    const fields: Json.JsonSchema = Json.isObject(encoding[name]) ? encoding[name] : {}
    const { allowReserved, contentType, explode, headers, style } = fields
    if (
      isMultipart &&
      Json.isObject(headers) &&
      Object.keys(headers).some((one) => one.toLowerCase() !== "content-type")
    ) {
      const problem = `the part ${name} is sent without the headers ${Object.keys(headers).join(", ")}`
      note("warning", "unsupported-encoding", problem, [...at, name, "headers"], tool)
    }
    const known = styles.body.find((one) => one === style)
    if (style !== undefined && known === undefined) {
      const problem = `fields have the styles ${styles.body.join(", ")}, not ${JSON.stringify(style)}: ${name} is sent without one`
      note("warning", "unsupported-encoding", problem, [...at, name, "style"], tool)
    }
    const reserved = !isMultipart && allowReserved === true ? { allowReserved } : {}
    // By the standard a content type says nothing beside one of the others.
    if (known !== undefined || typeof explode === "boolean" || allowReserved !== undefined) {
      return { style: known ?? "form", ...(typeof explode === "boolean" ? { explode } : {}), ...reserved }
    }
    return typeof contentType === "string" && !/[,*]/.test(contentType) ? { contentType } : {}
  }
  return {
    placeOf: (name, schema) => {
      if (kind !== "form" && !isMultipart) return { in: "body" }
      const place = stated(name)
      if (isMultipart && (isFile(schema, resolve) || isFiles(schema, resolve))) {
        const { contentType } = place
        return { in: "body", ...(contentType === undefined ? {} : { contentType }), isFile: true }
      }
      // Without a style an object of a form is one JSON text.
      return Object.keys(place).length === 0 && kind === "form" && isObject(schema, resolve)
        ? { in: "body", contentType: "application/json" }
        : { in: "body", ...place }
    },
    placeOfWhole: () => {
      const places = kind === "form" || isMultipart ? Object.keys(encoding).map(stated) : []
      const [first = {}, ...others] = places
      if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
        const problem = "the fields of a body that is no plain object are written alike, but their encodings differ"
        note("warning", "unsupported-encoding", problem, at, tool)
        return { in: "body" }
      }
      return { in: "body", ...first }
    }
  }
}

const isObject = (schema: unknown, resolve: Importing["resolve"]): boolean => {
  const resolved = resolve(schema)
  if (!isResolved(resolved)) return false
  const { properties, type } = resolved
  return (Array.isArray(type) ? type : [type]).includes("object") || (type === undefined && Json.isObject(properties))
}
