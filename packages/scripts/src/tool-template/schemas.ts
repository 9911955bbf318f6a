/**
 * What the schemas of a new function file have to be like. Files that are there
 * already are read with more patience; but APIs of models refuse a request for
 * one schema of it that they do not know.
 */
import { fileError, fileWarning } from "../folder/problem.js"
import type { Json } from "@wield/core"
import { isArray, isRecord } from "../function-file/Located.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Problem } from "@wield/core/Problem"

export const schemaProblems = (file: string, tool: FunctionTool): ReadonlyArray<Problem> => {
  const at = { place: tool.place, subject: tool.name }
  const parameters = Object.entries(partOf(partOf(partOf(tool.entry, "function"), "parameters"), "properties"))
  return [
    ...parameters.flatMap(([name, schema]) => {
      const where = `The parameter ${JSON.stringify(name)} of ${JSON.stringify(tool.name)}`
      return [
        ...faultsOf(schema).map((fault) => fileError(file, "parameter-schema", `${where} ${fault}`, at)),
        ...(isRecord(schema) && typeof schema["description"] !== "string"
          ? [fileWarning(file, "parameter-description", `${where} has no "description"; say in it what it is`, at)]
          : [])
      ]
    }),
    ...["network", "is_local"]
      .filter((key) => tool.entry[key] === undefined)
      .map((key) => fileWarning(file, "unstated-fact", `${tool.name} does not say "${key}": True or False`, at))
  ]
}

const partOf = (whole: Json.JsonObject, key: string): Json.JsonObject => {
  const part = whole[key]
  return part !== undefined && isRecord(part) ? part : {}
}

const types = ["string", "integer", "number", "boolean", "array", "object", "null"]

/** What other languages call them. */
const meant: ReadonlyMap<string, string> = new Map([
  ["str", "string"],
  ["text", "string"],
  ["int", "integer"],
  ["float", "number"],
  ["double", "number"],
  ["bool", "boolean"],
  ["list", "array"],
  ["tuple", "array"],
  ["dict", "object"],
  ["any", "string"]
])

/** Of these, a schema without a `type` says what it takes. */
const saying = ["enum", "const", "anyOf", "oneOf", "allOf", "$ref"]

const faultsOf = (schema: Json.Json): ReadonlyArray<string> => {
  if (!isRecord(schema)) return []
  const { items, properties, required, type } = schema
  const given = type === undefined ? [] : isArray(type) ? type : [type]
  const unknown = given.find((one) => typeof one !== "string" || !types.includes(one))
  const isMissing = type === undefined && !saying.some((key) => schema[key] !== undefined)
  return [
    ...(isMissing ? [`has no "type"; it is one of ${listed}`] : []),
    ...(unknown === undefined ? [] : [`has a "type" that JSON Schema has not: ${instead(unknown)}`]),
    ...(given.includes("array") && items === undefined
      ? ['is an array without "items"; say what is in it, such as "items": {"type": "string"}']
      : []),
    ...(typeof required === "boolean"
      ? ['has "required" in it; name what is required in the list "required" beside "properties"']
      : []),
    ...(items === undefined ? [] : faultsOf(items).map((fault) => `has "items" of which each ${fault}`)),
    ...(properties !== undefined && isRecord(properties)
      ? Object.entries(properties).flatMap(([name, inner]) =>
          faultsOf(inner).map((fault) => `has a property ${JSON.stringify(name)} that ${fault}`)
        )
      : [])
  ]
}

const listed = types.map((name) => JSON.stringify(name)).join(", ")

const instead = (type: Json.Json): string => {
  const name = typeof type === "string" ? meant.get(type.toLowerCase()) : undefined
  return `${JSON.stringify(type)}; write ${name === undefined ? `one of ${listed}` : JSON.stringify(name)}`
}
