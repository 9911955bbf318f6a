/** What of a trace, or of metrics, is not as the GenAI conventions of OpenTelemetry have it. `gen-ai.json` is their list. */
import { readFileSync } from "node:fs"

type Type = "string" | "int" | "double" | "boolean" | "string[]" | "json" | ReadonlyArray<string>

interface Conventions {
  readonly attributes: { readonly [name: string]: Type }
  readonly spans: {
    readonly [operation: string]: {
      readonly kind: string
      readonly name: string
      readonly required: ReadonlyArray<string>
    }
  }
  readonly metrics: { readonly [name: string]: { readonly unit: string; readonly required: ReadonlyArray<string> } }
}

// The file stands beside this one.
const conventions = JSON.parse(readFileSync(new URL("./gen-ai.json", import.meta.url), "utf8")) as Conventions

export interface SeenSpan {
  readonly name: string
  readonly kind: string
  readonly attributes: { readonly [name: string]: unknown }
}

export const spanBreaches = ({ attributes, kind, name }: SeenSpan): ReadonlyArray<string> => {
  const operation = String(attributes["gen_ai.operation.name"])
  const expected = conventions.spans[operation]
  if (expected === undefined) return [`${name}: the operation ${operation}`]
  const named = attributes[expected.name]
  const expectedName = named === undefined ? operation : `${operation} ${named}`
  return [
    ...(name === expectedName ? [] : [`${name}: named otherwise than ${expectedName}`]),
    ...(kind === expected.kind ? [] : [`${name}: of the kind ${kind}`]),
    ...attributeBreaches(name, attributes, expected.required)
  ]
}

export interface SeenMetric {
  readonly name: string
  readonly unit: string
  readonly attributes: { readonly [name: string]: unknown }
}

export const metricBreaches = ({ attributes, name, unit }: SeenMetric): ReadonlyArray<string> => {
  const expected = conventions.metrics[name]
  if (expected === undefined) return [`${name}: an unknown metric`]
  return [
    ...(unit === expected.unit ? [] : [`${name}: in ${unit}`]),
    ...attributeBreaches(name, attributes, expected.required)
  ]
}

const attributeBreaches = (
  of: string,
  attributes: { readonly [name: string]: unknown },
  required: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...required.filter((key) => attributes[key] === undefined).map((key) => `${of}: without ${key}`),
  ...Object.entries(attributes).flatMap(([key, value]) => {
    const type = conventions.attributes[key]
    if (type === undefined) return [`${of}: the unknown attribute ${key}`]
    return isOf(type, value) ? [] : [`${of}: ${key} is ${JSON.stringify(value)}`]
  })
]

const isOf = (type: Type, value: unknown): boolean => {
  if (typeof type === "object") return typeof value === "string" && type.includes(value)
  switch (type) {
    case "int":
      return Number.isInteger(value)
    case "double":
      return typeof value === "number"
    case "string[]":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
    case "json":
      return typeof value === "string" && isJson(value)
    default:
      return typeof value === type
  }
}

const isJson = (text: string): boolean => {
  // JSON.parse reports by throwing.
  try {
    JSON.parse(text)
    return true
  } catch {
    return text.startsWith("[not ")
  }
}
