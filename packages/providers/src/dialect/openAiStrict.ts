/**
 * A JSON Schema as OpenAI's strict mode accepts it: every property required, every object closed, few keywords.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs "Supported schemas"
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import { acceptsNull, hint, isHint, nullable, tupleItems, typeOfValues } from "./keywords.js"
import { foldAllOf } from "./allOf.js"
import type { Path } from "../internal/wireField.js"

/** The API's own limits on a strict schema. */
const limits = {
  depth: 10,
  properties: 5000,
  enumValues: 1000,
  characters: 120_000,
  largeEnum: 250,
  largeEnumCharacters: 15_000
}

/** Copied as they are. */
const kept = new Set(["description", "title", "multipleOf", "maximum", "minimum", "minItems", "maxItems"])
const formats = new Set(["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"])

/** Keywords that neither restrict a value nor tell a model anything. */
const silent = new Set(["$schema", "$id", "id", "$comment", "$anchor", "$defs", "definitions", "nullable", "required"])

/**
 * `subject` is the tool's name, for the losses: what the rewritten schema does not say, or why it is missing and the
 * tool must be sent without.
 */
export const openAiStrict = (subject: string, document: Json.JsonSchema) => {
  const losses: Array<Loss.Loss> = []
  const obstacles: Array<Loss.Loss> = []
  const definitions = new Map<string, Json.JsonObject | undefined>()
  const names = new Map<string, string>()
  const count = { properties: 0, enumValues: 0, characters: 0 }

  const lose = (path: Path, keyword: string, reason: string): void => {
    losses.push({ subject, path, keyword, reason })
  }
  /** No strict schema can say it: the tool is sent without strict mode. */
  const give = (path: Path, keyword: string, why: string): Json.JsonObject => {
    obstacles.push({ subject, path, keyword, reason: `${why}: the tool is sent without strict mode.` })
    return {}
  }

  let isTooDeep = false
  const visit = (schema: unknown, path: Path, depth: number): Json.JsonObject => {
    if (!Json.isObject(schema)) return give(path, "type", "Strict mode has no schema for any value")
    // In an `allOf`, a type that contains itself has more places the deeper one looks: one tells enough.
    if (isTooDeep) return {}
    isTooDeep = depth > limits.depth
    if (isTooDeep) return give(path, "properties", `Strict mode allows ${limits.depth} levels of objects`)
    const folded = foldAllOf(bareReference(schema, document), document)
    for (const keyword of folded.conflicts) lose(path, "allOf", `${keyword} is stated twice; the first is sent.`)
    const rewritten = keywords(folded.schema, path, depth)
    if (folded.schema["nullable"] !== true) return rewritten
    const union = nullable(rewritten)
    // OpenAI takes both words for it (its own client sends this one), and some compatible servers read this one only.
    return union["type"] === undefined ? union : { ...union, nullable: true }
  }

  const keywords = (schema: Json.JsonSchema, path: Path, depth: number): Json.JsonObject => {
    const out = new Map<string, Json.Json>()
    const hints: Array<string> = []
    const isObjectSchema = hasType(schema["type"], "object") || Json.isObject(schema["properties"])
    const isArraySchema = hasType(schema["type"], "array") || schema["items"] !== undefined
    if (schema["type"] !== undefined) out.set("type", Json.from(schema["type"]))
    for (const [keyword, value] of Object.entries(schema)) {
      if (silent.has(keyword) || value === undefined) continue
      const at = [...path, keyword]
      switch (keyword) {
        case "type":
        case "properties":
        case "additionalProperties":
        case "items":
        case "prefixItems":
        case "additionalItems":
        case "anyOf":
        case "oneOf":
          continue
        case "$ref":
          out.set("$ref", reference(value, at))
          continue
        case "enum":
          countValues(Array.isArray(value) ? value : [], path)
          out.set("enum", Json.from(value))
          if (schema["type"] === undefined) out.set("type", typeOfValues(Array.isArray(value) ? value : []))
          continue
        case "const":
          if (typeof value === "string") count.characters += value.length
          out.set("const", Json.from(value))
          if (schema["type"] === undefined) out.set("type", typeOfValues([value]))
          continue
        case "exclusiveMinimum":
        case "exclusiveMaximum": {
          const bound = keyword === "exclusiveMinimum" ? "minimum" : "maximum"
          // Draft 4 and OpenAPI 3.0 state it as a flag beside the bound.
          if (typeof value === "number") out.set(keyword, value)
          else if (value === true && typeof schema[bound] === "number") out.set(keyword, Json.from(schema[bound]))
          continue
        }
        default: {
          if (kept.has(keyword) || isKept(keyword, value)) out.set(keyword, Json.from(value))
          else if (isHint(keyword, value)) {
            hints.push(hint(keyword, value))
            lose(path, keyword, "Strict mode does not accept it; it is said in the description.")
          } else lose(path, keyword, "Strict mode does not accept it; it is left out.")
        }
      }
    }
    if (isObjectSchema) closedObject(schema, path, depth, out)
    if (isArraySchema) arrayItems(schema, path, depth, out)
    union(schema, path, depth, out, isObjectSchema)
    if (hints.length > 0) {
      const description = out.get("description")
      out.set(
        "description",
        typeof description === "string" ? `${description} (${hints.join(", ")})` : hints.join(", ")
      )
    }
    if (!out.has("type") && !out.has("$ref") && !out.has("anyOf")) {
      return give(path, "type", "Strict mode has no schema for any value")
    }
    return onlyReference(out)
  }

  const countValues = (values: ReadonlyArray<unknown>, path: Path): void => {
    const characters = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)
    count.enumValues += values.length
    count.characters += characters
    if (values.length > limits.largeEnum && characters > limits.largeEnumCharacters) {
      give(
        path,
        "enum",
        `Strict mode allows ${limits.largeEnumCharacters} characters in an enum of more than ${limits.largeEnum} values, there are ${characters}`
      )
    }
  }

  const closedObject = (schema: Json.JsonSchema, path: Path, depth: number, out: Map<string, Json.Json>): void => {
    const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
    const keys = Object.keys(properties)
    const rest = schema["additionalProperties"]
    const patterns = schema["patternProperties"]
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    if (rest === true || Json.isObject(rest) || (Json.isObject(patterns) && Object.keys(patterns).length > 0)) {
      give(
        path,
        Json.isObject(patterns) ? "patternProperties" : "additionalProperties",
        "Strict mode has no open records"
      )
    } else if (keys.length === 0 && rest !== false && path.length > 0) {
      give(path, "additionalProperties", "Strict mode has no open records")
    }
    for (const key of required) {
      if (typeof key === "string" && !keys.includes(key)) give(path, "required", `${key} is required but not described`)
    }
    count.properties += keys.length
    for (const key of keys) count.characters += key.length
    const visited = keys.map((key): [string, Json.Json] => {
      const property = visit(properties[key], [...path, "properties", key], depth + 1)
      const isOptional = !required.includes(key) && !acceptsNull(properties[key], document)
      return [key, isOptional ? nullable(property) : property]
    })
    out.set("properties", Object.fromEntries(visited))
    out.set("required", keys)
    out.set("additionalProperties", false)
  }

  const arrayItems = (schema: Json.JsonSchema, path: Path, depth: number, out: Map<string, Json.Json>): void => {
    const tuple = tupleItems(schema)
    if (tuple === undefined) {
      out.set("items", visit(schema["items"], [...path, "items"], depth))
      return
    }
    lose(path, tuple.keyword, "Strict mode has no tuples: which item stands where is not said, only what each may be.")
    const items = tuple.items.map((item, index) => visit(item, [...path, tuple.keyword, index], depth))
    const distinct = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
    const first = distinct[0]
    if (first !== undefined) out.set("items", distinct.length === 1 ? first : { anyOf: distinct })
    else give(path, "items", "Strict mode has no empty tuples")
    if (!out.has("minItems")) out.set("minItems", tuple.minItems)
    if (tuple.maxItems !== undefined && !out.has("maxItems")) out.set("maxItems", tuple.maxItems)
  }

  const union = (
    schema: Json.JsonSchema,
    path: Path,
    depth: number,
    out: Map<string, Json.Json>,
    isObjectSchema: boolean
  ): void => {
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const branches = schema[keyword]
      if (!Array.isArray(branches)) continue
      const isBare = schema["type"] === undefined && !isObjectSchema
      if (!isBare || out.has("anyOf") || out.has("$ref")) {
        lose(path, keyword, "It only narrows what stands beside it, which strict mode cannot say; it is left out.")
        continue
      }
      if (path.length === 0) give(path, keyword, "Strict mode demands an object at the root")
      if (keyword === "oneOf") lose(path, keyword, "Strict mode has no exclusive choice; it is sent as anyOf.")
      out.set(
        "anyOf",
        branches.map((branch, index) => visit(branch, [...path, keyword, index], depth))
      )
    }
  }

  /** A name that needs no escape in a reference; `$defs` and `definitions` may have the same. */
  const nameOf = (place: string): string => {
    const known = names.get(place)
    if (known !== undefined) return known
    const base = place.replace(/^\S+ /, "").replace(/[^\w.-]/g, "_")
    let name = base
    for (let count = 2; [...names.values()].includes(name); count++) name = `${base}_${count}`
    names.set(place, name)
    return name
  }

  const reference = (value: unknown, path: Path): string => {
    if (value === "#") return "#"
    const isDefinition = typeof value === "string" && /^#\/(?:\$defs|definitions)\/[^/]+$/.test(value)
    const target = isDefinition ? JsonPointer.schemaAt(document, value) : undefined
    if (target === undefined) {
      give(path, "$ref", "Only references to definitions of the same schema can be sent")
      return "#"
    }
    const name = nameOf(JsonPointer.keysOf(String(value)).join(" "))
    if (!definitions.has(name)) {
      definitions.set(name, undefined)
      definitions.set(name, visit(target, ["$defs", name], 0))
    }
    return `#/$defs/${name}`
  }

  const root = visit(rootOf(document), [], 0)
  if (root["type"] !== "object") give([], "type", "Strict mode demands an object at the root")
  if (count.properties > limits.properties) {
    give([], "properties", `Strict mode allows ${limits.properties} properties, there are ${count.properties}`)
  }
  if (count.enumValues > limits.enumValues) {
    give([], "enum", `Strict mode allows ${limits.enumValues} enum values, there are ${count.enumValues}`)
  }
  for (const name of definitions.keys()) count.characters += name.length
  if (count.characters > limits.characters) {
    give(
      [],
      "properties",
      `Strict mode allows ${limits.characters} characters in all names and constants, there are ${count.characters}`
    )
  }
  if (obstacles.length > 0) return { schema: undefined, losses: obstacles }
  const shared = [...definitions].flatMap(([name, schema]) => (schema === undefined ? [] : [[name, schema] as const]))
  return { schema: shared.length === 0 ? root : { ...root, $defs: Object.fromEntries(shared) }, losses }
}

const hasType = (type: unknown, name: string): boolean => type === name || (Array.isArray(type) && type.includes(name))

const isKept = (keyword: string, value: unknown): boolean => {
  if (keyword === "format") return typeof value === "string" && formats.has(value)
  // The API's regular expressions have no look-around; it refuses the whole schema over one.
  return keyword === "pattern" && typeof value === "string" && !/\(\?[=!<]/.test(value)
}

/**
 * Without a type beside the reference that only states the target's again.
 * Other keywords beside it are one more schema that a value has to meet.
 */
const bareReference = (schema: Json.JsonSchema, document: Json.JsonSchema): Json.JsonSchema => {
  const { $ref: reference, type, allOf, ...beside } = schema
  if (typeof reference !== "string") return schema
  const isSameType = type === undefined || type === JsonPointer.schemaAt(document, reference)?.["type"]
  if (isSameType && allOf === undefined && !restricting.some((keyword) => keyword in beside)) {
    return { $ref: reference, ...beside }
  }
  const own = type === undefined ? beside : { ...beside, type }
  return { allOf: [{ $ref: reference }, own, ...(Array.isArray(allOf) ? allOf : [])] }
}

const restricting = ["properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "oneOf"]

/** The API takes nothing beside `$ref`, which a union of one says as well. */
const onlyReference = (out: Map<string, Json.Json>): Json.JsonObject => {
  const target = out.get("$ref")
  if (target === undefined || out.size === 1) return Object.fromEntries(out)
  out.delete("$ref")
  out.delete("type")
  out.set("anyOf", [{ $ref: target }])
  return Object.fromEntries(out)
}

/** A root that is only a reference, as Effect writes a named struct. */
const rootOf = (document: Json.JsonSchema): Json.JsonSchema => {
  let root = document
  for (let hop = 0; hop < 32 && typeof root["$ref"] === "string"; hop++) {
    const { $ref: _, ...beside } = root
    const target = JsonPointer.schemaAt(document, String(root["$ref"]))
    if (target === undefined) return root
    root = { ...target, ...beside }
  }
  return root
}
